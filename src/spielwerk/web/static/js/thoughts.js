// What agents say of their decisions, in short: beside a hint, and of all agents where everything may be shown.

import { h } from "./dom.js";
import { capital, t } from "./i18n.js";
import { seatName } from "./people.js";

export const noted = (notes) => capital(notes.map(({ name, text }) => `${name}: ${text}`).join(" · "));

export const thoughtsPanel = () => h("div", { class: "panel thoughts", hidden: true, "data-thoughts": "" });

// What was noted for the moves that were made last.
export function showThoughts(panel, { thoughts, players }) {
  panel.hidden = !thoughts.length;
  if (panel.hidden) return;
  panel.replaceChildren(h("h2", {}, t("thoughts")), ...thoughts.map(({ seat, notes }) => h("p", { class: "small" }, players.length > 1 ? h("strong", {}, `${seatName(seat)} `) : null, noted(notes))));
}
