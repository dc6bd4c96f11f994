// Replay: bring a record, or choose a finished match.

import { analysisLinks } from "./analysis.js";
import { complain, get, post, server } from "./api.js";
import { h, memory, toast } from "./dom.js";
import { number, t } from "./i18n.js";
import { go } from "./main.js";
import { matchRow } from "./people.js";

export async function show(root) {
  document.title = `${t("replay")} · Spielwerk`;
  const bring = async (file) => {
    if (file.size > server.largest) { toast(t("too-large", { n: number(server.largest) }), "bad", 6); return; }
    try {
      const started = await post("/api/records", await file.text());
      memory.keep(started.match, {});
      go(`/replay/${started.match}`);
    } catch (problem) { complain(problem); }
  };
  const input = h("input", { type: "file", accept: ".json,application/json", hidden: true, "data-upload": "", onchange: () => { const [file] = input.files; if (file) bring(file); input.value = ""; } });
  const drop = h("div", { class: "drop" }, h("p", {}, t("drop-text")), h("button", { class: "button main", onclick: () => input.click() }, t("choose-file")), input);
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); if (event.dataTransfer.files[0]) bring(event.dataTransfer.files[0]); });
  const kept = memory.matches();
  const ids = memory.newest(50);
  const [own, others] = await Promise.all([ids.length ? get(`/api/matches?ids=${ids.join(",")}`) : [], get("/api/matches")]);
  const seen = new Set(own.map(({ match }) => match));
  const finished = [...own, ...others.filter(({ match }) => !seen.has(match))].filter(({ status }) => status !== "playing");
  root.append(
    h("section", { class: "hero" }, h("h1", {}, t("replay-title")), h("p", {}, t("replay-text"))),
    drop,
    h("section", { class: "section" }, analysisLinks(own, kept), finished.length ? h("div", { class: "rows" }, finished.slice(0, 30).map((match) => matchRow(match, kept[match.match]))) : h("p", { class: "empty" }, t("no-finished"))));
}
