// Small helpers: elements, icons, notices, what this browser remembers.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

// A picture that the server drew. Parsed as XML, so that nothing in it can become anything but a picture.
export function picture(text) {
  const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  if (root.localName !== "svg") throw new Error("the board cannot be drawn");
  return document.importNode(root, true);
}

// A page that has nothing to show but a sentence.
export const nothing = (text) => h("h1", { class: "empty" }, text);

const PATHS = {
  play: "M7 5l12 7-12 7z", pause: "M8 5v14M16 5v14", first: "M6 5v14M19 5L9 12l10 7z", last: "M18 5v14M5 5l10 7-10 7z",
  close: "M6 6l12 12M18 6L6 18", book: "M12 6c-2-1.5-5-2-8-1.5V18c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V4.5C17 4 14 4.5 12 6zM12 6v13.5",
  back: "M15 5l-8 7 8 7", next: "M9 5l8 7-8 7", moon: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M19 5l-1.4 1.4M6.4 17.6L5 19",
  dice: "M5 4h14a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V5a1 1 0 0 1 1-1zM9 9h.01M15 15h.01M15 9h.01M9 15h.01",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 12h16", cup: "M7 4h10v5a5 5 0 0 1-10 0zM12 14v4M8 20h8M7 6H4v1a3 3 0 0 0 3 3M17 6h3v1a3 3 0 0 1-3 3",
  curve: "M4 20V4M4 20h16M7 16c3 0 3-8 7-8 2 0 3-2 5-2", bulb: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.5 10.9c.6.5 1 1.2 1 2V16h5v-.1c0-.8.4-1.5 1-2A6 6 0 0 0 12 3z",
  undo: "M8 6L4 10l4 4M4 10h10a6 6 0 0 1 0 12h-2", flag: "M6 21V4M6 4h11l-2 4 2 4H6", link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
  net: "M5 8l7-3 7 7-7 7-7-3M5 8l7 4M5 16l7-4M12 12h7M12 5v.01M5 8v.01M5 16v.01M12 12v.01M12 19v.01M19 12v.01",
  bars: "M4 20h16M6 20v-6M12 20V5M18 20v-9",
  down: "M12 4v11M7 11l5 5 5-5M5 20h14", again: "M4 12a8 8 0 1 1 3 6.2M4 12V7M4 12h5", branch: "M7 4v16M7 14c6 0 10-2 10-8M13 8l4-4 4 4",
};

export function icon(name) {
  const path = s("path", { d: PATHS[name], fill: name === "play" ? "currentColor" : "none", stroke: "currentColor", "stroke-width": 2, "stroke-linecap": "round", "stroke-linejoin": "round" });
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, path);
}

export function toast(text, kind = "", seconds = 4) {
  const note = h("div", { class: `toast ${kind}` }, text);
  document.getElementById("toasts").append(note);
  if (seconds) setTimeout(() => note.remove(), seconds * 1000);
  return note;
}

export function say(text) {
  const spoken = document.getElementById("spoken");
  if (text) spoken.textContent = spoken.textContent === text ? `${text}\u00a0` : text; // what is said twice is heard twice
}

export function segments(name, choices, value, change, label) {
  return h("div", { class: "segments", role: "radiogroup", "aria-label": label }, choices.map(([key, text]) => h("label", {},
    h("input", { type: "radio", name, value: key, checked: key === value, onchange: () => change(key) }), h("span", {}, text))));
}

export function options(choices, value) {
  return choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text));
}

// Put new parts into a place of the page. Whoever was on a part with a name (`data-do`) is on the new one of that name, or
// else where `otherwise` says.
export function redraw(place, parts, otherwise = null) {
  const held = place.contains(document.activeElement) ? document.activeElement.dataset.do ?? "" : null;
  place.replaceChildren(...parts.filter(Boolean));
  if (held !== null) (place.querySelector(`[data-do="${held}"]:not(:disabled)`) ?? otherwise)?.focus({ preventScroll: true });
}

// --- what this browser remembers: language, theme, looks, what was chosen last, and the tokens of its own seats and jobs ---

function read(key, otherwise) {
  try { return JSON.parse(localStorage.getItem(`spielwerk.${key}`)) ?? otherwise; } catch { return otherwise; }
}

const REMEMBERED = 200; // matches of this browser

export const memory = {
  get: read,
  set: (key, value) => localStorage.setItem(`spielwerk.${key}`, JSON.stringify(value)),
  matches: () => read("matches", {}),
  newest: (count) => Object.entries(read("matches", {})).sort((a, b) => (b[1].at ?? 0) - (a[1].at ?? 0)).slice(0, count).map(([id]) => id),
  match: (id) => read("matches", {})[id] ?? { tokens: [] },
  keep(id, more) {
    const all = read("matches", {});
    all[id] = { tokens: [], ...all[id], ...more, at: Date.now() };
    const newest = Object.entries(all).sort((a, b) => b[1].at - a[1].at).slice(0, REMEMBERED);
    memory.set("matches", Object.fromEntries(newest));
  },
  looks: () => Object.entries(read("looks", {})).map((pair) => pair.join("=")).join(","),
  job: (id) => read("jobs", {})[id] ?? null,
  keepJob(id, token) {
    const { [id]: _, ...others } = read("jobs", {});
    memory.set("jobs", Object.fromEntries([...Object.entries(others).slice(-49), [id, token]]));
  },
};
