// Pictures on a phone: an element with `data-narrow` says which attributes it has instead where there is little room. It
// knows no game.

const NARROW = 480; // pixels

const before = new WeakMap(); // element -> its attributes on a wide page

export function arrange(svg, room) {
  for (const element of [svg, ...svg.querySelectorAll("[data-narrow]")]) {
    const instead = (element.dataset.narrow ?? "").split(";").filter(Boolean).map((each) => each.trim().split("="));
    if (!before.has(element)) before.set(element, instead.map(([name]) => [name, element.getAttribute(name)]));
    for (const [name, value] of room < NARROW ? instead : before.get(element)) {
      if (value === null) element.removeAttribute(name);
      else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    }
  }
}
