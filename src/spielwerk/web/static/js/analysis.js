// How the visitor came to his points in a game, beside the agents of its ladder: as the game declares it, in tables and pictures.

import { get, post } from "./api.js";
import { bars, legend, spans } from "./chart.js";
import { h, icon, memory, nothing, options } from "./dom.js";
import { capital, compact, number, percent, points, t } from "./i18n.js";
import { newMatch } from "./newmatch.js";

const SOON = 700; // milliseconds until the next look at agents that still play
const MOST = 400; // seats that the server looks at together

export const analysisPath = (game) => `/analysis/${encodeURIComponent(game)}`;

// A link from a match or a list of matches.
export const analysisLink = (game, text, style = "button") => h("a", { class: style, href: analysisPath(game), "data-nav": "", "data-do": "analysis", "data-analysis": game }, icon("bars"), text);

// Links for the games of which this browser holds seats in finished matches.
export function analysisLinks(matches, kept) {
  const games = new Map(matches.filter(({ match, status }) => status === "over" && kept[match]?.tokens?.length).map(({ game, title }) => [game, title]));
  if (!games.size) return null;
  return h("div", { class: "buttons" }, [...games].map(([game, title]) => analysisLink(game, t("analysis-of", { game: title }))));
}

export async function show(root, place) {
  const page = new Analysis(root, decodeURIComponent(place));
  await page.open();
  return () => page.leave();
}

class Analysis {
  constructor(root, id) { Object.assign(this, { root, id, agents: [], done: false }); }

  get path() { return `/api/games/${encodeURIComponent(this.id)}/profiles`; }

  async open() {
    const held = Object.entries(memory.matches()).flatMap(([match, { tokens = [] }]) => tokens.map(({ token }) => ({ match, token }))).slice(0, MOST);
    const [game, own] = await Promise.all([get(`/api/games/${encodeURIComponent(this.id)}`), post(this.path, { seats: held })]);
    this.own = own;
    document.title = `${t("analysis")}: ${game.title} · Spielwerk`;
    // Who has not played yet sees what agents do.
    this.tables = own.length ? own : [{ variant: game.offered, seats: game.seats[0], rules: game.variants.find(({ name }) => name === game.offered).title, profile: null }];
    const named = ({ rules, seats, profile }) => [rules, game.seats.length > 1 ? (seats === 1 ? t("one-seat") : t("seats", { n: seats })) : null, profile ? t("match-count", { n: number(profile.matches) }) : null].filter(Boolean).join(" · ");
    this.note = h("p", { class: "soft small", "aria-live": "polite" });
    this.key = h("div", {});
    this.body = h("div", { class: "analysis" });
    this.root.append(
      h("section", { class: "hero" }, h("h1", {}, t("analysis-title", { game: game.title })), h("p", {}, t(own.length ? "analysis-text" : "analysis-none")),
        h("div", { class: "buttons" },
          own.length > 1 ? h("label", { class: "buttons small soft" }, t("table-kind"), h("select", { style: "width:auto", "data-do": "table-kind", onchange: (event) => this.choose(Number(event.target.value)) }, options(this.tables.map((table, place) => [String(place), named(table)]), "0"))) : h("span", { class: "tag" }, named(this.tables[0])),
          h("button", { class: "button plain", "data-do": "new", onclick: () => newMatch(game) }, icon("dice"), t("new-match")))),
      this.key, this.body, this.note);
    this.choose(0);
  }

  leave() {
    this.left = true;
    clearTimeout(this.poll);
  }

  choose(place) {
    clearTimeout(this.poll);
    this.table = this.tables[place];
    Object.assign(this, { agents: [], done: false, problem: null });
    this.draw();
    this.ask(this.table);
  }

  // What agents do at such a table; they may still have to play.
  async ask(table) {
    try {
      const found = await get(`${this.path}?${new URLSearchParams({ seats: table.seats, variant: table.variant })}`);
      if (this.left || table !== this.table) return;
      const more = found.agents.length !== this.agents.length;
      Object.assign(this, found);
      if (more || found.done) this.draw();
      if (!found.done) this.poll = setTimeout(() => this.ask(table), SOON);
    } catch (problem) {
      if (this.left || table !== this.table) return;
      Object.assign(this, { done: true, problem });
      this.draw();
    }
  }

  draw() {
    const { profile } = this.table;
    const all = [...(profile ? [{ label: t("you"), colour: "var(--accent)", profile }] : []), ...this.agents.map(({ strength, agent, profile: made }, n) => ({ label: capital(strength), colour: shade(n / Math.max(this.agents.length - 1, 1)), agent, profile: made }))];
    this.body.dataset.done = this.done ? "1" : "0";
    this.note.replaceChildren(...[
      this.done ? null : h("span", { class: "buttons" }, h("span", { class: "spin" }), t("analysis-playing")),
      this.agents.length ? t("analysis-agents", { agents: this.agents.map(({ strength, agent, profile: { matches } }) => `${capital(strength)} (${agent}): ${number(matches)}`).join(", ") }) : null,
      profile ? ` ${t("analysis-left-out")}` : null].filter(Boolean));
    if (!all.length) { this.key.replaceChildren(); this.body.replaceChildren(...(this.done ? [nothing(t(this.problem ? "went-wrong" : "no-results"))] : [])); return; }
    this.key.replaceChildren(legend(all));
    this.body.replaceChildren(this.drawPoints(all), ...titles(all).map((title) => this.drawPart(title, all)));
  }

  drawPoints(all) {
    const rows = [
      ["matches", ({ matches }) => number(matches)], ["mean", (profile) => mean(profile.mean)], ["median", ({ median }) => points(median)], ["best", ({ best }) => points(best)], ["worst", ({ worst }) => points(worst)],
      ["sd", ({ sd }) => (sd === null ? "–" : mean(sd))],
      ...(all.some(({ profile }) => profile.win_share !== null) ? [["win-share", ({ win_share: won }) => (won === null ? "–" : percent(won))]] : []),
    ];
    const span = ({ label, colour, profile: { mean: middle, median, sd, worst, best } }) => ({ label, colour, low: worst, high: best, from: Math.max(middle - (sd ?? 0), worst), to: Math.min(middle + (sd ?? 0), best), mean: middle, median });
    return panel(t("analysis-points"), spans({ label: t("analysis-points"), rows: all.map(span), format: points }),
      h("p", { class: "soft small" }, t("analysis-span")), table(t("analysis-points"), all, rows.map(([key, write]) => [capital(t(key)), null, all.map(({ profile }) => write(profile))])));
  }

  drawPart(title, all) {
    const parts = all.map(({ profile }) => profile.parts.find((part) => part.title === title));
    const { share } = parts.find(Boolean);
    const labels = [...new Set(parts.flatMap((part) => part?.labels ?? []))];
    const notes = new Map(parts.flatMap((part) => part?.labels.map((label, i) => [label, part.notes[i]]) ?? []));
    const figure = (part, label) => part?.figures[part.labels.indexOf(label)] ?? (share && part ? 0 : null); // a step that nobody reached
    const known = parts.flatMap((part) => part?.figures ?? []);
    const write = (value) => (value === null ? "–" : share ? percent(value) : mean(value, Math.max(...known.map(Math.abs)) < 3 ? 2 : 1));
    const groups = all.map(({ label, colour }, i) => ({ label, colour, values: labels.map((name) => figure(parts[i], name)) }));
    return panel(capital(title), bars({ label: title, labels: labels.map(capital), groups, format: write, most: share ? 1 : null, axis: share ? percent : compact }),
      table(title, all, labels.map((name, i) => [capital(name), notes.get(name), groups.map(({ values }) => write(values[i]))])));
  }
}

// The stronger an agent, the deeper its colour.
const shade = (depth) => `color-mix(in srgb, var(--gold) ${Math.round(42 + 58 * depth)}%, var(--surface))`;

// A mean beside others: with as many digits, unless it is large.
const mean = (value, digits = 1) => number(value, Math.abs(value) < 1000 ? digits : 0);

// The pieces of all profiles, in their order.
const titles = (all) => [...new Set(all.flatMap(({ profile }) => profile.parts.map(({ title }) => title)))];

const panel = (title, ...parts) => h("section", { class: "panel", "data-part": title }, h("h2", {}, title), ...parts);

function table(label, all, rows) {
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, h("table", { class: "compared" },
    h("thead", {}, h("tr", {}, h("td", {}), all.map(({ label: who, agent }) => h("th", { scope: "col", title: agent }, who)))),
    h("tbody", {}, rows.map(([name, note, cells]) => h("tr", {}, h("th", { scope: "row" }, name, note ? h("small", {}, note) : null), cells.map((cell) => h("td", { class: "num" }, cell)))))));
}
