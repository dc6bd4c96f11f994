// One evaluation or tournament: how it stands while it runs, what came out, how to stop it and go on with it.

import { complain, get, post, server } from "./api.js";
import { histogram } from "./chart.js";
import { h, memory, redraw, say } from "./dom.js";
import { ago, compact, number, percent, points, t } from "./i18n.js";
import { go } from "./main.js";

const BUSY = ["waiting", "running", "stopping"], HALTED = ["stopped", "interrupted", "failed"];
export const busy = (job) => BUSY.includes(job.state);

// Start a job or go on with one, and remember the token that stops it.
export async function begun(path, body, proof) {
  const { token, ...job } = await post(path, body, proof);
  if (token) memory.keepJob(job.id, token);
  return job;
}

// A card that stays in the page and is brought up to date, so that nobody loses the focus while figures change.
export class Card {
  constructor(job, games, opened) {
    this.id = job.id;
    this.opened = opened; // called when the visitor opens it
    this.title = `${games.find(({ id }) => id === job.game)?.title ?? job.game} · ${t(job.kind)}`;
    this.buttons = h("div", { class: "buttons", style: "flex:none" });
    this.status = h("div", { class: "status" });
    this.body = h("div", { class: "outcome", hidden: true, id: `outcome-${job.id}` });
    this.element = h("article", { class: "panel" },
      h("div", { class: "buttons", style: "justify-content:space-between;flex-wrap:nowrap;align-items:flex-start" },
        h("div", { style: "min-width:0" }, h("h3", {}, this.title), h("p", { class: "spec-text" }, job.title)), this.buttons),
      this.status, this.body);
    this.update(job);
  }

  get open() { return !this.body.hidden; }

  // What the list knows must not replace what is known in more detail.
  update(job) {
    const before = this.job;
    if (before && before.state === job.state && before.result && !job.result) job = { ...job, result: before.result };
    this.job = job;
    if (before?.state !== job.state) {
      this.element.dataset.job = job.state;
      this.drawButtons();
      if (before && busy(before) && !busy(job)) say(`${this.title}: ${t(`state:${job.state}`)}`);
    }
    this.drawStatus();
    if (this.open && before?.result !== job.result && JSON.stringify(before?.result) !== JSON.stringify(job.result)) this.drawBody();
  }

  show(open) {
    this.body.hidden = !open;
    this.toggle?.setAttribute("aria-expanded", open);
    if (!open) return;
    this.drawBody();
    this.opened(this);
  }

  drawButtons() {
    const { job } = this;
    const token = memory.job(this.id);
    const ask = (what) => async () => { try { this.update(await begun(`/api/jobs/${this.id}/${what}`, {}, token ? { "x-job-token": token } : {})); this.opened(this); } catch (problem) { complain(problem); } };
    this.toggle = h("button", { class: "icon", "data-do": "toggle", "aria-label": `${t("results")}: ${this.title}`, "aria-expanded": String(this.open), "aria-controls": this.body.id, onclick: () => this.show(!this.open) }, "▾");
    redraw(this.buttons, [
      (token || server.in_charge) && (job.state === "waiting" || job.state === "running") ? h("button", { class: "button plain", "data-do": "stop-job", onclick: ask("stop") }, t("stop")) : null,
      (token || !job.held || server.in_charge) && HALTED.includes(job.state) ? h("button", { class: "button", "data-do": "go-on", onclick: ask("go-on") }, t("go-on")) : null,
      this.toggle], this.toggle);
  }

  drawStatus() {
    const { job } = this;
    const meter = h("div", { class: "meter", role: "progressbar", "aria-label": this.title, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(Math.floor(100 * job.done)) }, h("i", { style: `width:${100 * job.done}%` }));
    const line = job.state === "running" ? job.line : t(`state:${job.state}`);
    const parts = busy(job) || HALTED.includes(job.state) ? [meter, h("p", { class: "soft small num" }, [percent(job.done, 1), line].filter(Boolean).join(" · "))] : [h("p", { class: "soft small" }, ago(job.created))];
    if (job.state === "interrupted") parts.push(h("p", { class: "small" }, t("interrupted-text")));
    if (job.problem) parts.push(h("p", { class: "small", style: "color:var(--bad)" }, job.problem));
    this.status.replaceChildren(...parts);
  }

  drawBody() {
    const { job } = this;
    if (!job.result) { this.body.replaceChildren(h("p", { class: "soft small" }, t("nothing-played"))); return; }
    if (!this.tables) {
      this.tables = h("div", {});
      this.replay = replayMatch(job);
    }
    this.tables.replaceChildren(...(job.kind === "evaluation" ? evaluation(job.result) : tournament(job.result)));
    this.replay.hidden = job.result.run === null || job.result.run === undefined;
    if (this.tables.parentNode !== this.body) this.body.replaceChildren(this.tables, this.replay);
  }
}

// Matches that repeat others say nothing new; old results do not know how many did.
const remark = ({ repeated, distinct }, matches) => (repeated ? h("p", { class: "small", "data-remark": "repeats" }, t("repeats", { matches: number(matches), distinct: number(distinct) })) : null);
const figure = (value, label) => h("div", {}, h("b", {}, value), h("span", {}, label));
const span = (interval, format) => (interval ? `${format(interval[0])} – ${format(interval[1])}` : "–");
const share = (interval) => span(interval?.map((value) => Math.min(Math.max(value, 0), 1)), (value) => percent(value));

function evaluation(result) {
  return [
    remark(result, result.games),
    h("div", { class: "figures" },
      figure(points(result.mean), t("mean")), figure(span(result.ci95, compact), t("interval")), figure(points(result.median), t("median")),
      figure(points(result.max), t("best")), figure(points(result.min), t("worst")),
      result.win_share === null ? null : figure(percent(result.win_share, 1), t("win-share")),
      result.win_share === null ? null : figure(share(result.win_ci95), t("win-interval")),
      figure(number(result.games), t("matches")), figure(compact(result.decisions_per_second), t("per-second"))),
    h("p", { class: "label" }, t("histogram")), histogram({ label: t("histogram"), ...result.histogram })].filter(Boolean);
}

function tournament(result) {
  const { standings, cross_table: cross } = result;
  if (!standings.length) return [h("p", { class: "soft small" }, t("nothing-played"))];
  const cells = new Map(cross.map((cell) => [`${cell.first}|${cell.second}`, cell]));
  const shade = ({ win_share: won }) => `background:color-mix(in srgb, ${won >= 0.5 ? "var(--good)" : "var(--bad)"} ${Math.round(60 * Math.abs(won - 0.5))}%, transparent)`;
  return [
    remark(result, result.matches),
    h("p", { class: "label" }, t("standings")),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("standings") }, h("table", {},
      h("thead", {}, h("tr", {}, [t("agent"), t("win-share"), t("interval"), t("score-mean"), t("interval"), t("rating"), t("matches")].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, standings.map((standing, place) => h("tr", {}, h("th", { scope: "row" }, h("strong", {}, `${place + 1}. `), standing.agent), h("td", {}, percent(standing.win_share, 1)), h("td", { class: "soft" }, share(standing.ci95)), h("td", {}, points(standing.mean_score)), h("td", { class: "soft" }, span(standing.score_ci95, compact)), h("td", {}, number(standing.rating, 1)), h("td", {}, number(standing.matches))))))),
    h("p", { class: "label", style: "margin-top:16px" }, `${t("cross-table")}: ${t("cross-hint")}`),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("cross-table") }, h("table", { class: "cross" },
      h("thead", {}, h("tr", {}, h("th", {}), standings.map((standing, place) => h("th", { scope: "col", title: standing.agent }, `${place + 1}.`)))),
      h("tbody", {}, standings.map((row, place) => h("tr", {}, h("th", { scope: "row" }, `${place + 1}. ${row.agent}`), standings.map((column) => {
        const cell = cells.get(`${row.agent}|${column.agent}`);
        return cell ? h("td", { style: shade(cell) }, percent(cell.win_share), cell.win_ci95 ? h("small", {}, share(cell.win_ci95)) : null) : h("td", {}, "·");
      })))))),
  ].filter(Boolean);
}

function replayMatch(job) {
  const which = h("input", { type: "number", min: 1, value: "1", style: "width:90px", "aria-label": t("match-number") });
  const open = async () => {
    try {
      const made = await post(`/api/jobs/${job.id}/matches/${Math.max(Number(which.value) - 1, 0)}`);
      memory.keep(made.match, {});
      go(`/replay/${made.match}`);
    } catch (problem) { complain(problem); }
  };
  return h("div", { class: "buttons", style: "margin-top:12px" }, which, h("button", { class: "button", onclick: open }, t("watch-match")));
}

export const detail = (id) => get(`/api/jobs/${encodeURIComponent(id)}`);
