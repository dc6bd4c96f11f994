// Movement, with restraint: pieces (`data-piece`) glide from where they were to where they are, what is new appears, and
// what has changed in its place shows it, unless it is inside a `data-still`. The one place that moves anything on a board; it knows no game. Visitors who
// prefer less motion see none.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const GLIDE = { duration: 240, easing: "cubic-bezier(.25, .7, .3, 1)" };
const MOST = 1500; // shapes of a picture beyond which it is only exchanged

// Where the pieces of a picture are on the screen right now, and what they look like.
export function pieces(svg) {
  const found = new Map();
  for (const element of svg?.querySelectorAll("[data-piece]") ?? []) found.set(element.dataset.piece, { element, box: element.getBoundingClientRect() });
  return found;
}

// Move from one picture to the next. `came`: pieces that had other names before, with those names.
export function glide(before, old, after, came = {}) {
  if (!before || calm.matches) return;
  const known = new Set(shapes(before).map(looks));
  for (const shape of shapes(after)) if (!shape.closest("[data-piece], [data-still]") && !known.has(looks(shape))) shape.classList.add("fresh");
  for (const [name, { element, box }] of pieces(after)) {
    const sources = (came[name] ?? [name]).map((source) => old.get(source)).filter(Boolean);
    if (!sources.length) element.classList.add("fresh");
    else if (sources.length > 1) merge(element, box, sources);
    else if (!move(element, sources[0].box, box) && content(element) !== content(sources[0].element)) element.classList.add("turned");
  }
}

// Let an element glide from one place on the screen to its own; null if it is there already.
function move(element, from, to) {
  const size = Math.sqrt((from.width * from.height) / (to.width * to.height)) || 1;
  if (Math.hypot(middle(from).x - middle(to).x, middle(from).y - middle(to).y) < 1.5 && Math.abs(size - 1) < 0.02) return null;
  const start = inside(element, middle(from)), end = inside(element, middle(to));
  return element.animate([{ translate: `${start.x - size * end.x}px ${start.y - size * end.y}px`, scale: size }, { translate: "0px 0px", scale: 1 }], GLIDE);
}

// Several pieces become one: what they were glides together, then the new piece appears.
function merge(element, to, sources) {
  element.classList.add("merged");
  for (const { element: old } of sources) {
    const ghost = document.importNode(old, true);
    ghost.removeAttribute("data-piece");
    ghost.setAttribute("aria-hidden", "true");
    element.before(ghost);
    const start = inside(ghost, middle(ghost.getBoundingClientRect())), end = inside(ghost, middle(to));
    const done = () => ghost.remove();
    ghost.animate([{ translate: "0px 0px" }, { translate: `${end.x - start.x}px ${end.y - start.y}px` }], { ...GLIDE, fill: "forwards" }).finished.then(done, done);
  }
}

const middle = (box) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 });

// A point of the screen in the coordinates in which an element is drawn.
function inside(element, { x, y }) {
  const screen = element.parentNode.getScreenCTM();
  return { x: (x - screen.e) / screen.a, y: (y - screen.f) / screen.d };
}

const looks = (shape) => shape.outerHTML.replace(/ class="[^"]*"/, "");
const content = (element) => element.innerHTML;

function shapes(svg) {
  const all = [...svg.querySelectorAll("rect, circle, ellipse, path, text, polygon, line, use, image")];
  return all.length > MOST ? [] : all;
}
