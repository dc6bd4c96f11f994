// Who sits where, what they did, and lists of matches.

import { h } from "./dom.js";
import { ago, capital, points, t } from "./i18n.js";

export function strength(player) {
  return player.strength ? capital(player.strength) : player.agent;
}

// People count seats from 1; records and the API from 0.
export const seatName = (seat) => t("seat", { n: seat + 1 });

export function name(player, held, seats) {
  if (held.includes(player.seat) && held.length === 1) return t("you");
  if (held.includes(player.seat) || seats > 2) return seatName(player.seat);
  return player.kind === "agent" ? strength(player) : t("person");
}

export function seatAndName(player, held) {
  return [...new Set([seatName(player.seat), name(player, held, 2)])].join(": ");
}

export const names = (scene, seats) => seats.map((seat) => name(scene.players[seat], scene.held ?? [], scene.players.length)).join(", ");

// One event in words.
function told(event, scene) {
  if (event.kind === "moves") return event.moves.map((each) => (scene.players.length > 1 ? t("happened-moves", { who: names(scene, [each.seat]), move: each.name }) : capital(each.name))).join(" · ");
  return event.text === null ? t("happened-secret") : t("happened-chance", { text: capital(event.text) });
}

// The other seats of a seat's team; none where everybody plays for himself, or all play together.
export function partners(teams, seat) {
  if (new Set(teams).size === 1) return [];
  return teams.flatMap((team, other) => (team === teams[seat] && other !== seat ? [other] : []));
}

export const withPartners = (seats) => t("with-seats", { n: seats.map((seat) => seat + 1).join(", "), count: seats.length });

// A dot in the colour of a team, where there are partners.
export const teamMark = (teams, seat) => (partners(teams, seat).length ? h("i", { class: `team team-${[...new Set(teams)].indexOf(teams[seat]) % 4}`, "aria-hidden": "true" }) : null);

// What the button says that plays a match again from its start.
export const againName = (game) => (game.luck ? t("again-luck", { luck: game.luck }) : t(game.chance ? "again-chance" : "again"));
// One event and what it brought, a line each.
export const lines = (event, scene) => [told(event, scene), ...event.news.map(capital)];

export function scoreboard(scene, thinking = []) {
  return h("div", { class: "players" }, scene.players.map((player, seat) => {
    const now = (scene.waiting ?? scene.actors).includes(seat);
    const mine = (scene.held ?? []).includes(seat);
    const mates = partners(scene.teams, seat);
    const mate = mates.length ? (!mine && mates.some((other) => (scene.held ?? []).includes(other)) ? t("your-partner") : withPartners(mates)) : null;
    const kind = player.kind === "agent" ? (player.strength && player.strength !== player.agent && scene.players.length > 2 ? `${strength(player)}, ${player.agent}` : player.agent) : mine || scene.players.length < 3 ? null : t("person");
    const under = [mate, kind, player.seated ? null : t("friend-missing"), player.ready ? t("has-chosen") : null].filter(Boolean).join(" · ");
    return h("div", { class: `player ${now ? "now" : ""} ${(scene.winners ?? []).includes(seat) ? "won" : ""}` },
      thinking.includes(seat) ? h("span", { class: "spin" }) : h("span", { class: "dot" }),
      h("div", {}, h("strong", {}, name(player, scene.held ?? [], scene.players.length), teamMark(scene.teams, seat)), under ? h("small", {}, under) : null),
      h("span", { class: "points" }, points(scene.scores[seat])));
  }));
}

export function matchRow(match, own) {
  const open = match.status === "playing";
  const who = match.players.map((player) => name(player, own?.tokens?.map(({ seat }) => seat) ?? [], match.players.length)).join(" – ");
  const score = match.scores ? match.scores.map(points).join(" : ") : "";
  return h("a", { class: "row", "data-nav": "", href: open ? `/table/${match.match}` : `/replay/${match.match}` },
    h("div", { class: "grow" }, h("strong", {}, match.title), h("span", { class: "soft small" }, [who, match.rules].filter(Boolean).join(" · "))),
    h("span", { class: "num" }, score),
    h("span", { class: "soft small" }, ago(match.updated)),
    open ? h("span", { class: "tag live" }, own?.tokens?.length ? t("continue") : t("live")) : null);
}
