// The dialog in which a match is put together: who sits where, which rules, which seed.

import { complain, server, start } from "./api.js";
import { h, options, segments } from "./dom.js";
import { go } from "./main.js";
import { capital, t } from "./i18n.js";
import { strengths } from "./ladder.js";
import { seatName } from "./people.js";

const OTHER = "…";

// `show`: only agents play. Opens the dialog; the match starts when the visitor says so.
export function newMatch(game, show = false) {
  let count = game.seats[0];
  let places = [];
  const ladder = game.ladder.length ? game.ladder : [{ strength: "easy", agent: "random" }];
  const fill = () => {
    places = Array.from({ length: count }, (_, seat) => places[seat] ?? {
      who: show || seat > 0 ? "agent" : "me", agent: (show ? ladder.at(-1) : ladder[Math.min(1, ladder.length - 1)]).agent,
    });
  };
  fill();
  const seats = h("div", { class: "seatlines" });
  const variant = h("select", {}, options(game.variants.map(({ name, title }) => [name, title]), game.variants[0].name));
  const seed = h("input", { type: "text", inputmode: "numeric", pattern: "[0-9]{0,15}", placeholder: t("seed-hint"), autocomplete: "off" });
  const rules = new Map();

  const line = (place, seat) => {
    const spec = h("input", { type: "text", class: "spec", placeholder: t("spec-hint"), "aria-label": t("custom-agent"), value: place.agent ?? "", maxlength: 400, onchange: (event) => { place.agent = event.target.value; } });
    const known = ladder.some(({ agent }) => agent === place.agent);
    spec.hidden = known;
    const rungs = h("select", { "aria-label": count > 1 ? `${t("agent")}, ${seatName(seat)}` : t("agent"), onchange: (event) => {
      spec.hidden = event.target.value !== OTHER;
      if (spec.hidden) { place.agent = event.target.value; spec.value = place.agent; } else spec.focus();
    } }, options([...ladder.map(({ strength, agent }) => [agent, capital(strength)]), ...(server.any_agent ? [[OTHER, t("custom-agent")]] : [])], known ? place.agent : OTHER));
    const agent = () => { rungs.hidden = place.who !== "agent"; spec.hidden = rungs.hidden || rungs.value !== OTHER; };
    const choices = [["me", t("me")], ["friend", t("friend")], ["agent", t("agent")]].filter(([who]) => who !== "friend" || count > 1);
    const who = segments(`who-${seat}`, choices, place.who, (value) => { place.who = value; agent(); }, seatName(seat));
    agent();
    return h("div", { class: "seatline" }, count > 1 ? h("strong", {}, seatName(seat)) : null, show ? null : who, rungs, spec);
  };
  const draw = () => seats.replaceChildren(...places.map(line));
  draw();

  const begin = async (event) => {
    event.preventDefault();
    const changed = [...rules].filter(([, input]) => input.value !== "").map(([name, input]) => `${name}=${input.value}`);
    const body = {
      game: game.id, variant: [variant.value, ...changed].join(","), seed: seed.value === "" ? null : Number(seed.value),
      places: places.map(({ who, agent }) => (who === "agent" ? { who, agent, seconds: Number(time.value) || null } : { who })),
    };
    try {
      const started = await start("/api/matches", body);
      dialog.close();
      go(`/table/${started.match}`);
    } catch (problem) { complain(problem); }
  };

  const time = h("select", {}, options([["0", t("as-configured")], ...[0.5, 1, 3, 10].map((n) => [String(n), t("seconds", { n })])], "0"));
  const dialog = h("dialog", { "aria-labelledby": "new-title" }, h("form", { onsubmit: begin },
    h("div", {}, h("h2", { id: "new-title" }, game.title), h("p", { class: "soft small" }, game.summary)),
    game.seats.length > 1 ? h("div", {}, h("span", { class: "label" }, t("how-many")), segments("count", [...game.seats].sort((a, b) => a - b).map((n) => [String(n), String(n)]), String(count), (value) => { count = Number(value); fill(); places.length = count; draw(); }, t("how-many"))) : null,
    seats,
    strengths(game.ladder),
    game.variants.length > 1 ? h("label", {}, h("span", {}, t("variant")), variant) : null,
    h("details", {}, h("summary", {}, t("more-options")), h("div", {},
      h("div", { class: "pair" }, h("label", {}, h("span", {}, t("seed")), seed), h("label", {}, h("span", {}, t("thinking_time")), time)),
      game.options.length ? h("span", { class: "label" }, t("rule-options")) : null,
      h("div", { class: "pair" }, game.options.map((option) => {
        const input = h("input", { type: "number", min: option.low, max: option.high, placeholder: `${option.low}–${option.high}` });
        rules.set(option.name, input);
        return h("label", {}, h("span", {}, h("b", {}, capital(option.title)), h("small", {}, capital(option.help))), input);
      })))),
    h("div", { class: "buttons" }, h("button", { class: "button main", type: "submit" }, t(show ? "start-show" : "start")), h("button", { class: "button plain", type: "button", onclick: () => dialog.close() }, t("cancel")))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector("button[type=submit]").focus();
}
