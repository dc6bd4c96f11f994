// The board: the picture that the game drew, made playable. Knows no game: elements with `data-action` are what can be
// played, keys and swipes play the moves that the game declared for them, and elements with `data-piece` glide (glide.js).

import { h, picture } from "./dom.js";
import { glide, pieces } from "./glide.js";
import { side } from "./i18n.js";
import { arrange } from "./narrow.js";

const STEPS = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 };
const AHEAD = 4; // moves that wait at most
const COVERED = 70; // pixels at the top and the bottom of a phone that bars lie over
const FAR = 24; // pixels from which on a stroke of a finger is a swipe

export class Board {
  constructor(act) {
    this.act = act; // called with the number of an action
    this.legal = new Map(); // action -> move
    this.waiting = []; // moves that were commanded while another was on its way
    this.overlay = h("div", { class: "overlay", "aria-hidden": "true" });
    this.holder = h("div", { class: "holder" });
    this.element = h("div", { class: "board", "data-board": "", tabindex: "-1" }, this.holder);
    this.answerTo({ keys: {}, swipes: {} });
    this.drawMarks = () => {};
    new ResizeObserver(() => { this.arrange(); this.drawMarks(); }).observe(this.holder);
    this.element.addEventListener("click", (event) => this.chosen(event.target.closest?.("[data-action]")));
    this.element.addEventListener("pointerdown", (event) => this.touched(event));
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        const target = event.target.closest?.("[data-action]");
        if (target && this.chosen(target)) event.preventDefault();
      }
    });
  }

  // The moves that the game declared for keys and for swipes. A finger on a board with swipes does not scroll.
  answerTo({ keys, swipes }) {
    this.keys = keys;
    this.swipes = swipes;
    this.element.classList.toggle("swiped", Object.keys(swipes).length > 0);
  }

  // A key anywhere on the page: the move that the game declared for it; else the arrows give the next action the focus.
  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !this.legal.size) return;
    if (event.target.closest?.("input, select, textarea, .log, .verdicts")) return;
    if ([" ", "Enter"].includes(event.key) && event.target.closest?.("button, a, [data-action]")) return;
    const move = this.keys[event.key] ?? this.keys[event.key.toLowerCase()];
    if (move !== undefined) {
      event.preventDefault();
      if (!(event.repeat && this.busy)) this.command(move); // a key that is held plays on, but not once more when it is let go
    } else if (STEPS[event.key]) {
      event.preventDefault();
      const live = [...this.element.querySelectorAll(".live")];
      const step = STEPS[event.key], place = live.indexOf(document.activeElement);
      live.at(place < 0 ? Math.min(step, 0) : (place + step) % live.length)?.focus();
    }
  }

  // A finger on the board: when it is lifted, it may have swiped.
  touched(down) {
    if (down.pointerType === "mouse" || !down.isPrimary) return;
    const lifted = new AbortController();
    const lift = (up) => {
      if (up.pointerId !== down.pointerId) return;
      lifted.abort();
      const across = up.clientX - down.clientX, along = up.clientY - down.clientY;
      if (up.type === "pointercancel" || Math.hypot(across, along) < FAR) return;
      const direction = Math.abs(across) > Math.abs(along) ? (across > 0 ? "right" : "left") : along > 0 ? "down" : "up";
      if (this.swipes[direction] !== undefined) this.command(this.swipes[direction]);
    };
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, lift, { signal: lifted.signal }); // the picture may be another by then
  }

  // Play a move if it is legal. While the last one is on its way, some more wait for the next pictures.
  command(move) {
    if (this.busy) { if (this.waiting.length < AHEAD) this.waiting.push(move); return; }
    for (const [action, name] of this.legal) if (name === move) this.play(action);
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
    this.waiting = [];
    this.element.querySelectorAll(".pressed").forEach((element) => element.classList.remove("pressed"));
  }

  // As the picture itself says where there is little room.
  arrange() { if (this.svg) arrange(this.svg, this.holder.clientWidth); }

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
    this.arrange();
    glide(before, old, svg, came ?? {});
    const { waiting } = this;
    this.release();
    if (focused !== null) (this.holder.querySelector(`.live[data-action="${focused}"]`) ?? this.element).focus({ preventScroll: true });
    if (this.legal.size) for (const move of waiting) this.command(move);
    else this.waiting = waiting; // others still choose
  }

  // --- marks: rings around actions and small bars with their values ---

  // Whoever has to play sees something that can be played: on a phone a board may be longer than the screen.
  bringIntoSight() {
    const below = (element) => { const { top, height } = element.getBoundingClientRect(); return top + height / 2 - innerHeight / 2; };
    const far = [...this.holder.querySelectorAll(".live")].map(below).sort((one, other) => Math.abs(one) - Math.abs(other));
    if (!far.length || Math.abs(far[0]) < innerHeight / 2 - COVERED) return;
    scrollBy({ top: far[0], behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

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

