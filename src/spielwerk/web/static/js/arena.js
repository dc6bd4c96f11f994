// Arena: start an evaluation or a small tournament, see how it stands while it runs, see what came out.

import { complain, get, server } from "./api.js";
import { h, options, segments } from "./dom.js";
import { capital, number, t } from "./i18n.js";
import { begun, busy, Card, detail } from "./results.js";

const SOON = 700, LATER = 5000; // milliseconds until the next look

export async function show(root) {
  document.title = `${t("arena")} · Spielwerk`;
  const games = await get("/api/games");
  const empty = h("p", { class: "empty" }, t("no-results"));
  const list = h("div", { class: "stack" }, h("h2", {}, t("results")), empty);
  const cards = new Map();
  let timer = null, left = false, listed = 0;

  // Jobs that run are looked at often, the list of all seldom.
  const refresh = async () => {
    clearTimeout(timer);
    try {
      if (performance.now() - listed > LATER) await listAll();
      await Promise.all([...cards.values()].filter(({ job }) => busy(job)).map(look));
    } finally {
      const running = [...cards.values()].some(({ job }) => busy(job));
      if (!left) timer = setTimeout(() => refresh().catch(() => {}), running ? SOON : LATER);
    }
  };
  const look = async (card) => {
    try { card.update(await detail(card.id)); } catch (problem) {
      if (problem.status !== 404) throw problem;
      cards.delete(card.id); // the server was started again and knows it by another name
      card.element.remove();
      await listAll();
      if (card.open) [...cards.values()].at(-1)?.show(true); // the newest
    }
  };
  const listAll = async () => {
    const jobs = await get("/api/jobs");
    const first = !cards.size;
    listed = performance.now();
    for (const job of [...jobs].reverse()) put(job);
    if (first && jobs.length) cards.get(jobs[0].id).show(true);
  };
  const put = (job) => {
    empty.hidden = true;
    const known = cards.get(job.id);
    if (known) { known.update(job); return known; }
    const card = new Card(job, games, async (opened) => {
      if (busy(opened.job)) { refresh().catch(() => {}); return; }
      if (!opened.job.result) try { opened.update(await detail(opened.id)); } catch (problem) { complain(problem); }
    });
    cards.set(job.id, card);
    list.children[0].after(card.element);
    return card;
  };
  root.append(
    h("section", { class: "hero", style: "padding-bottom:18px" }, h("h1", {}, t("arena-title")), h("p", {}, t("arena-text"))),
    h("div", { class: "columns" }, form(games, async (path, body) => {
      try {
        const job = await begun(path, body);
        cards.forEach((card) => card.show(false));
        put(job).show(true);
      } catch (problem) { complain(problem); }
    }), list));
  listed = -LATER - 1;
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
    const count = h("input", { type: "number", min: 1, max: kind === "evaluation" ? Math.min(10000, server.job_matches) : 1000, value: kind === "evaluation" ? "100" : "20", required: true });
    const opening = h("input", { type: "number", min: 0, max: 1000, value: "0", required: true });
    const other = h("input", { type: "text", placeholder: t("spec-hint"), maxlength: 400 });
    const another = (text) => (server.any_agent ? h("label", {}, h("span", {}, capital(t(text))), other) : null);
    const seats = h("select", {}, options([...game.seats].sort((a, b) => a - b).map((n) => [String(n), String(n)]), String(game.seats[0])));
    const shared = [game.seats.length > 1 ? h("label", {}, h("span", {}, t("how-many")), seats) : null, game.variants.length > 1 ? h("label", {}, h("span", {}, t("variant")), variant) : null, h("label", {}, h("span", {}, t(kind === "evaluation" ? "games" : "rounds")), count), h("label", {}, h("span", {}, t("random-opening")), opening)];
    let collect;
    if (kind === "evaluation") {
      const agent = h("select", {}, options(ladder.map(rung), ladder[0].agent));
      const against = h("select", {}, options([["", t("the-same")], ...ladder.map(rung)], several ? ladder[0].agent : ""));
      body.replaceChildren(...[h("label", {}, h("span", {}, t("agent")), agent), another("custom-agent"), several ? h("label", {}, h("span", {}, t("opponents")), against) : null, ...shared].filter(Boolean));
      collect = () => ["/api/evaluations", { game: game.id, agent: other.value || agent.value, opponents: several && against.value ? against.value : null, seats: Number(seats.value), variant: variant.value, games: Number(count.value), opening: Number(opening.value) }];
    } else {
      const boxes = ladder.map((each, n) => { const box = h("input", { type: "checkbox", value: each.agent, checked: n < 2 }); return [box, h("label", {}, box, h("span", {}, capital(each.strength), " ", h("code", {}, each.agent)))]; });
      body.replaceChildren(...[h("div", {}, h("span", { class: "label" }, t("agents")), h("div", { class: "picks" }, boxes.map(([, label]) => label))), another("add-agent"), ...shared].filter(Boolean));
      collect = () => ["/api/tournaments", { game: game.id, agents: [...boxes.filter(([box]) => box.checked).map(([box]) => box.value), ...(other.value ? [other.value] : [])], seats: Number(seats.value), variant: variant.value, rounds: Number(count.value), opening: Number(opening.value) }];
    }
    if (server.job_seconds) body.append(h("p", { class: "soft small", "data-limits": "" }, t("job-limits", { matches: number(server.job_matches), minutes: number(server.job_seconds / 60) })));
    body.append(h("div", { class: "buttons" }, h("button", { class: "button main", type: "submit", "data-do": "start-job" }, t("start-job"))));
    panel.onsubmit = (event) => { event.preventDefault(); begin(...collect()); };
  };
  const choice = h("select", { onchange: () => { game = games.find(({ id }) => id === choice.value); draw(); } }, options(games.map(({ id, title }) => [id, title]), game.id));
  const panel = h("form", { class: "panel stack" },
    segments("kind", [["evaluation", t("evaluation")], ["tournament", t("tournament")]], kind, (value) => { kind = value; draw(); }, t("arena")),
    h("label", {}, h("span", {}, t("game")), choice), body);
  draw();
  return panel;
}
