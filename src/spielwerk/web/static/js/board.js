// The board: the picture that the game drew, made playable. Knows no game: elements with `data-action` are what can be
// played, moves named like directions answer to the arrow keys, and elements with `data-piece` glide (glide.js).

import { h, picture } from "./dom.js";
import { glide, pieces } from "./glide.js";
import { side } from "./i18n.js";

const KEYS = {
  ArrowUp: ["up", "speed_up"], ArrowDown: ["down", "slow_down"], ArrowLeft: ["left", "turn_left"], ArrowRight: ["right", "turn_right"],
  " ": ["change_nothing"],
};
const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };

export class Board {
  constructor(act) {
    this.act = act; // called with the number of an action
    this.legal = new Map(); // action -> move
    this.overlay = h("div", { class: "overlay", "aria-hidden": "true" });
    this.holder = h("div", { class: "holder" });
    this.element = h("div", { class: "board", "data-board": "", tabindex: "-1" }, this.holder);
    this.drawMarks = () => {};
    new ResizeObserver(() => this.drawMarks()).observe(this.holder);
    this.element.addEventListener("click", (event) => this.chosen(event.target.closest?.("[data-action]")));
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        const target = event.target.closest?.("[data-action]");
        if (target && this.chosen(target)) event.preventDefault();
      }
    });
  }

  // Arrow keys anywhere on the page: a move of that name, else the next action gets the focus.
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, select, textarea, dialog, .log, .verdicts")) return;
    const names = KEYS[event.key];
    if (!names || !this.legal.size) return;
    if (event.key === " " && event.target.closest?.("button, a, [data-action]")) return;
    for (const [action, move] of this.legal) {
      if (names.includes(move)) { event.preventDefault(); this.play(action); return; }
    }
    const directions = Object.values(KEYS).flat();
    if (STEPS[event.key] && this.names?.some((move) => directions.includes(move))) { event.preventDefault(); return; }
    if (!STEPS[event.key]) return;
    const live = [...this.element.querySelectorAll(".live")];
    const step = STEPS[event.key], place = live.indexOf(document.activeElement);
    live.at(place < 0 ? Math.min(step, 0) : (place + step) % live.length)?.focus();
    event.preventDefault();
  }

  chosen(target) {
    const action = target && Number(target.dataset.action);
    if (!target || !this.legal.has(action)) return false;
    this.play(action);
    return true;
  }

  play(action) {
    if (this.busy) return;
    this.busy = true; // until the next scene
    this.find(action)?.classList.add("pressed");
    this.clearMarks();
    this.act(action);
  }

  release() {
    this.busy = false;
    this.element.querySelectorAll(".pressed").forEach((element) => element.classList.remove("pressed"));
  }

  find(action) { return this.holder.querySelector(`[data-action="${action}"]`); }

  // Show a picture; `choices` are the legal actions of the one who looks, `came` are pieces that had other names in the
  // picture before (null: it was seen from another place, nothing glides).
  show(text, choices = [], came = {}) {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.action ?? "" : null;
    const before = came && this.svg, old = pieces(before);
    const svg = picture(text);
    svg.classList.add("picture-svg");
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    this.legal = new Map(choices.map(({ action, move }) => [action, move]));
    if (choices.length) this.names = choices.map(({ move }) => move);
    for (const element of svg.querySelectorAll("[data-action]")) {
      const action = Number(element.dataset.action);
      if (this.legal.has(action)) {
        element.classList.add("live");
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", "0");
        if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", choices.find((each) => each.action === action).name);
      } else {
        element.classList.add("idle");
        element.setAttribute("tabindex", "-1");
        element.setAttribute("aria-disabled", "true");
      }
    }
    svg.setAttribute("role", this.legal.size ? "group" : "img"); // what is inside an image cannot be reached by ear
    this.svg = svg;
    this.clearMarks();
    this.holder.replaceChildren(svg, this.overlay);
    glide(before, old, svg, came ?? {});
    this.release();
    if (focused !== null) (this.holder.querySelector(`.live[data-action="${focused}"]`) ?? this.element).focus({ preventScroll: true });
  }

  // --- marks: rings around actions and small bars with their values ---

  clearMarks() { this.mark(() => {}); }

  mark(draw) {
    this.drawMarks = () => {
      this.overlay.replaceChildren();
      draw((action) => this.place(action));
    };
    this.drawMarks();
  }

  place(action) {
    const element = this.find(action);
    if (!element) return null;
    const box = element.getBoundingClientRect(), around = this.holder.getBoundingClientRect();
    const word = box.width > 1.6 * box.height && element.querySelector("text") !== null; // a button with a word on it
    return { left: box.left - around.left, top: box.top - around.top, width: box.width, height: box.height, word };
  }

  rings(actions, kind = "") {
    this.mark((place) => actions.forEach((action) => this.ring(place(action), kind)));
  }

  ring(box, kind) {
    if (box) this.overlay.append(h("i", { class: `ring ${kind}`, style: `left:${box.left - 4}px;top:${box.top - 4}px;width:${box.width + 8}px;height:${box.height + 8}px` }));
  }

  // What each action is worth; `played` marks what somebody chose instead of the best.
  values(judged, unit, played = null) {
    const range = scale(judged), write = side(judged.map((one) => one.value), unit);
    this.mark((place) => {
      const placed = judged.map((one) => ({ one, box: place(one.action) })).filter(({ box }) => box);
      const beside = (box) => placed.filter((each) => each.box !== box && Math.abs(each.box.top - box.top) < 34).map((each) => Math.abs(each.box.left - box.left));
      for (const { one, box } of placed) {
        if (one.rank === 1) this.ring(box, "best");
        else if (one.action === played) this.ring(box, "played");
        const room = Math.min(box.width, ...beside(box));
        const small = (room < 46 && box.height < 120) || (box.word && box.height < 34); // only the bar fits; the figures stand in the list
        const chip = h("div", { class: `chip ${one.rank === 1 ? "best" : ""} ${small ? "small" : ""}` }, small ? null : unit === "rank" ? `${one.rank}.` : write(one.value), bar(one, range, unit, judged.length));
        if (small) chip.style.width = `${Math.max(room - 6, 16)}px`;
        const wide = Math.max(this.holder.clientWidth, 1);
        chip.style.left = `${Math.min(Math.max(box.left + box.width / 2, 26), wide - 26)}px`;
        chip.style.top = `${box.top + box.height * (box.word ? 1.1 : 0.5)}px`;
        this.overlay.append(chip);
      }
    });
  }
}

// The lowest and highest value on a bar.
export function scale(judged) {
  const known = judged.filter((one) => one.value !== null);
  const low = Math.min(...known.map((one) => one.low ?? one.value)), high = Math.max(...known.map((one) => one.high ?? one.value));
  const space = (high - low) * 0.12 || Math.abs(high) * 0.05 || 1;
  return { low: low - space, high };
}

export function bar(one, range, unit, count) {
  if (unit === "rank") return h("div", { class: "bar" }, h("b", { style: `width:${(100 * (count - one.rank + 1)) / count}%` }));
  const share = (value) => Math.min(Math.max((100 * (value - range.low)) / (range.high - range.low || 1), 0), 100);
  const parts = one.value === null ? [] : [h("b", { style: `width:${share(one.value)}%` })];
  if (one.low !== null && one.value !== null) parts.push(h("i", { style: `left:${share(one.low)}%;width:${Math.max(share(one.high) - share(one.low), 1)}%` }));
  return h("div", { class: "bar" }, parts);
}

