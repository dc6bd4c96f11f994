// Moments: pictures that a game wants to be seen before the match goes on. They stand for a while, longer or shorter as the
// viewer has chosen, or until a click or a key. What a moment says in figures lies over the board once the board itself
// has been seen.

import { h, memory, options } from "./dom.js";
import { capital, t } from "./i18n.js";

const SPEEDS = [["slow", 2], ["normal", 1], ["fast", 0.4], ["at-once", 0]];
const LOOK = 1200; // milliseconds for which the board is seen before figures lie over it
const ELSEWHERE = "button, a, input, select, textarea, .log, .verdicts";

// How many times as long as normal everything stands, as the viewer has chosen.
export const slowness = () => new Map(SPEEDS).get(memory.get("speed", "normal")) ?? 1;

export function speedChoice() {
  const choices = SPEEDS.map(([name]) => [name, t(name)]);
  return h("label", { class: "speed small soft" }, t("speed"),
    h("select", { "data-do": "viewer-speed", onchange: (event) => memory.set("speed", event.target.value) }, options(choices, memory.get("speed", "normal"))));
}

export class Moments {
  constructor(board, goOn) {
    Object.assign(this, { board, goOn, now: null });
    this.panel = h("div", { class: "moment", hidden: true, role: "group", "data-moment": "" });
    board.element.append(this.panel);
    board.element.addEventListener("click", (event) => { if (this.now && !event.target.closest(".live")) this.goOn(); });
  }

  show(moment, slow) {
    this.end();
    this.now = moment;
    if (moment.table.length) this.opening = setTimeout(() => this.open(), LOOK * slow);
  }

  open() {
    const [head, ...rows] = this.now.table;
    const button = h("button", { class: "button main", "data-do": "moment-go-on" }, t("go-on")); // its click is one on the board
    this.panel.setAttribute("aria-label", this.now.title);
    this.panel.replaceChildren(h("h2", {}, this.now.title),
      h("table", {}, h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, cell)))),
        h("tbody", {}, rows.map(([label, ...cells]) => h("tr", {}, h("th", { scope: "row" }, capital(label)), cells.map((cell) => h("td", {}, cell)))))),
      button);
    this.panel.hidden = false;
    if (document.activeElement === document.body || this.board.element.contains(document.activeElement)) button.focus({ preventScroll: true });
  }

  end() {
    clearTimeout(this.opening);
    const held = this.panel.contains(document.activeElement);
    this.panel.hidden = true;
    if (held) this.board.element.focus({ preventScroll: true });
    this.now = null;
  }

  // A key anywhere on the page; true if it was meant for the moment. While something can be played, keys play it.
  key(event) {
    const open = !this.panel.hidden, elsewhere = !this.panel.contains(event.target) && event.target.closest?.(ELSEWHERE);
    if (!this.now || (!open && this.board.legal.size) || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key !== "Escape" && (elsewhere || ![" ", "Enter"].includes(event.key))) return false;
    event.preventDefault();
    this.goOn();
    return true;
  }
}
