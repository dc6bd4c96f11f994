// Arena: start an evaluation or a small tournament, see it progress, see what came out.

import { complain, get, post } from "./api.js";
import { histogram } from "./chart.js";
import { h, memory, options, segments } from "./dom.js";
import { ago, capital, compact, number, percent, points, t } from "./i18n.js";
import { go } from "./main.js";

export async function show(root) {
  document.title = `${t("arena")} · Spielwerk`;
  const games = await get("/api/games");
  const list = h("div", { class: "stack" });
  const open = new Set();
  let drawn = "", timer = null, left = false;

  const refresh = async () => {
    clearTimeout(timer);
    const jobs = await get("/api/jobs");
    if (left) return;
    const text = JSON.stringify(jobs.map(({ id, state, done, line }) => [id, state, done, line]));
    if (text !== drawn) {
      drawn = text;
      if (!open.size && jobs.length) open.add(jobs[0].id);
      list.replaceChildren(h("h2", {}, t("results")), ...(jobs.length ? jobs.map((job) => card(job, games, open, refresh)) : [h("p", { class: "empty" }, t("no-results"))]));
    }
    const busy = jobs.some(({ state }) => state === "waiting" || state === "running");
    timer = setTimeout(() => refresh().catch(() => {}), busy ? 700 : 5000);
  };
  root.append(
    h("section", { class: "hero", style: "padding-bottom:18px" }, h("h1", {}, t("arena-title")), h("p", {}, t("arena-text"))),
    h("div", { class: "columns" }, form(games, async (path, body) => {
      try { const job = await post(path, body); open.clear(); open.add(job.id); drawn = ""; await refresh(); } catch (problem) { complain(problem); }
    }), list));
  await refresh();
  return () => { left = true; clearTimeout(timer); };
}

function form(games, begin) {
  let kind = "evaluation";
  let game = games[0];
  const body = h("div", { class: "stack" });
  const draw = () => {
    const several = game.seats[0] > 1;
    const ladder = game.ladder.length ? game.ladder : [{ strength: "easy", agent: "random" }];
    const rung = ({ strength, agent }) => [agent, `${capital(strength)} · ${agent}`];
    const variant = h("select", {}, options(game.variants.map(({ name, title }) => [name, title]), game.variants[0].name));
    const count = h("input", { type: "number", min: 1, max: kind === "evaluation" ? 10000 : 1000, value: kind === "evaluation" ? "100" : "20", required: true });
    const other = h("input", { type: "text", placeholder: t("spec-hint"), "aria-label": t("add-agent") });
    const shared = [game.variants.length > 1 ? h("label", {}, h("span", {}, t("variant")), variant) : null, h("label", {}, h("span", {}, t(kind === "evaluation" ? "games" : "rounds")), count)];
    let collect;
    if (kind === "evaluation") {
      const agent = h("select", {}, options(ladder.map(rung), ladder[0].agent));
      const against = h("select", {}, options([["", t("the-same")], ...ladder.map(rung)], several ? ladder[0].agent : ""));
      body.replaceChildren(...[h("label", {}, h("span", {}, t("agent")), agent), h("label", {}, h("span", {}, t("custom-agent")), other), several ? h("label", {}, h("span", {}, t("opponents")), against) : null, ...shared].filter(Boolean));
      collect = () => ["/api/evaluations", { game: game.id, agent: other.value || agent.value, opponents: several && against.value ? against.value : null, variant: variant.value, games: Number(count.value) }];
    } else {
      const boxes = ladder.map((each, n) => { const box = h("input", { type: "checkbox", value: each.agent, checked: n < 2 }); return [box, h("label", {}, box, h("span", {}, capital(each.strength), " ", h("code", {}, each.agent)))]; });
      body.replaceChildren(...[h("div", {}, h("span", { class: "label" }, t("agents")), h("div", { class: "picks" }, boxes.map(([, label]) => label))), h("label", {}, h("span", {}, t("add-agent")), other), ...shared].filter(Boolean));
      collect = () => ["/api/tournaments", { game: game.id, agents: [...boxes.filter(([box]) => box.checked).map(([box]) => box.value), ...(other.value ? [other.value] : [])], variant: variant.value, rounds: Number(count.value) }];
    }
    body.append(h("div", { class: "buttons" }, h("button", { class: "button main", type: "submit", "data-do": "start-job" }, t("start-job"))));
    panel.onsubmit = (event) => { event.preventDefault(); begin(...collect()); };
  };
  const choice = h("select", { onchange: () => { game = games.find(({ id }) => id === choice.value); draw(); } }, options(games.map(({ id, title }) => [id, title]), game.id));
  const panel = h("form", { class: "panel stack" },
    segments("kind", [["evaluation", t("evaluation")], ["tournament", t("tournament")]], kind, (value) => { kind = value; draw(); }),
    h("label", {}, h("span", {}, t("game")), choice), body);
  draw();
  return panel;
}

function card(job, games, open, refresh) {
  const title = games.find(({ id }) => id === job.game)?.title ?? job.game;
  const shown = open.has(job.id);
  const busy = job.state === "waiting" || job.state === "running";
  const stop = async () => { try { await post(`/api/jobs/${job.id}/stop`); await refresh(); } catch (problem) { complain(problem); } };
  const body = h("div", { hidden: !shown || !job.result, style: "margin-top:14px" });
  const fill = () => { if (job.result && !body.childNodes.length) body.append(job.kind === "evaluation" ? evaluation(job) : tournament(job)); };
  if (shown) fill();
  const toggle = () => { body.hidden = !body.hidden; if (body.hidden) open.delete(job.id); else { open.add(job.id); fill(); } };
  return h("article", { class: "panel", "data-job": job.state },
    h("div", { class: "buttons", style: "justify-content:space-between;flex-wrap:nowrap" },
      h("div", { style: "min-width:0" }, h("h3", {}, `${title} · ${t(job.kind)}`), h("p", { class: "spec-text" }, job.title)),
      busy ? h("button", { class: "button plain", onclick: stop }, t("stop")) : job.result ? h("button", { class: "icon", "aria-label": t("results"), onclick: toggle }, "▾") : h("span", { class: "tag" }, t(`state:${job.state}`))),
    busy ? h("div", { style: "margin-top:10px;display:grid;gap:6px" }, h("div", { class: "meter" }, h("i", { style: `width:${100 * job.done}%` })), h("p", { class: "soft small num" }, [percent(job.done), job.line || t(`state:${job.state}`)].join(" · "))) : h("p", { class: "soft small" }, ago(job.created)),
    job.problem ? h("p", { class: "small", style: "color:var(--bad)" }, job.problem) : null,
    body);
}

const figure = (value, label) => h("div", {}, h("b", {}, value), h("span", {}, label));
const span = (interval, format) => (interval ? `${format(interval[0])} – ${format(interval[1])}` : "–");

function evaluation(job) {
  const { result } = job;
  return h("div", {},
    h("div", { class: "figures" },
      figure(points(result.mean), t("mean")), figure(span(result.ci95, compact), t("interval")), figure(points(result.median), t("median")),
      figure(points(result.max), t("best")), figure(points(result.min), t("worst")),
      result.win_share === null ? null : figure(percent(result.win_share, 1), t("win-share")),
      figure(number(result.games), t("matches")), figure(compact(result.decisions_per_second), t("per-second"))),
    h("p", { class: "label" }, t("histogram")), histogram({ label: t("histogram"), ...result.histogram }),
    replayMatch(job, result.games));
}

function tournament(job) {
  const { standings, cross_table: cross } = job.result;
  const cells = new Map(cross.map((cell) => [`${cell.first}|${cell.second}`, cell]));
  const matches = standings.reduce((sum, standing) => sum + standing.matches, 0);
  return h("div", { class: "stack" },
    h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["", t("win-share"), t("interval"), t("score-mean"), t("rating"), t("matches")].map((text) => h("th", {}, text)))),
      h("tbody", {}, standings.map((standing, place) => h("tr", {}, h("td", {}, h("strong", {}, `${place + 1}. `), standing.agent), h("td", {}, percent(standing.win_share, 1)), h("td", { class: "soft" }, span(standing.ci95, (value) => percent(value))), h("td", {}, points(standing.mean_score)), h("td", {}, number(standing.rating, 1)), h("td", {}, number(standing.matches))))))),
    h("div", { class: "scroll" }, h("p", { class: "label" }, `${t("cross-table")}: ${t("cross-hint")}`), h("table", { class: "cross" },
      h("thead", {}, h("tr", {}, h("th", {}), standings.map((_, place) => h("th", {}, `${place + 1}.`)))),
      h("tbody", {}, standings.map((row, place) => h("tr", {}, h("td", {}, `${place + 1}. ${row.agent}`), standings.map((column) => {
        const cell = cells.get(`${row.agent}|${column.agent}`);
        return h("td", { style: cell ? `background:color-mix(in srgb, ${cell.win_share >= 0.5 ? "var(--good)" : "var(--bad)"} ${Math.round(60 * Math.abs(cell.win_share - 0.5))}%, transparent)` : "" }, cell ? percent(cell.win_share) : "·");
      })))))),
    replayMatch(job, Math.max(1, Math.floor(matches / Math.max(standings.length, 1)))));
}

function replayMatch(job, count) {
  if (job.result.run === null || job.result.run === undefined) return null;
  const which = h("input", { type: "number", min: 1, max: count, value: "1", style: "width:90px", "aria-label": t("watch-match") });
  const open = async () => {
    try {
      const made = await post(`/api/jobs/${job.id}/matches/${Math.max(Number(which.value) - 1, 0)}`);
      memory.keep(made.match, {});
      go(`/replay/${made.match}`);
    } catch (problem) { complain(problem); }
  };
  return h("div", { class: "buttons", style: "margin-top:12px" }, which, h("button", { class: "button", onclick: open }, t("watch-match")));
}
