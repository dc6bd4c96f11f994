// How a match ended for the one who looks: whether that is good news, and in which words.

import { points, t } from "./i18n.js";
import { names } from "./people.js";

// kind: won, lost, drawn, or plain for who has no side: spectators, people on both sides, games for one.
export function outcome(scene) {
  const sides = new Set(scene.held.map((seat) => scene.teams[seat]));
  const mine = scene.players.length > 1 && sides.size === 1 ? [...sides][0] : null;
  if (scene.status === "resigned") return resignation(scene, mine);
  if (scene.players.length === 1) return { kind: "plain", text: t("solo-over", { n: points(scene.scores[0]) }) };
  if (!scene.winners.length) return { kind: mine === null ? "plain" : "drawn", text: t("win-nobody") };
  const best = new Set(scene.winners.map((seat) => scene.teams[seat])), who = names(scene, scene.winners);
  const text = best.size === new Set(scene.teams).size ? t("draw") : t(best.size > 1 ? "win-shared" : scene.winners.length > 1 ? "win-many" : "win-one", { who });
  if (mine === null) return { kind: "plain", text };
  if (best.has(mine)) return best.size > 1 ? { kind: "drawn", text: t("draw") } : { kind: "won", text: t("you-win") };
  return { kind: "lost", text: t("you-lose", { what: text }) };
}

function resignation(scene, mine) {
  if (scene.resigned === null) return { kind: "plain", text: t("over") };
  if (scene.held.includes(scene.resigned)) return { kind: mine === null ? "plain" : "lost", text: t("resigned-you") };
  const text = t("resigned", { who: names(scene, [scene.resigned]) });
  const gone = scene.teams[scene.resigned], left = new Set(scene.teams.filter((team) => team !== gone));
  if (mine === null || (mine !== gone && left.size > 1)) return { kind: "plain", text };
  return mine === gone ? { kind: "lost", text: t("you-lose", { what: text }) } : { kind: "won", text: `${t("you-win")} ${text}` };
}
