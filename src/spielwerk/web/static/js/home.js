// Home: a card per game with a board that plays, the visitor's matches, and how to start one.

import { analysisLinks } from "./analysis.js";
import { get, reason } from "./api.js";
import { h, icon, memory, picture } from "./dom.js";
import { newMatch } from "./newmatch.js";
import { matchRow } from "./people.js";
import { t } from "./i18n.js";
import { rulesPath } from "./rules.js";

export async function show(root) {
  const timers = [];
  document.title = "Spielwerk";
  const games = await get("/api/games");
  const mine = h("section", { class: "section" });
  root.append(
    h("section", { class: "hero" }, h("h1", {}, t("hero-title")), h("p", {}, t("hero-text"))),
    gameCards(games, timers), mine);
  const kept = memory.matches();
  const ids = memory.newest(50);
  if (ids.length) {
    const matches = await get(`/api/matches?ids=${ids.join(",")}`);
    if (matches.length) {
      const open = (match) => (match.status === "playing" ? 0 : 1);
      matches.sort((a, b) => open(a) - open(b) || b.updated - a.updated);
      mine.append(...[h("h2", {}, t("your-matches")), analysisLinks(matches, kept), h("div", { class: "rows" }, matches.slice(0, 12).map((match) => matchRow(match, kept[match.match])))].filter(Boolean));
    }
  }
  return () => timers.forEach(clearInterval);
}

export function gameCards(games, timers, watching = false) {
  return h("div", { class: "cards" }, games.map((game) => {
    const board = h("div", { class: "picture", "aria-hidden": "true" }, h("span", { class: "wait" }, h("span", { class: "spin" }), game.ready ? "" : t("preparing", { game: game.title })));
    fillPicture(game, board, timers);
    const seats = game.seats.length === 1 ? (game.seats[0] === 1 ? t("one-seat") : t("seats", { n: game.seats[0] })) : t("seats", { n: `${Math.min(...game.seats)}–${Math.max(...game.seats)}` });
    const facts = [seats, game.hidden && t("hidden"), game.chance && !game.hidden && t("chance"), game.simultaneous && t("simultaneous")].filter(Boolean);
    return h("div", { class: "card" },
      h("button", { class: "open", "data-game": game.id, onclick: () => newMatch(game, watching) }, board,
        h("div", { class: "about" }, h("h2", {}, game.title), h("p", { class: "soft small" }, game.summary), h("div", { class: "facts" }, facts.map((fact) => h("span", { class: "tag" }, fact))))),
      game.has_rules && h("a", { class: "to-rules small", href: rulesPath(game.id), "data-nav": "", "data-rules-of": game.id, "aria-label": `${t("rules")}: ${game.title}` }, icon("book"), t("rules")));
  }));
}

async function fillPicture(game, board, timers) {
  try {
    const { svgs } = await get(`/api/games/${encodeURIComponent(game.id)}/pictures`);
    if (!board.isConnected) return;
    let number = 0;
    const next = () => {
      if (document.hidden) return;
      const svg = picture(svgs[number++ % svgs.length]);
      svg.removeAttribute("width");
      svg.removeAttribute("height");
      svg.querySelectorAll("[tabindex], [role]").forEach((element) => { element.removeAttribute("tabindex"); element.removeAttribute("role"); });
      board.replaceChildren(svg);
    };
    next();
    if (svgs.length > 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) timers.push(setInterval(next, 2400));
  } catch (problem) {
    board.replaceChildren(h("span", { class: "wait" }, reason(problem)));
  }
}
