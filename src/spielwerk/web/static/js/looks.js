// Looks: how a game is drawn for this visitor alone (a deck of cards, colours). No rule; kept in the browser.

import { h, memory, options } from "./dom.js";
import { capital } from "./i18n.js";

// A field for every look of a game; `changed` is called when the visitor has chosen another.
export function lookFields(game, changed = () => {}) {
  return (game.looks ?? []).map((look) => {
    const key = `${game.id}.${look.name}`;
    const choose = (event) => { memory.set("looks", { ...memory.get("looks", {}), [key]: event.target.value }); changed(); };
    return h("label", { class: "look" }, h("span", {}, capital(look.title)),
      h("select", { "data-look": look.name, "data-do": `look-${look.name}`, onchange: choose }, options(look.choices.map(({ name, title }) => [name, title]), memory.get("looks", {})[key] ?? look.choices[0].name)));
  });
}
