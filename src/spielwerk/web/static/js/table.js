// The table: one live match over a WebSocket.

import { analysisLink } from "./analysis.js";
import { admin, complain, get, post, server, start } from "./api.js";
import { Board, bar, scale } from "./board.js";
import { confirmed } from "./confirm.js";
import { h, icon, memory, nothing, options, redraw, say, toast } from "./dom.js";
import { capital, language, number, percent, points, side, t, unitName, worth } from "./i18n.js";
import { lookFields } from "./looks.js";
import { go, markPage } from "./main.js";
import { NetworkPanel, networksFor } from "./network.js";
import { Moments, slowness, speedChoice } from "./moments.js";
import { newMatch } from "./newmatch.js";
import { outcome } from "./outcome.js";
import { againName, lines, names, scoreboard, seatAndName, seatName } from "./people.js";
import { openRules, rulesPath } from "./rules.js";
import { noted, showThoughts, thoughtsPanel } from "./thoughts.js";

const SHOWN = 320; // milliseconds for which a scene stays at least, so that quick agents can be followed
const WAITING = 6; // scenes that wait at most; moments wait however many there are
const LOGGED = 120; // events in the list of what happened
const NORMAL_PAUSE = 0.6; // seconds between two moves of agents among themselves, at normal speed
const PACES = [["1.5", "slow"], ["0.6", "normal"], ["0.15", "fast"], ["0", "fastest"]];

export async function show(root, id) {
  await sitDown(id);
  const table = new Table(root, id);
  table.connect();
  return () => table.leave();
}

// A friend's link: /join/ID#INVITATION becomes a seat of one's own.
async function sitDown(id) {
  if (!location.pathname.startsWith("/join/")) return;
  const invitation = location.hash.slice(1);
  try {
    const seat = await post(`/api/matches/${id}/claim`, { invitation });
    memory.keep(id, { tokens: [...memory.match(id).tokens, seat] });
  } catch (problem) {
    if (!memory.match(id).tokens.length) complain(problem);
  }
  history.replaceState(null, "", `/table/${id}`);
}

class Table {
  constructor(root, id) {
    this.id = id;
    this.own = memory.match(id);
    this.queue = [];
    this.thinking = [];
    this.happened = new Map(); // number -> event, as far as this page has heard of them
    this.seen = seenBefore(id); // events whose pictures have been seen; null: nothing yet
    this.board = new Board((action) => this.play(action));
    this.moments = new Moments(this.board, () => this.goOn());
    this.speed = speedChoice();
    this.speed.hidden = true; // alone there is nothing to wait for
    this.title = h("h1", {});
    this.variant = h("span", { class: "soft small" });
    this.rules = h("a", { class: "to-rules small", hidden: true, "data-do": "rules", onclick: (event) => this.readRules(event) }, icon("book"), t("rules"));
    this.turn = h("div", { class: "turn", "data-turn": "" });
    this.result = h("div", { class: "ended" });
    this.actions = h("div", { class: "buttons actions" });
    this.players = h("div", {});
    this.thoughts = thoughtsPanel();
    this.countdown = h("div", { class: "countdown", hidden: true, "data-countdown": "", "aria-hidden": "true" }, h("i", {}));
    this.board.element.append(this.countdown);
    this.advice = h("div", { class: "panel advice", hidden: true, tabindex: "-1", "data-hint": "" });
    this.network = new NetworkPanel({ ask: (name, signal) => this.askNetwork(name, signal), mark: (draw) => this.markNetwork(draw), done: () => this.drawActions(), board: this.board });
    this.invitations = h("div", { class: "panel", hidden: true });
    this.log = h("div", { class: "log", tabindex: "0", role: "region", "aria-label": t("happened") });
    this.controls = h("div", { class: "buttons controls" });
    this.looks = h("div", { class: "looks" });
    this.waiting = h("p", { class: "empty", "aria-busy": "true" }, h("span", { class: "spin", style: "display:inline-block;vertical-align:-2px;margin-right:10px" }), "…");
    this.root = root;
    root.append(this.waiting);
    this.page = h("div", { class: "table" },
      h("div", { class: "heading" }, this.title, this.variant, h("span", { class: "settings" }, this.looks, this.speed, this.rules)),
      this.turn, this.result, this.controls, this.actions, this.board.element,
      h("aside", { class: "side" }, this.advice, this.network.element, this.invitations,
        h("div", { class: "panel" }, h("h2", {}, t("scores")), this.players), this.thoughts,
        h("div", { class: "panel told" }, h("h2", {}, t("happened")), this.log)));
    this.onKey = (event) => {
      if (document.querySelector("dialog[open]") || this.moments.key(event)) return;
      this.board.key(event);
      if (event.defaultPrevented || event.target.closest?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "h") this.hint();
      if (event.key === "u" && this.scene?.may_undo) this.undo();
    };
    document.addEventListener("keydown", this.onKey);
    this.ticker = setInterval(() => this.tick(), 100);
  }

  leave() {
    this.left = true;
    document.removeEventListener("keydown", this.onKey);
    clearInterval(this.ticker);
    clearTimeout(this.retry);
    clearTimeout(this.showing);
    this.moments.end();
    this.asking?.abort();
    this.network.leave();
    this.lost?.remove();
    if (this.socket?.readyState === WebSocket.CONNECTING) this.socket.onopen = () => this.socket.close(); // earlier is a mistake
    else this.socket?.close();
  }

  // --- connection ---

  connect(tries = 0) {
    const socket = this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/matches/${this.id}/live?language=${language}&looks=${encodeURIComponent(memory.looks())}`);
    const hello = { type: "hello", tokens: this.own.tokens.map(({ token }) => token), control: this.own.control ?? null, admin: admin(), seen: this.received ?? this.seen };
    socket.onopen = () => socket.send(JSON.stringify(hello));
    socket.onmessage = (event) => {
      tries = 0;
      this.lost?.remove();
      this.lost = null;
      this.receive(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (this.left || this.refused) return;
      this.lost ??= toast(t("reconnecting"), "", 0);
      this.retry = setTimeout(() => this.connect(tries + 1), Math.min(400 * 1.6 ** tries, 5000));
    };
  }

  // The visitor wants other cards or colours: the server draws and names everything again.
  lookAgain() {
    this.closeHint();
    this.network.forget();
    Object.assign(this.socket, { onopen: null, onmessage: null, onclose: null });
    this.socket.close();
    this.connect();
  }

  play(action) {
    clearTimeout(this.showing); // whoever plays has seen what stands there
    this.showing = null;
    this.moments.end();
    const { seat, number, countdown } = this.scene;
    this.send({ type: "act", seat, action, ...(countdown ? {} : { number }) }); // what is late against the clock counts for the next round
  }

  // The viewer has seen enough of what stands there; so has the show if it is his.
  goOn() {
    if (this.pace && this.own.control) this.send({ type: "pace" });
    this.next();
  }

  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.board.release();
  }

  receive(message) {
    if (message.type === "scene") this.enqueue(message);
    else if (message.type === "preparing") this.prepare(message);
    else if (message.type === "prepared") { this.preparing = false; this.preparation = null; if (this.scene) this.drawTurn(); if (this.asking) this.showAsking(); }
    else if (message.type === "thinking") { this.thinking = message.seats; this.since = performance.now(); this.tick(); if (this.scene) this.drawPlayers(); }
    else if (message.type === "countdown") this.count(message);
    else if (message.type === "pace") { this.pace = message; this.drawControls(); }
    else if (message.type === "problem") { toast(message.detail, "bad", 6); this.board.release(); }
    else if (message.type === "refused") this.refuse(message.detail);
  }

  // The time of a round runs: a bar on the board, and the seconds beside whose turn it is.
  count({ number, seconds, left }) {
    this.round = { number, ends: performance.now() + 1000 * left };
    const bar = h("i", { style: `animation-duration:${seconds}s;animation-delay:${left - seconds}s` });
    this.countdown.replaceChildren(bar);
    this.countdown.hidden = false;
    this.tick();
  }

  refuse(detail) {
    this.board.release();
    if (this.scene) { toast(detail, "bad"); return; }
    this.refused = true;
    this.root.replaceChildren(nothing(detail));
  }

  // What is compiled on first use. Before its rules and agents are there the match waits; only hints wait for the adviser.
  prepare({ title, what, n, of, waits }) {
    const text = t(what ? "preparing-part" : "preparing", { game: title, what, n, of });
    this.preparation = text;
    if (this.scene && !waits) {
      if (this.preparing) { this.preparing = false; this.drawTurn(); }
      if (this.asking) this.showAsking();
      return;
    }
    if (this.scene) { this.turn.replaceChildren(h("span", { class: "spin" }), text); this.preparing = true; }
    else this.waiting.replaceChildren(h("span", { class: "spin", style: "display:inline-block;vertical-align:-2px;margin-right:10px" }), text);
    say(text);
  }

  // Scenes come as they happen; quick ones wait their turn, so that every move of an agent is seen.
  enqueue(scene) {
    if (scene.number < (this.received ?? this.seen ?? 0)) { // something was taken back: what waits has not happened
      this.queue = [];
      this.seen = scene.number;
      clearTimeout(this.showing);
      this.showing = null;
    }
    this.received = scene.number;
    this.seen ??= scene.number; // who is new here has missed nothing
    this.queue.push(scene);
    const passing = this.queue.filter(({ moment }) => !moment);
    if (passing.length > WAITING) this.queue.splice(this.queue.indexOf(passing[0]), 1);
    this.learning ??= this.learn(scene.game);
    if (this.game && !this.showing) this.next();
  }

  // What must be known of the game before its first scene is shown: keys, swipes, and whether it has rules to read.
  async learn(id) {
    try { this.game = await get(`/api/games/${encodeURIComponent(id)}`); }
    catch (problem) { this.game = { keys: {}, swipes: {}, looks: [], has_rules: false }; complain(problem); }
    this.rules.hidden = !this.game.has_rules;
    this.rules.href = rulesPath(id);
    this.looks.replaceChildren(...lookFields(this.game, () => this.lookAgain()));
    if (!this.left) this.next();
    const { players, variant } = this.queue[0] ?? this.scene;
    this.network.offer(await networksFor(id, players.length, variant));
    if (!this.left && this.scene) this.drawActions();
  }

  // A plain click opens the rules over the table, so that the match stays in sight; others open the page, as links do.
  readRules(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    openRules(this.scene.game);
  }

  // The next scene, if one waits; the one that was there has been seen.
  next() {
    clearTimeout(this.showing);
    this.showing = null;
    if (this.scene) this.seen = seenNow(this.id, this.scene.number);
    const stood = this.moments.now, scene = this.queue.shift();
    this.moments.end();
    if (!scene) { if (stood) this.drawTurn(); return; }
    const hurry = scene.countdown && scene.status === "playing"; // the clock waits for nobody
    const quick = !this.scene || scene.number <= this.scene.number || this.pace || scene.players.length === 1 || hurry;
    const late = this.pace && this.queue.filter((each) => each.moment).length > 2; // a show does not wait for one who was away
    const slow = late || hurry ? 0 : this.pace ? this.pace.seconds / NORMAL_PAUSE : slowness();
    const moment = scene.number > this.seen ? scene.moment : null;
    if (moment && slow) this.moments.show(moment, slow);
    this.draw(scene);
    this.showing = setTimeout(() => this.next(), moment ? 1000 * moment.seconds * slow : this.queue.length > 3 || quick ? 0 : SHOWN * slow);
  }

  // --- drawing ---

  draw(scene) {
    const before = this.scene;
    this.scene = scene;
    if (this.page.parentNode !== this.root) {
      this.root.replaceChildren(this.page);
      if (scene.origin === "watch") markPage("/watch");
    }
    this.preparing = false;
    this.thinking = this.thinking.filter((seat) => scene.waiting.includes(seat));
    document.title = `${scene.title} · Spielwerk`;
    this.title.textContent = scene.title;
    this.variant.textContent = [scene.rules, scene.seed === null ? null : `${t("seed")} ${scene.seed}`].filter(Boolean).join(" · ");
    if (before?.number !== scene.number || before.seat !== scene.seat || !scene.legal.length) this.closeHint();
    this.board.answerTo(scene.held.length && scene.status === "playing" ? this.game : { keys: {}, swipes: {} });
    this.board.show(scene.svg, scene.legal, before && before.seat !== scene.seat ? null : before && before.number === scene.since ? scene.came : {});
    this.marks?.();
    this.board.element.dataset.number = scene.number;
    this.board.element.dataset.status = scene.status;
    this.drawPlayers();
    showThoughts(this.thoughts, scene);
    if (scene.status !== "playing") this.countdown.hidden = true;
    this.drawTurn();
    this.drawResult();
    this.drawActions();
    this.drawInvitations();
    this.drawControls();
    if (scene.players.length > 1 || scene.moment) this.speed.hidden = Boolean(this.pace);
    this.drawLog();
    this.network.update();
    if (before && before.number !== scene.number) this.board.bringIntoSight();
    const news = scene.happened.filter((event) => event.number >= (before?.number ?? Infinity)).flatMap((event) => lines(event, scene));
    if (this.moments.now) news.push(this.moments.now.title);
    if (scene.status !== "playing") news.push(outcome(scene).text);
    else if (scene.legal.length && before && !scene.countdown) news.push(t("your-turn"));
    say(news.join(". "));
  }

  // What happened, the last first: what this page has heard, also where a scene tells only of the last events.
  drawLog() {
    const { scene, happened } = this;
    for (const number of happened.keys()) if (number >= scene.number) happened.delete(number);
    for (const event of scene.happened) happened.set(event.number, event);
    const all = [...happened.values()].sort((a, b) => a.number - b.number).slice(-LOGGED).flatMap((event) => lines(event, scene));
    this.log.replaceChildren(...(all.length ? all.reverse() : [t("nothing-yet")]).map((line) => h("p", {}, line)));
  }

  drawPlayers() { this.players.replaceChildren(scoreboard(this.scene, this.thinking)); }

  drawTurn() {
    this.sayTurn();
    this.showSeconds();
  }

  sayTurn() {
    const { scene } = this;
    const others = scene.waiting.filter((seat) => !scene.held.includes(seat));
    const mine = scene.legal.length > 0;
    this.turn.className = `turn ${mine ? "mine" : ""}`;
    if (scene.status !== "playing") { this.turn.replaceChildren(); return; } // the result says so
    const title = this.moments.now?.title;
    if (title || !scene.waiting.length) { this.turn.replaceChildren(title || "\u00a0"); return; }
    if (mine) { this.turn.replaceChildren(scene.players.length === 1 ? t("your-turn") : scene.held.length > 1 ? t("their-turn", { who: seatName(scene.seat) }) : t("your-turn")); return; }
    const chose = scene.held.some((seat) => scene.players[seat].ready);
    const busy = this.thinking.filter((seat) => others.includes(seat));
    this.clock = h("span", { class: "clock num" });
    if (busy.length) this.turn.replaceChildren(h("span", { class: "spin" }), t("thinks", { who: names(scene, busy) }), this.clock);
    else this.turn.replaceChildren(t(chose ? "you-chose" : others.every((seat) => scene.players[seat].kind === "agent") ? "their-turn" : "waiting-for", { who: names(scene, others) }));
  }

  // Of the round, if it has a time.
  showSeconds() {
    if (!this.round || this.scene?.status !== "playing") return;
    if (!this.secondsLeft?.isConnected) this.turn.append(this.secondsLeft = h("span", { class: "clock num", "data-left": "" }));
    this.secondsLeft.textContent = t("seconds", { n: number(Math.max(this.round.ends - performance.now(), 0) / 1000, 1) });
  }

  tick() {
    this.showSeconds();
    if (!this.scene || this.preparing || !this.thinking.length) return;
    if (!this.clock?.isConnected) this.drawTurn();
    if (this.clock?.isConnected) this.clock.textContent = t("seconds", { n: number((performance.now() - this.since) / 1000, 1) });
  }

  drawResult() {
    const { scene } = this;
    if (scene.status === "playing") { this.result.replaceChildren(); return; }
    const again = async () => {
      try { const made = await start(`/api/matches/${this.id}/branch`, { number: 0, seat: Math.max(scene.seat, 0) }); go(`/table/${made.match}`); } catch (problem) { complain(problem); }
    };
    const { kind, text } = outcome(scene);
    this.result.replaceChildren(h("div", { class: `result ${kind}`, "data-result": kind }, h("h2", {}, text), h("div", { class: "buttons" },
      h("a", { class: "button main", href: `/replay/${this.id}#review`, "data-nav": "" }, icon("curve"), t("review")),
      h("a", { class: "button", href: `/replay/${this.id}`, "data-nav": "" }, icon("film"), t("replay")),
      h("button", { class: "button", onclick: again }, icon("again"), againName(this.game)),
      scene.held.length ? analysisLink(scene.game, t("analysis-own")) : null)));
  }

  drawActions() {
    const { scene } = this;
    const playing = scene.status === "playing";
    const seat = scene.held[0];
    const parts = [];
    if (playing && scene.held.length) parts.push(h("button", { class: "button", disabled: !scene.legal.length, "data-do": "hint", "aria-keyshortcuts": "h", "aria-busy": this.asking ? "true" : null, onclick: () => this.hint() }, this.asking ? h("span", { class: "spin" }) : icon("bulb"), t("hint")));
    if (scene.may_undo) parts.push(h("button", { class: "button", "data-do": "undo", "aria-keyshortcuts": "u", onclick: () => this.undo() }, icon("undo"), t("undo")));
    if (this.network.offered && playing && (scene.held.length || scene.origin === "watch")) parts.push(this.network.button());
    if (playing && seat !== undefined) parts.push(h("button", { class: "button plain", "data-do": "resign", onclick: async () => await confirmed(t("resign-sure"), t("resign")) && this.send({ type: "resign", seat }) }, icon("flag"), t("resign")));
    if (playing && (this.own.control || server.in_charge)) parts.push(h("button", { class: "button plain", "data-do": "stop", onclick: () => this.stop() }, icon("close"), t("end-match")));
    parts.push(h("button", { class: "button plain", "data-do": "new", onclick: async () => newMatch(await get(`/api/games/${encodeURIComponent(scene.game)}`), scene.origin === "watch") }, icon("dice"), t("new-match")));
    if (!scene.held.length) parts.unshift(h("span", { class: "soft small" }, t("no-seat")));
    redraw(this.actions, parts, this.board.element);
  }

  undo() { this.send({ type: "undo", seat: this.scene.seat }); }

  // For all who look at it: by who started a match between agents, or runs the server.
  async stop() {
    if (!(await confirmed(t("end-match-sure"), t("end-match")))) return;
    try { await post(`/api/matches/${this.id}/stop`, {}, this.own.control ? { "x-seat-token": this.own.control } : {}); } catch (problem) { complain(problem); }
  }

  drawInvitations() {
    const open = (this.own.invitations ?? []).filter(({ seat }) => !this.scene.players[seat].seated);
    this.invitations.hidden = !open.length;
    if (!open.length) return;
    this.invitations.replaceChildren(h("h2", {}, t("invite-title")), h("p", { class: "soft small" }, t("invite-text")), ...open.map(({ invitation }) => {
      const link = `${location.origin}/join/${this.id}#${invitation}`;
      return h("div", { class: "invite", style: "margin-top:10px" }, h("input", { type: "text", readonly: true, value: link, "aria-label": t("invite-title"), "data-invite": "" }),
        h("button", { class: "button", onclick: () => copy(link) }, t("copy")));
    }));
  }

  // Matches between agents: pace and point of view. Drawn again only when they change: a list that is open would close.
  drawControls() {
    const { scene, pace } = this;
    if (!scene || scene.origin !== "watch" && scene.status === "playing") { this.controls.replaceChildren(); return; }
    const shown = JSON.stringify([pace, scene.status, scene.seat]);
    if (shown === this.controls.dataset.shown) return;
    this.controls.dataset.shown = shown;
    const parts = [];
    if (pace && scene.status === "playing" && (this.own.control || server.in_charge)) {
      const nearest = PACES.reduce((a, b) => (Math.abs(b[0] - pace.seconds) < Math.abs(a[0] - pace.seconds) ? b : a))[0];
      parts.push(h("button", { class: "button main", "data-do": "pause", onclick: () => this.send({ type: "pace", paused: !pace.paused }) }, icon(pace.paused ? "play" : "pause"), t(pace.paused ? "go-on" : "pause")),
        h("select", { style: "width:auto", "data-do": "speed", "aria-label": t("speed"), onchange: (event) => this.send({ type: "pace", seconds: Number(event.target.value) }) }, options(PACES.map(([value, text]) => [value, t(text)]), nearest)));
    } else if (pace && scene.status === "playing") parts.push(h("span", { class: "soft small" }, t("not-your-show")));
    if (scene.players.length > 1) {
      const choices = [["-1", t(this.game.hidden ? "all-open" : "spectator")], ...scene.players.map((player) => [String(player.seat), seatAndName(player, scene.held)])];
      parts.push(h("label", { class: "buttons small soft" }, t("perspective"), h("select", { style: "width:auto", "data-do": "perspective", onchange: (event) => this.send({ type: "look", seat: Number(event.target.value) }) }, options(choices, String(scene.seat)))));
    }
    redraw(this.controls, parts, this.board.element);
  }

  // --- hints in two steps: where, then what ---

  closeHint() {
    if (this.advice.contains(document.activeElement)) this.board.element.focus({ preventScroll: true });
    this.advice.hidden = true;
    this.asking?.abort();
    this.asking = null;
    this.hintAt = null;
    this.marks = null;
  }

  // Marks of a hint on the board; they stay while others choose or sit down.
  mark(draw) {
    this.marks = draw;
    draw();
  }

  // Something in the panel of the hint, which a phone shows below the board.
  advise(...parts) {
    const there = this.advice.contains(document.activeElement);
    this.advice.hidden = false;
    this.advice.replaceChildren(h("h2", {}, t("hint")), ...parts.filter(Boolean));
    if (there) this.advice.focus({ preventScroll: true });
  }

  // What a network says to the seat that decides: the visitor's own, or in a match between agents the one that is seen.
  askNetwork(name, signal) {
    const { scene } = this;
    if (scene.status !== "playing") return null;
    const own = scene.legal.length > 0;
    const seat = own || scene.actors.includes(scene.seat) ? scene.seat : scene.actors[0];
    if (!own && (scene.origin !== "watch" || seat === undefined)) return null;
    const token = this.own.tokens.find((held) => held.seat === scene.seat)?.token;
    return get(`/api/matches/${this.id}/network?${new URLSearchParams({ network: name, seat, ...(own ? {} : { number: scene.number }) })}`, own ? { "x-seat-token": token } : {}, signal);
  }

  // Marks of a network on the board; a hint has its own.
  markNetwork(draw) {
    if (this.hintAt || this.asking) return;
    this.marks = draw;
    if (draw) draw();
    else this.board.clearMarks();
  }

  // Where a hint belongs: who holds several seats asks for each.
  get moment() { return `${this.scene.number}/${this.scene.seat}`; }

  showAsking() {
    this.advise(h("p", { class: "buttons soft", style: "flex-wrap:nowrap" }, h("span", { class: "spin" }), h("span", {}, this.preparation ?? t("hint-asking"))));
  }

  // Whoever asks again does not wait for the hint before: it is stopped, and the new one begins at once.
  async hint() {
    const { scene } = this;
    if (!scene?.legal.length) return;
    const step = this.hintAt === this.moment ? "what" : "where";
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    this.showAsking();
    this.drawActions();
    try {
      const token = this.own.tokens.find(({ seat }) => seat === scene.seat)?.token;
      const hint = await post(`/api/matches/${this.id}/hint`, { seat: scene.seat, step, agent: this.adviser || null }, { "x-seat-token": token }, asking.signal);
      if (asking.signal.aborted) return;
      this.asking = null;
      if (hint.number !== this.scene.number || hint.seat !== this.scene.seat || !this.scene.legal.length) this.closeHint();
      else if (step === "where") this.showWhere(hint);
      else this.showWhat(hint);
      this.drawActions();
    } catch (problem) {
      if (asking.signal.aborted) return;
      this.closeHint();
      this.drawActions();
      complain(problem);
    }
  }

  // Any agent of the ladder can be asked what it would play.
  advisers() {
    const { ladder } = this.game;
    if (!(ladder?.length > 1)) return null;
    const ask = (event) => { this.adviser = event.target.value; this.hint(); };
    return h("label", { class: "speed small soft", style: "margin:6px 0" }, t("adviser"),
      h("select", { "data-do": "adviser", onchange: ask }, options([["", t("the-adviser")], ...ladder.map(({ strength, agent }) => [agent, capital(strength)])], this.adviser ?? "")));
  }

  showWhere(hint) {
    this.hintAt = this.moment;
    const text = t(hint.look_at.length === 1 ? "hint-where-one" : "hint-where");
    this.mark(() => this.board.rings(hint.look_at));
    this.advise(h("p", {}, text), h("div", { class: "buttons", style: "margin-top:12px" }, h("button", { class: "button main", "data-do": "hint-what", onclick: () => this.hint() }, t("hint-what"))));
    this.advice.scrollIntoView({ block: "nearest" }); // with the figures it grows, but then the board should stay in sight
    say(text);
  }

  showWhat(hint) {
    this.hintAt = this.moment;
    this.mark(() => this.board.values(hint.actions, hint.unit));
    const text = sentence(hint);
    const range = scale(hint.actions), write = side(hint.actions.map((one) => one.value), hint.unit);
    const half = (one) => (one.high - one.low) / 2;
    this.advise(h("p", {}, text),
      hint.actions.length > 1 && this.advisers(),
      h("div", { class: "judged", "data-values": "" }, hint.actions.map((one) => h("div", { class: one.rank === 1 ? "best" : "" },
        h("b", {}, capital(one.name)), bar(one, range, hint.unit, hint.actions.length), h("span", { class: "num soft" }, hint.unit === "rank" ? `${one.rank}.` : `${write(one.value)}${one.low === null ? "" : ` ± ${hint.unit === "win" ? percent(half(one), 1) : points(half(one))}`}`)))),
      hint.notes.length > 0 && h("p", { class: "small", style: "margin-top:12px", "data-notes": "" }, noted(hint.notes)),
      hint.actions.length > 1 && h("p", { class: "soft small", style: "margin-top:12px" }, `${capital(unitName(hint.unit, hint.within))}, ${t("advice-by", { agent: hint.agent })}. `, hint.unit !== "rank" && hint.actions.every(({ low }) => low === null) ? t("no-interval") : ""));
    say(text);
  }
}

// How far a match has been seen in this tab: what stood on the board when it was loaded again is shown once more.
const SEEN = "spielwerk.seen";

function seenBefore(id) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(SEEN));
    return kept?.id === id ? kept.number : null;
  } catch { return null; }
}

function seenNow(id, number) {
  sessionStorage.setItem(SEEN, JSON.stringify({ id, number }));
  return number;
}

export function sentence(hint) {
  const [best, second] = hint.actions;
  const move = capital(best.name);
  if (!second) return t("hint-forced", { move });
  const other = second.name;
  if (hint.unit === "rank" || best.value === null) return t("hint-rank", { move, second: other });
  const write = side([best.value, second.value], hint.unit);
  const text = t("hint-best", { move, what: capital(unitName(hint.unit, hint.within)), worth: hint.unit === "win" ? write(best.value) : worth(best.value, hint.unit) });
  if (second.value === null) return text;
  const lead = best.value - second.value;
  const margin = Math.hypot(...[best, second].map((one) => (one.low === null ? 0 : (one.high - one.low) / 2)));
  if (lead <= margin || write(best.value) === write(second.value)) return text + t("hint-close", { second: capital(other) });
  return text + (hint.unit === "win" ? t("hint-lead-win", { second: other, worth: write(second.value) }) : t("hint-lead", { second: other, more: t("points", { n: points(lead) }) }));
}

export async function copy(text) {
  try { await navigator.clipboard.writeText(text); toast(t("copied"), "", 2); } catch { toast(text, "", 8); }
}
