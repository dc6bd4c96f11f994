// A position that somebody writes, and what a network says in it. What is asked stands in the address.

import { complain, get } from "./api.js";
import { Board } from "./board.js";
import { h, icon, nothing, options } from "./dom.js";
import { t } from "./i18n.js";
import { lookFields } from "./looks.js";
import { NetworkPanel, networksFor } from "./network.js";
import { rulesPath } from "./rules.js";

export async function show(root, place) {
  const page = new Written(root, decodeURIComponent(place));
  await page.open();
  return () => page.leave();
}

class Written {
  constructor(root, game) {
    const asked = new URLSearchParams(location.hash.slice(1));
    Object.assign(this, { root, game, wanted: asked.get("network"), position: asked.get("position") ?? "", seats: asked.get("seats"), variant: asked.get("variant") });
    this.board = new Board(() => {});
  }

  async open() {
    const game = await get(`/api/games/${encodeURIComponent(this.game)}`);
    this.variant ??= game.variants[0].name;
    this.seats ??= String(game.seats[0]);
    document.title = `${t("network")}: ${game.title} · Spielwerk`;
    this.panel = new NetworkPanel({ ask: (name, signal) => this.ask(name, signal), mark: (draw) => (draw ? draw() : this.board.clearMarks()), done: () => {}, board: this.board });
    this.text = h("textarea", { rows: 4, maxlength: "2000", spellcheck: "false", "data-do": "position", "aria-label": t("look-position") });
    this.text.value = this.position;
    const variants = h("select", { "data-do": "variant", onchange: (event) => this.choose({ variant: event.target.value }) }, options(game.variants.map(({ name, title }) => [name, title]), this.variant));
    const seats = h("select", { "data-do": "seats", onchange: (event) => this.choose({ seats: event.target.value }) }, options(game.seats.map((n) => [String(n), String(n)]), this.seats));
    this.root.append(h("div", { class: "table" },
      h("div", { class: "heading" }, h("h1", {}, game.title), h("span", { class: "settings" }, h("span", { class: "looks" }, lookFields(game, () => this.panel.update())), game.has_rules && h("a", { class: "to-rules small", href: rulesPath(game.id), "data-nav": "" }, icon("book"), t("rules")))),
      this.board.element,
      h("aside", { class: "side" }, this.panel.element,
        h("form", { class: "panel written", onsubmit: (event) => { event.preventDefault(); this.choose({ position: this.text.value.trim() }); } },
          h("h2", {}, t("look-position")), this.text, h("p", { class: "soft small" }, t("look-hint")),
          h("div", { class: "pair" }, h("label", {}, h("span", {}, t("variant")), variants), game.seats.length > 1 ? h("label", {}, h("span", {}, t("how-many")), seats) : null),
          h("div", { class: "buttons" }, h("button", { class: "button main", type: "submit", "data-do": "look" }, icon("net"), t("look-ask")))))));
    await this.offer();
  }

  leave() { this.panel?.leave(); }

  // The networks for this table.
  async offer() {
    const found = await networksFor(this.game, this.seats, this.variant);
    this.panel.offer(found);
    if (found.some(({ name }) => name === this.wanted)) this.panel.name = this.wanted;
    if (!found.length) { this.panel.element.hidden = false; this.panel.element.replaceChildren(nothing(t("network-none"))); return; }
    if (this.panel.open) await this.panel.update();
    else this.panel.toggle();
  }

  async choose(what) {
    Object.assign(this, what);
    if (what.variant || what.seats) await this.offer();
    else await this.panel.update();
  }

  async ask(network, signal) {
    const asked = { network, seats: this.seats, variant: this.variant, ...(this.position ? { position: this.position } : {}) };
    const said = await get(`/api/games/${encodeURIComponent(this.game)}/network?${new URLSearchParams(asked)}`, {}, signal);
    if (signal.aborted) return said;
    history.replaceState(null, "", `#${new URLSearchParams(asked)}`);
    this.wanted = network;
    if (!this.text.value) this.text.value = said.notation ?? "";
    this.board.show(said.svg, []);
    return { ...said, notation: null }; // it stands in the form
  }
}
