// Watch: start a match between agents, or join one that is going on.

import { get } from "./api.js";
import { h, memory } from "./dom.js";
import { gameCards } from "./home.js";
import { t } from "./i18n.js";
import { matchRow } from "./people.js";

export async function show(root) {
  document.title = `${t("watch")} · Spielwerk`;
  const timers = [];
  const [games, matches] = await Promise.all([get("/api/games"), get("/api/matches")]);
  const kept = memory.matches();
  root.append(
    h("section", { class: "hero" }, h("h1", {}, t("watch-title")), h("p", {}, t("watch-text"))),
    gameCards(games, timers, true),
    h("section", { class: "section" }, h("h2", {}, t("recent-shows")),
      matches.length ? h("div", { class: "rows" }, matches.map((match) => matchRow(match, kept[match.match]))) : h("p", { class: "empty" }, t("no-shows"))));
  return () => timers.forEach(clearInterval);
}
