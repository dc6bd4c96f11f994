// The dialog in which a match is put together: who sits where, which rules, which seed. It begins as it was left last.

import { complain, server, start } from "./api.js";
import { h, memory, options, segments } from "./dom.js";
import { capital, number, sentence, t } from "./i18n.js";
import { lookFields } from "./looks.js";
import { go } from "./main.js";
import { strengths } from "./ladder.js";
import { partners, seatName, teamMark, withPartners } from "./people.js";
import { ruleFields } from "./variants.js";

const OTHER = "…";

// `show`: only agents play. Opens the dialog; the match starts when the visitor says so.
export function newMatch(game, show = false) {
  const kept = `chosen.${game.id}${show ? ".show" : ""}`, last = memory.get(kept, {});
  const ladder = game.ladder.length ? game.ladder : [{ strength: "easy", agent: "random" }];
  const timed = game.countdown && !show;
  const known = (agent) => ladder.some((rung) => rung.agent === agent);
  let count = game.seats.includes(last.places?.length) ? last.places.length : game.seats[0];
  let places = (last.places ?? []).map(({ who, agent }) => ({ who: show ? "agent" : who, agent: known(agent) || (agent && server.any_agent) ? agent : ladder[0].agent }));
  const fill = () => {
    places = Array.from({ length: count }, (_, seat) => places[seat] ?? {
      who: show || seat > 0 ? "agent" : "me", agent: (show ? ladder.at(-1) : ladder[Math.min(1, ladder.length - 1)]).agent,
    });
  };
  fill();
  const seats = h("div", { class: "seatlines" });
  const rules = ruleFields(game, last);
  const seed = h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{0,15}", placeholder: t("seed-hint"), autocomplete: "off" });
  const time = h("select", {}, options([["0", t("as-configured")], ...[0.5, 1, 3, 10].map((n) => [String(n), t("seconds", { n })])], last.seconds ?? "0"));
  const rounds = h("select", { "data-do": "countdown" }, options([["0", t("no-countdown")], ...[0.5, 1, 2, 3, 5, 10, 20].map((n) => [String(n), t("seconds", { n: number(n, n < 1 ? 1 : 0) })])], last.countdown ?? "0"));

  const line = (place, seat) => {
    const spec = h("input", { type: "text", class: "spec", placeholder: t("spec-hint"), "aria-label": t("custom-agent"), value: place.agent ?? "", maxlength: 400, onchange: (event) => { place.agent = event.target.value; } });
    const rungs = h("select", { "aria-label": count > 1 ? `${t("agent")}, ${seatName(seat)}` : t("agent"), onchange: (event) => {
      spec.hidden = event.target.value !== OTHER;
      if (spec.hidden) { place.agent = event.target.value; spec.value = place.agent; } else spec.focus();
    } }, options([...ladder.map(({ strength, agent }) => [agent, capital(strength)]), ...(server.any_agent ? [[OTHER, t("custom-agent")]] : [])], known(place.agent) ? place.agent : OTHER));
    const agent = () => { rungs.hidden = place.who !== "agent"; spec.hidden = rungs.hidden || rungs.value !== OTHER; };
    const choices = [["me", t("me")], ["friend", t("friend")], ["agent", t("agent")]].filter(([who]) => who !== "friend" || count > 1);
    const who = segments(`who-${seat}`, choices, place.who, (value) => { place.who = value; agent(); }, seatName(seat));
    agent();
    const teams = game.teams[game.seats.indexOf(count)], mates = partners(teams, seat);
    const name = h("div", {}, h("strong", {}, seatName(seat)), teamMark(teams, seat), mates.length ? h("small", {}, withPartners(mates)) : null);
    return h("div", { class: "seatline" }, count > 1 ? name : null, show ? null : who, rungs, spec);
  };
  const draw = () => seats.replaceChildren(...places.map(line));
  draw();

  const begin = async (event) => {
    event.preventDefault();
    const body = {
      game: game.id, variant: rules.written(), seed: seed.value === "" ? null : Number(seed.value),
      places: places.map(({ who, agent }) => (who === "agent" ? { who, agent, seconds: Number(time.value) || null } : { who })),
    };
    if (timed && Number(rounds.value) && body.places.some(({ who }) => who !== "agent")) body.countdown = Number(rounds.value);
    try {
      const started = await start("/api/matches", body);
      memory.set(kept, { places, seconds: time.value, countdown: rounds.value, ...rules.chosen() });
      dialog.close();
      go(`/table/${started.match}`);
    } catch (problem) { complain(problem); }
  };

  const dialog = h("dialog", { "aria-labelledby": "new-title" }, h("form", { onsubmit: begin },
    h("div", {}, h("h2", { id: "new-title" }, game.title), h("p", { class: "soft small" }, sentence(game.summary))),
    game.seats.length > 1 ? h("div", {}, h("span", { class: "label" }, t("how-many")), segments("count", [...game.seats].sort((a, b) => a - b).map((n) => [String(n), String(n)]), String(count), (value) => { count = Number(value); fill(); places.length = count; draw(); }, t("how-many"))) : null,
    seats,
    strengths(game.ladder),
    rules.variant,
    timed ? h("label", {}, h("span", {}, t("countdown")), rounds) : null,
    game.looks.length ? h("div", { class: "looks" }, lookFields(game)) : null,
    rules.options,
    h("details", {}, h("summary", {}, t("more-settings")),
      h("div", { class: "pair" }, h("label", {}, h("span", {}, t("seed")), seed), h("label", {}, h("span", {}, t("thinking_time")), time))),
    h("div", { class: "buttons" }, h("button", { class: "button main", type: "submit" }, t(show ? "start-show" : "start")), h("button", { class: "button plain", type: "button", onclick: () => dialog.close() }, t("cancel")))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("button[type=submit]").focus({ preventScroll: true }); // the title stays in sight
}
