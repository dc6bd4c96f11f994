// Looking into a network: what it says of every move in a position, legal or not. It knows no game.

import { complain, get } from "./api.js";
import { h, icon, memory, options, redraw, say } from "./dom.js";
import { capital, number, share, side, t } from "./i18n.js";

const CALM = 120; // milliseconds that a picture stands before a network is asked about it

// The networks of this server for a table; none if they cannot be listed.
export async function networksFor(game, seats, variant) {
  const found = await get(`/api/games/${encodeURIComponent(game)}/networks?${new URLSearchParams({ seats, variant })}`).catch(() => []);
  return found.map((one) => ({ ...one, game, seats, variant }));
}

// The panel beside a board. `ask(name, signal)` promises what the network says, or is null where nobody decides;
// `mark(draw)` puts marks on the board (null: takes them away); `done` is told when the panel opens or closes.
export class NetworkPanel {
  constructor({ ask, mark, done, board }) {
    Object.assign(this, { ask, mark, done, board, networks: [], open: false, unfolded: false });
    this.element = h("section", { class: "panel net", hidden: true, tabindex: "-1", "data-network": "", "aria-label": t("network") });
  }

  get offered() { return this.networks.length > 0; }

  offer(networks) {
    this.networks = networks;
    const last = memory.get("network", {})[networks[0]?.game];
    this.name = networks.find(({ name }) => name === last)?.name ?? networks[0]?.name;
  }

  button() {
    return h("button", { class: "button", "data-do": "network", "aria-pressed": this.open ? "true" : "false", onclick: () => this.toggle() }, icon("net"), t("network"));
  }

  toggle() {
    this.open = !this.open;
    this.element.hidden = !this.open;
    this.done();
    if (this.open) this.update().then(() => this.element.scrollIntoView({ block: "nearest" }));
    else this.stop();
  }

  stop() {
    this.asking?.abort();
    clearTimeout(this.calm);
    this.asked = null;
    this.mark(null);
  }

  leave() {
    this.open = false;
    this.asking?.abort();
    clearTimeout(this.calm);
  }

  // What was said is said in other words or about other pieces now.
  forget() { this.asked = null; }

  choose(name) {
    const { game } = this.networks[0];
    this.name = name;
    memory.set("network", { ...memory.get("network", {}), [game]: name });
    this.update();
  }

  // Ask about the position that is shown now. Who goes on quickly asks only about where he stops.
  async update() {
    if (!this.open) return;
    this.asking?.abort();
    clearTimeout(this.calm);
    const asking = this.asking = new AbortController();
    await new Promise((stands) => { this.calm = setTimeout(stands, this.asked ? CALM : 0); });
    if (asking.signal.aborted) return;
    this.asked = true;
    this.number = this.board.element.dataset.number ?? "";
    const answer = this.ask(this.name, asking.signal);
    if (answer === null) { this.draw(null); return; }
    try {
      const said = await answer;
      if (!asking.signal.aborted) this.draw(said);
    } catch (problem) {
      if (asking.signal.aborted) return;
      this.draw(null);
      if (problem.status !== 409) complain(problem); // the match has moved on
    }
  }

  draw(said) {
    const choices = this.networks.map(({ name, title, heads }) => [name, `${title} (${heads.map((head) => t(`head-${head}`)).join(", ")})`]);
    const parts = [h("h2", {}, t("network")),
      h("label", {}, h("span", {}, t("network-which")), h("select", { "data-do": "network-choice", onchange: (event) => this.choose(event.target.value) }, options(choices, this.name)))];
    if (said === null) parts.push(h("p", { class: "soft small" }, t("network-nobody")));
    else parts.push(...this.answer(said));
    redraw(this.element, parts, this.element);
    this.element.dataset.said = said === null ? "" : said.network;
    this.element.dataset.number = this.number; // of the position that it is about
    this.mark(said === null ? null : () => marks(this.board, said));
    if (said?.best !== null && said !== null) say(t("network-best", { move: nameOf(said, said.best) }));
  }

  answer(said) {
    const legal = said.actions.filter((one) => one.legal), others = said.actions.filter((one) => !one.legal);
    const masked = others.reduce((sum, one) => sum + (one.before ?? 0), 0);
    const parts = [];
    if (said.value !== null) parts.push(h("p", { class: "worth" }, t("network-value"), " ", h("b", { class: "num" }, written([said.value], said.unit)(said.value)), " ", h("span", { class: "soft small" }, t(said.unit === "win" ? "unit-win" : `to-come-${said.unit}`))));
    if (said.best === null) parts.push(h("p", { class: "soft small" }, t("network-knows-none")));
    parts.push(table(said, legal, "legal"));
    for (const { key } of columns(said).filter(({ key }) => key === "q" || key === "left")) parts.push(h("p", { class: "soft small" }, t(`${key}-${said.unit}`)));
    if (others.length) {
      const told = said.actions.some((one) => one.before !== null) ? t("network-masked", { n: others.length, share: share(masked) }) : t("network-illegal", { n: others.length });
      parts.push(h("details", { open: this.unfolded, ontoggle: (event) => { this.unfolded = event.target.open; } }, h("summary", { "data-do": "illegal" }, told), h("div", {}, table(said, others, "illegal"))));
    }
    const { game, seats, variant } = this.networks[0];
    if (said.notation) parts.push(h("p", { class: "small" }, h("a", { href: `/look/${encodeURIComponent(game)}#${new URLSearchParams({ network: said.network, position: said.notation, seats, variant })}`, "data-nav": "", "data-do": "notation", class: "to-rules" }, icon("link"), t("network-written"))));
    return parts;
  }
}

// One row per move: a bar, then the figures that this network gives.
function table(said, rows, kind) {
  const given = columns(said);
  const most = Math.max(...said.actions.flatMap(({ before, after }) => [before ?? 0, after ?? 0]), 1e-9);
  const values = given.filter(({ key }) => key === "q" || key === "left");
  return h("table", { class: kind, "data-moves": kind },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("network-move")), h("th", { class: "bars", scope: "col", "aria-label": t("network-bars") }), given.map(({ title, key }) => h("th", { scope: "col", "data-key": key }, title)))),
    h("tbody", {}, rows.map((one) => h("tr", { class: one.action === said.best ? "best" : "", "data-action-said": one.action },
      h("th", { scope: "row", title: one.name }, capital(one.name)),
      h("td", { class: "bars" }, one.before === null ? values.map((column) => valueBar(one, said, column)) : h("div", { class: "twobars" }, h("i", { style: `width:${(100 * one.before) / most}%` }), one.after > 0 && h("b", { style: `width:${(100 * one.after) / most}%` }))),
      given.map(({ key, write }) => h("td", { class: "num" }, one[key] === null ? "–" : write(one[key])))))));
}

// A value between the lowest and the highest that any move has.
function valueBar(one, said, { key }) {
  const known = said.actions.filter((each) => each[key] !== null).map((each) => each[key]);
  const low = Math.min(...known), wide = Math.max(...known) - low || 1;
  return h("div", { class: "twobars" }, one[key] === null ? null : h("b", { style: `width:${8 + (92 * (one[key] - low)) / wide}%` }));
}

function columns(said) {
  const has = (key) => said.actions.some((one) => one[key] !== null);
  const form = (key) => written(said.actions.map((one) => one[key]), said.unit);
  return [
    has("before") && { key: "before", title: t("network-before"), write: share },
    has("before") && { key: "after", title: t("network-after"), write: share },
    has("q") && { key: "q", title: "Q", write: form("q") },
    has("left") && { key: "left", title: t("network-left"), write: form("left") },
  ].filter(Boolean);
}

// How values of a unit are written beside each other.
function written(values, unit) {
  if (unit === "win") return share;
  if (Math.max(...values.map((value) => Math.abs(value ?? 0))) >= 1000) return side(values, unit);
  return (value) => `${unit === "lead" && value > 0 ? "+" : ""}${number(value, 1)}`;
}

// On the board: what decides between the legal moves.
function marks(board, said) {
  const key = ["after", "q", "left"].find((each) => said.actions.some((one) => one.legal && one[each] !== null));
  if (!key) { board.clearMarks(); return; }
  const judged = said.actions.filter((one) => one.legal && one[key] !== null).map((one, place) => ({ action: one.action, value: one[key], rank: place + 1, low: null, high: null }));
  board.values(judged, key === "after" ? "win" : said.unit);
}

const nameOf = (said, action) => capital(said.actions.find((one) => one.action === action)?.name ?? "");
