// Learning: the curves of the run folders on this machine, live.

import { get } from "./api.js";
import { legend, lineChart } from "./chart.js";
import { h, icon } from "./dom.js";
import { ago, number, percent, t } from "./i18n.js";

export async function show(root) {
  document.title = `${t("learning")} · Spielwerk`;
  const list = h("div", { class: "grid2" });
  root.append(h("section", { class: "hero", style: "padding-bottom:18px" }, h("h1", {}, t("learning-title")), h("p", {}, t("learning-text"))), list);
  let drawn = "", timer = null, left = false;
  const refresh = async () => {
    try {
      const runs = await get("/api/runs");
      const text = JSON.stringify(runs);
      if (text !== drawn) {
        drawn = text;
        list.replaceChildren(...(runs.length ? runs.map(card) : [h("p", { class: "empty" }, t("no-runs"))]));
      }
    } finally {
      if (!left) timer = setTimeout(() => refresh().catch(() => {}), 3000);
    }
  };
  await refresh();
  return () => { left = true; clearTimeout(timer); };
}

function card(run) {
  const lines = run.lines.filter((line) => line.xs.length);
  const live = run.state === "running";
  const far = run.done === null ? "" : percent(run.done, 1);
  return h("article", { class: "panel", "data-run": run.name },
    h("div", { class: "buttons", style: "justify-content:space-between" }, h("h2", {}, run.name), live ? h("span", { class: "tag live" }, t("live")) : h("span", { class: "soft small" }, ago(run.updated))),
    h("p", { class: "spec-text", style: "margin-bottom:10px" }, [run.game, run.learner].filter(Boolean).join(" · ")),
    run.problem ? h("p", { class: "small", style: "color:var(--bad)" }, run.problem) : null,
    live && run.done !== null ? h("div", { class: "meter", role: "progressbar", "aria-label": run.name, "aria-valuemin": "0", "aria-valuemax": "100", "aria-valuenow": String(Math.floor(100 * run.done)) }, h("i", { style: `width:${100 * run.done}%` })) : null,
    h("p", { class: "soft small num", style: "margin:8px 0" }, [far, run.line, live ? null : t(`run:${run.state}`), t("rows", { n: number(run.rows) })].filter(Boolean).join(" · ")),
    lines.length ? [h("p", { class: "label" }, run.up), lineChart({ label: run.up, lines, across: run.across }), lines.length > 1 ? legend(lines) : null] : h("p", { class: "soft small" }, t("no-curve")),
    run.network ? h("p", { class: "small" }, h("a", { class: "to-rules", href: `/look/${encodeURIComponent(run.game)}#${lookAt(run)}`, "data-nav": "", "data-do": "look" }, icon("net"), t("look-into"))) : null);
}

const lookAt = ({ name, seats, variant }) => new URLSearchParams({ network: `run/${name}`, ...(seats ? { seats } : {}), ...(variant ? { variant } : {}) });
