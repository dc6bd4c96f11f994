// The strengths of a game's agents, as they were measured.

import { h } from "./dom.js";
import { capital, t } from "./i18n.js";

// A list to unfold; nothing where nobody has measured.
export function strengths(ladder) {
  const measured = ladder.filter((rung) => rung.measured);
  if (!measured.length) return null;
  return h("details", { class: "strengths" }, h("summary", {}, t("how-strong")),
    h("dl", {}, measured.map(({ strength, measured: text }) => [h("dt", {}, capital(strength)), h("dd", {}, text)])));
}
