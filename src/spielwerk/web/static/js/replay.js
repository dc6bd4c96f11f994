// One finished match: a film with a slider, the review with its curve and verdicts, and "what if".

import { analysisLink } from "./analysis.js";
import { Refused, complain, get, post, start } from "./api.js";
import { Board } from "./board.js";
import { legend, lineChart } from "./chart.js";
import { h, icon, memory, options, redraw, say } from "./dom.js";
import { capital, compact, percent, points, t, unitName } from "./i18n.js";
import { go } from "./main.js";
import { lookFields } from "./looks.js";
import { NetworkPanel, networksFor } from "./network.js";
import { Moments, slowness, speedChoice } from "./moments.js";
import { againName, lines, scoreboard, seatAndName, seatName } from "./people.js";
import { copy } from "./table.js";
import { showThoughts, thoughtsPanel } from "./thoughts.js";

const FOLLOW = -2, SPECTATOR = -1;
const BAD = ["inaccuracy", "mistake", "blunder"];
const STEP = 600, SHORTEST = 60; // milliseconds for which a picture of a film stands, and at least
const SOON = 700, LATER = 3000; // milliseconds until the next look at a review that is being made

export async function show(root, id) {
  const film = new Film(root, id);
  await film.open();
  return () => film.leave();
}

class Film {
  constructor(root, id) {
    Object.assign(this, { root, id, number: 0, frames: new Map(), held: memory.match(id).tokens.map(({ seat }) => seat) });
    this.seat = this.held[0] ?? FOLLOW;
    this.board = new Board(() => {});
    this.moments = new Moments(this.board, () => this.goOn());
    this.network = new NetworkPanel({ ask: (name, signal) => this.askNetwork(name, signal), mark: (draw) => this.markNetwork(draw), done: () => this.drawNetworkButton(), board: this.board });
  }

  async open() {
    const first = await this.frame(0);
    const game = await get(`/api/games/${encodeURIComponent(first.game)}`);
    document.title = `${first.title} · ${t("replay")} · Spielwerk`;
    this.total = first.frames - 1;
    this.slider = h("input", { type: "range", min: 0, max: this.total, value: 0, "aria-label": t("replay"), oninput: () => { this.stop(); this.go(Number(this.slider.value)); } });
    this.counter = h("span", { class: "soft small num" });
    this.playing = h("button", { class: "icon", "data-do": "play", onclick: () => (this.timer ? this.stop() : this.play()) });
    this.drawPlaying();
    this.event = h("div", { class: "turn", "aria-live": "off" });
    this.players = h("div", {});
    this.thoughts = thoughtsPanel();
    this.review = h("div", { class: "panel", tabindex: "-1", "data-review": "" });
    this.chart = h("div", { class: "panel curve", hidden: true });
    const step = (label, picture, to) => h("button", { class: "icon", "aria-label": t(label), title: t(label), "data-do": label, onclick: () => { this.stop(); this.go(to()); } }, icon(picture));
    const view = first.players.length > 1 ? h("label", { class: "buttons small soft" }, t("perspective"), h("select", { style: "width:auto", onchange: (event) => { this.seat = Number(event.target.value); this.go(this.number); } },
      options([[String(FOLLOW), t("follow")], [String(SPECTATOR), t(game.hidden ? "all-open" : "spectator")], ...first.players.map((player) => [String(player.seat), seatAndName(player, this.held)])], String(this.seat)))) : null;
    this.root.append(h("div", { class: "table filmed" },
      h("div", { class: "heading" }, h("h1", {}, first.title), this.counter),
      this.event, this.board.element,
      h("div", { class: "film" },
        h("div", { class: "steps" }, step("first", "first", () => 0), step("back", "back", () => this.number - 1), this.playing, step("forward", "next", () => this.number + 1), step("last", "last", () => this.total)),
        this.slider, h("div", { class: "buttons" }, speedChoice(), view, h("span", { class: "looks" }, lookFields(game, () => this.lookAgain())))),
      h("div", { class: "buttons actions" },
        h("button", { class: "button", "data-do": "what-if", onclick: () => this.whatIf() }, icon("branch"), t("what-if")),
        h("a", { class: "button", href: `/api/matches/${this.id}/record`, download: "", "data-do": "download" }, icon("down"), t("download")),
        this.networkButton = h("span", { hidden: true }),
        h("button", { class: "button plain", onclick: () => copy(`${location.origin}/replay/${this.id}`) }, icon("link"), t("share")),
        h("button", { class: "button plain", "data-do": "again", onclick: () => this.branch(0) }, icon("again"), againName(game)),
        this.held.length ? analysisLink(first.game, t("analysis-own"), "button plain") : null),
      this.chart,
      h("aside", { class: "side" }, this.network.element, this.review, this.thoughts, h("div", { class: "panel" }, h("h2", {}, t("scores")), this.players))));
    this.review.append(h("h2", {}, t("review-title")), h("p", { class: "soft small" }, t("review-text")), h("div", { class: "buttons", style: "margin-top:12px" }, h("button", { class: "button main", "data-do": "review", onclick: () => this.startReview() }, icon("curve"), t("review-start"))));
    this.onKey = (event) => {
      if (this.moments.key(event)) return;
      if (event.target.closest?.("input, select, dialog") || event.ctrlKey || event.metaKey) return;
      const to = { ArrowLeft: this.number - 1, ArrowRight: this.number + 1, Home: 0, End: this.total }[event.key];
      if (to !== undefined) { event.preventDefault(); this.stop(); this.go(to); }
    };
    document.addEventListener("keydown", this.onKey);
    networksFor(first.game, first.players.length, first.variant).then((found) => { this.network.offer(found); this.drawNetworkButton(); });
    await this.go(location.hash === "#review" ? this.total : 0);
    if (location.hash === "#review") this.startReview();
  }

  leave() {
    this.left = true;
    this.stop();
    this.moments.end();
    this.network.leave();
    clearTimeout(this.poll);
    document.removeEventListener("keydown", this.onKey);
  }

  // The picture after so many events, from the place of a seat. One that could not be fetched is asked for again.
  frame(number, seat = this.seat) {
    const key = `${number}/${seat}`;
    if (!this.frames.has(key)) {
      if (this.frames.size > 200) this.frames.clear();
      const asked = get(`/api/matches/${this.id}/frames/${number}?seat=${seat}`);
      asked.catch(() => this.frames.delete(key));
      this.frames.set(key, asked);
    }
    return this.frames.get(key);
  }

  // The visitor wants other cards or colours: pictures and names come again from the server.
  lookAgain() {
    this.frames.clear();
    this.network.forget();
    this.go(this.number, this.decision);
    if (this.judged) this.startReview();
  }

  // Show the picture after so many events; `decision`: one that was made there, seen by who made it.
  async go(number, decision = null) {
    number = Math.min(Math.max(number, 0), this.total);
    this.number = number;
    this.decision = decision;
    let frame;
    try { frame = await this.frame(number, decision?.seat); } catch (problem) { this.stop(); complain(problem); return; }
    if (this.left || this.number !== number || this.decision !== decision) return;
    this.slider.value = number;
    this.counter.textContent = t("frame-of", { n: number, all: this.total });
    this.slider.setAttribute("aria-valuetext", this.counter.textContent);
    this.moments.end();
    const slow = slowness();
    if (frame.moment && !decision && (slow || !this.timer)) this.moments.show(frame.moment, slow);
    this.board.show(frame.svg, [], this.step(frame));
    this.shown = frame;
    this.board.element.dataset.number = number;
    const scene = { ...frame, held: this.held };
    const said = frame.happened ? lines(frame.happened, scene) : [t("opening")];
    if (frame.moment?.table.length) said.splice(1); // the table says it
    const text = [...said, frame.moment?.title].filter(Boolean).join(" · ");
    this.event.textContent = text;
    say(text);
    this.players.replaceChildren(scoreboard(scene));
    showThoughts(this.thoughts, frame);
    if (number < this.total) this.frame(number + 1).catch(() => {});
    this.markDecision();
    this.network.update();
  }

  // What glides on the way from the frame that was shown to this one: forward as it happened, backward the other way.
  step(frame) {
    const { shown } = this;
    if (!shown || shown.seat !== frame.seat || Math.abs(shown.number - frame.number) !== 1) return null;
    if (shown.number < frame.number) return frame.came;
    const back = {};
    for (const [name, sources] of Object.entries(shown.came)) for (const source of sources) back[source] = [name];
    return back;
  }

  play() {
    if (this.number >= this.total) this.number = -1;
    this.timer = setTimeout(() => this.forward(), 0);
    this.drawPlaying();
  }

  // The next picture of a film that plays.
  async forward() {
    await this.go(this.number + 1);
    if (this.number >= this.total || this.left) this.stop();
    else if (this.timer) {
      const { moment } = this.shown;
      this.timer = setTimeout(() => this.forward(), Math.max((moment ? 1000 * moment.seconds : STEP) * slowness(), SHORTEST));
    }
  }

  // The viewer has seen enough of a moment.
  goOn() {
    this.moments.end();
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.forward();
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.playing) this.drawPlaying();
  }

  drawPlaying() {
    this.playing.setAttribute("aria-label", t(this.timer ? "pause" : "film-play"));
    this.playing.replaceChildren(icon(this.timer ? "pause" : "play"));
  }

  async whatIf() {
    const { actors } = this.shown;
    const mine = this.decision?.seat ?? this.held.find((seat) => actors.includes(seat));
    await this.branch(this.number, mine ?? actors[0] ?? this.held[0] ?? 0);
  }

  async branch(number, seat = this.held[0] ?? 0) {
    try { const made = await start(`/api/matches/${this.id}/branch`, { number, seat }); go(`/table/${made.match}`); } catch (problem) { complain(problem); }
  }

  // --- looking into a network ---

  drawNetworkButton() {
    this.networkButton.hidden = !this.network.offered;
    redraw(this.networkButton, [this.network.button()]);
  }

  // What a network says to the seat that decides here: the one from whose place it is seen, or else the first.
  askNetwork(name, signal) {
    const { actors, seat, number } = this.shown;
    if (!actors.length) return null;
    return get(`/api/matches/${this.id}/network?${new URLSearchParams({ network: name, number, seat: actors.includes(seat) ? seat : actors[0] })}`, {}, signal);
  }

  // Marks of a network on the board, as long as its panel is open; the judgement of the decision is marked otherwise.
  markNetwork(draw) {
    this.board.clearMarks();
    if (draw) draw();
    else if (this.judged) this.markDecision();
  }

  // --- review ---

  async startReview() {
    try {
      this.judged = await post(`/api/matches/${this.id}/review`);
    } catch (problem) {
      if (this.left) return;
      if (this.judged && !(problem instanceof Refused)) this.poll = setTimeout(() => this.startReview(), LATER); // the server is away
      else complain(problem);
      return;
    }
    if (this.left) return;
    this.drawReview();
    if (this.judged.done < 1) this.poll = setTimeout(() => this.startReview(), SOON);
    else this.markDecision();
  }

  drawReview() {
    const { judged: review } = this;
    const scrolled = this.review.querySelector(".all")?.scrollTop ?? 0, above = this.review.scrollTop;
    const running = review.done < 1;
    const all = review.judgements;
    const parts = [h("h2", {}, t("review-title"))];
    if (running) parts.push(h("p", { class: "soft small" }, t("review-running", { n: review.judged, all: review.decisions })), h("div", { class: "meter" }, h("i", { style: `width:${100 * review.done}%` })));
    else if (review.judged < review.decisions) parts.push(h("p", { class: "soft small" }, t("review-sample", { n: review.judged, all: review.decisions })));
    if (!running) {
      const tally = ["best", "good", ...BAD].map((kind) => [kind, all.filter((one) => one.verdict === kind).length]).filter(([, count]) => count);
      parts.push(h("div", { class: "tally" }, tally.map(([kind, count]) => h("span", { class: `is-${kind}` }, h("b", {}, count), ` ${t(`verdict:${kind}`)}`))));
      parts.push(h("h3", { style: "margin:16px 0 6px" }, t("worst-three")));
      parts.push(review.worst.length ? h("div", { class: "verdicts", "data-worst": "" }, review.worst.map((place) => this.line(all[place], "worst"))) : h("p", { class: "soft small" }, t("no-mistakes")));
    }
    parts.push(h("h3", { style: "margin:16px 0 6px" }, t("decisions")), h("div", { class: "verdicts all" }, all.map((one) => this.line(one, "decision"))));
    if (review.agent) parts.push(h("p", { class: "soft small", style: "margin-top:10px;overflow-wrap:anywhere" }, t("advice-by", { agent: review.agent })));
    redraw(this.review, parts, this.review);
    this.review.querySelector(".all").scrollTop = scrolled;
    this.review.scrollTop = above;
    this.review.dataset.done = review.done;
    this.drawCurve();
  }

  drawCurve() {
    this.chart.hidden = !this.judged.judgements.some((one) => one.value !== null);
    if (!this.chart.hidden) this.chart.replaceChildren(h("p", { class: "label" }, this.unit()), ...this.curve());
  }

  unit() { return capital(unitName(this.judged.unit, this.judged.within)); }

  curve() {
    const { judged: review } = this;
    const seats = [...new Set(review.judgements.map(({ seat }) => seat))];
    const known = review.judgements.filter((one) => one.value !== null);
    const lines = seats.map((seat) => { const own = known.filter((one) => one.seat === seat); return { label: seatName(seat), xs: own.map((one) => one.number), ys: own.map((one) => one.value) }; });
    const dots = known.filter((one) => BAD.includes(one.verdict)).map((one) => ({ x: one.number, y: one.value, kind: one.verdict, big: one.verdict === "blunder", title: `${t(`verdict:${one.verdict}`)}: ${nameOf(one, one.move)}`, pick: () => this.go(one.number, one) }));
    const drawn = lineChart({ label: this.unit(), lines, dots, area: seats.length === 1, marker: Math.min(Math.max(this.number, known[0].number), known.at(-1).number), range: review.unit === "win" ? [0, 1] : null, formatY: review.unit === "win" ? (value) => percent(value) : compact, across: t("curve-moves"), small: true });
    return seats.length > 1 ? [drawn, legend(lines)] : [drawn];
  }

  line(one, list) {
    const { unit, judgements } = this.judged;
    const who = judgements.some(({ seat }) => seat !== one.seat) ? `${seatName(one.seat)}: ` : "";
    const lost = one.lost && BAD.includes(one.verdict) ? (unit === "win" ? t("lost-win", { n: percent(one.lost, 1) }) : t("lost-points", { n: points(one.lost) })) : "";
    const better = one.move !== one.best ? t("better-was", { move: nameOf(one, one.best) }) : "";
    return h("button", { class: `verdict is-${one.verdict}`, "data-number": one.number, "data-seat": one.seat, "data-do": `${list}-${one.number}-${one.seat}`, "aria-current": one === this.here() ? "true" : null, onclick: () => this.go(one.number, one) },
      h("span", { class: "soft num" }, one.number), h("span", {}, who, capital(nameOf(one, one.move)), h("span", { class: "how" }, better)), h("span", { class: "num" }, h("span", { class: "word" }, t(`verdict:${one.verdict}`)), lost ? h("span", { class: "how" }, lost) : null));
  }

  // The decision that follows this picture: the one that was picked, or else that of the seat from whose place it is seen.
  here() {
    const made = this.judged.judgements.filter(({ number }) => number === this.number);
    const seat = this.decision?.seat ?? this.shown?.seat;
    return made.find((one) => one.seat === seat) ?? made[0];
  }

  // On the board: what that decision was worth.
  markDecision() {
    if (!this.judged) return;
    const one = this.here();
    const played = one?.actions.find(({ move }) => move === one.move)?.action;
    if (one && one.seat === this.shown.seat && this.judged.unit !== "rank") this.board.values(one.actions, this.judged.unit, played);
    for (const line of this.review.querySelectorAll(".verdict")) {
      if (one && Number(line.dataset.number) === one.number && Number(line.dataset.seat) === one.seat) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    }
    this.drawCurve();
  }
}

// A move of a decision in words.
const nameOf = (one, move) => one.actions.find((each) => each.move === move)?.name ?? move;
