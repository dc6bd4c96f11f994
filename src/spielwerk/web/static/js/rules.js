// The rules of a game: a page of their own, or a dialog over the table.

import { complain, get, reason } from "./api.js";
import { h, icon, nothing } from "./dom.js";
import { t } from "./i18n.js";
import { strengths } from "./ladder.js";
import { markdown } from "./markdown.js";
import { newMatch } from "./newmatch.js";

export const rulesPath = (game) => `/rules/${encodeURIComponent(game)}`;
const ask = (game, what = "") => get(`/api/games/${encodeURIComponent(game)}${what}`);

export async function show(root, place) {
  const game = decodeURIComponent(place);
  document.title = `${t("rules")} · Spielwerk`;
  let rules;
  try { rules = await ask(game, "/rules"); } catch (problem) { root.append(nothing(reason(problem))); return; }
  document.title = `${t("rules")}: ${rules.title} · Spielwerk`;
  const play = async () => { try { newMatch(await ask(game)); } catch (problem) { complain(problem); } };
  const { ladder } = await ask(game);
  root.append(h("article", { class: "rules", "data-rules": game, lang: rules.language }, markdown(rules.text)), h("div", { class: "rules-end" }, strengths(ladder)),
    h("div", { class: "buttons rules-end" }, h("button", { class: "button main", "data-do": "new", onclick: play }, icon("dice"), t("new-match"))));
}

export async function openRules(game) {
  let rules;
  try { rules = await ask(game, "/rules"); } catch (problem) { complain(problem); return; }
  const dialog = h("dialog", { class: "reading", "aria-label": `${t("rules")}: ${rules.title}`, onclick: (event) => event.target === dialog && dialog.close() },
    h("div", { class: "bar-above" }, h("span", { class: "soft small" }, t("rules")), h("button", { class: "icon", "data-do": "close", autofocus: true, "aria-label": t("close"), title: t("close"), onclick: () => dialog.close() }, icon("close"))),
    h("article", { class: "rules", "data-rules": game, lang: rules.language }, markdown(rules.text, 2))); // the page has its own first heading
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
