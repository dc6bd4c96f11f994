// The frame around the pages: navigation, language, theme.

import { complain, known, reason } from "./api.js";
import { h, icon, memory, nothing, redraw } from "./dom.js";
import { language, setLanguage, t } from "./i18n.js";

const NAV = [["/", "play", "dice"], ["/watch", "watch", "eye"], ["/replay", "replay", "film"], ["/arena", "arena", "cup"], ["/learning", "learning", "curve"]];
const ROUTES = [
  [/^\/$/, () => import("./home.js")],
  [/^\/table\/([\w-]+)$/, () => import("./table.js")],
  [/^\/join\/([\w-]+)$/, () => import("./table.js")],
  [/^\/watch$/, () => import("./watch.js")],
  [/^\/replay$/, () => import("./records.js")],
  [/^\/replay\/([\w-]+)$/, () => import("./replay.js")],
  [/^\/arena$/, () => import("./arena.js")],
  [/^\/learning$/, () => import("./learning.js")],
  [/^\/rules\/([^/]+)$/, () => import("./rules.js")],
  [/^\/look\/([^/]+)$/, () => import("./look.js")],
  [/^\/analysis\/([^/]+)$/, () => import("./analysis.js")],
];

const root = document.getElementById("main");
let leave = () => {};
let visit = 0;

export function go(path) {
  history.pushState(null, "", path);
  show();
}

async function show() {
  const current = ++visit;
  leave();
  leave = () => {};
  frame();
  const path = location.pathname;
  const found = ROUTES.map(([pattern, load]) => [pattern.exec(path), load]).find(([match]) => match);
  if (!found) { root.replaceChildren(nothing(t("no-page"))); return; }
  const waiting = h("p", { class: "empty waiting" }, h("span", { class: "spin" }));
  const place = h("div", {}, waiting); // of this visit alone: what comes too late is written where nobody looks
  root.replaceChildren(place);
  try {
    const [page] = await Promise.all([found[1](), known]);
    if (current !== visit) return;
    const left = await page.show(place, found[0][1]);
    if (current === visit) leave = left ?? (() => {});
    else left?.();
  } catch (problem) {
    if (current !== visit) return;
    place.replaceChildren(nothing(problem.status === 404 || problem.status === 422 ? t("not-found") : reason(problem)));
    if (!problem.status) complain(problem);
  } finally {
    waiting.remove();
  }
  window.scrollTo(0, 0);
  if (current > 1 && !document.activeElement.closest("main, #switches")) root.focus({ preventScroll: true });
}

// Which page of the navigation the visitor is on.
export function markPage(here) {
  for (const link of document.querySelectorAll("#nav a")) {
    if (link.pathname === here) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function frame() {
  const path = location.pathname;
  const here = ["/table", "/join", "/rules"].some((start) => path.startsWith(start)) ? "/" : ["/replay", "/analysis"].some((start) => path.startsWith(start)) ? "/replay" : path.startsWith("/look") ? "/learning" : path;
  document.documentElement.lang = language;
  document.querySelector(".skip").textContent = t("skip");
  document.getElementById("nav").setAttribute("aria-label", "Spielwerk");
  document.getElementById("nav").replaceChildren(...NAV.map(([to, text, name]) => h("a", { href: to, "data-nav": "" }, icon(name), h("span", {}, t(text)))));
  markPage(here);
  const dark = document.documentElement.dataset.theme === "dark";
  redraw(document.getElementById("switches"), [
    h("button", { class: "icon", "data-do": "language", "aria-label": t("language-switch"), title: t("language-switch"), onclick: () => { setLanguage(language === "en" ? "de" : "en"); show(); } }, language === "en" ? "DE" : "EN"),
    h("button", { class: "icon", "data-do": "theme", "aria-label": t("theme"), title: t("theme"), onclick: () => { memory.set("theme", dark ? "light" : "dark"); theme(); frame(); } }, icon(dark ? "sun" : "moon")),
  ]);
}

function theme() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  document.documentElement.dataset.theme = memory.get("theme", null) ?? system;
}

theme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { theme(); frame(); });
addEventListener("popstate", show);
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); root.focus(); }); // not a place of its own
addEventListener("scroll", () => document.querySelector(".top").classList.toggle("stuck", scrollY > 4), { passive: true });
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-nav]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  if (link.pathname !== location.pathname || link.hash !== location.hash) go(link.pathname + link.hash);
});
show();
