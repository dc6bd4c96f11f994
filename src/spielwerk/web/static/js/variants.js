// The rules of a match: a variant with its sentence, and its options as switches, lists and numbers.

import { h, options as entries } from "./dom.js";
import { capital, sentence, t } from "./i18n.js";

// The fields for the rules of a game, as they were chosen `last`; `variant` and `options` are elements or null.
export function ruleFields(game, last = {}) {
  const found = (name) => game.variants.find((variant) => variant.name === name);
  let variant = found(last.variant) ?? found(game.offered);
  const about = h("p", { class: "soft small", id: "variant-about", "data-about": "" });
  const fields = game.options.map(field);
  const show = () => {
    about.replaceChildren(sentence(variant.help), variant.sets.length ? ` ${t("variant-sets", { what: variant.sets.join(", ") })}.` : "");
    for (const each of fields) each.follow(variant);
  };
  const choose = (event) => { variant = found(event.target.value); show(); };
  show();
  const changed = last.variant === variant.name ? last.options ?? {} : {};
  for (const each of fields) if (each.name in changed) each.set(changed[each.name]);
  const changes = () => fields.filter((each) => each.changed()).map((each) => [each.name, each.value()]);
  const several = game.variants.length > 1;
  return {
    variant: several ? h("div", {}, h("label", {}, h("span", {}, t("variant")),
      h("select", { "aria-describedby": "variant-about", "data-do": "variant", onchange: choose }, entries(game.variants.map(({ name, title }) => [name, title]), variant.name))), about) : null,
    options: fields.length ? h("details", { open: changes().length > 0 }, h("summary", {}, t("rule-options")), h("div", { class: "rulelines" }, fields.map(({ element }) => element))) : null,
    written: () => [variant.name, ...changes().map((pair) => pair.join("="))].join(","), // as the server reads it
    chosen: () => ({ variant: variant.name, options: Object.fromEntries(changes()) }),
  };
}

// One option: its name and sentence, what sets or changes it, and what is right for its kind.
function field(option) {
  let usual = option.default; // in the variant that is chosen
  const id = `option-${option.name}`;
  const tag = h("span", { class: "tag", hidden: true });
  const shared = { id, "data-option": option.name, "aria-describedby": `${id}-about` };
  const input = {
    switch: () => h("input", { ...shared, type: "checkbox", role: "switch" }),
    choice: () => h("select", shared, entries(option.choices.map((name, place) => [String(option.low + place), capital(name)]), String(option.default))),
    number: () => h("input", { ...shared, type: "number", min: option.low, max: option.high, step: 1, required: true }),
  }[option.kind]();
  const value = () => (option.kind === "switch" ? Number(input.checked) : Number(input.value));
  const mark = () => {
    tag.textContent = value() !== usual ? t("changed") : t("by-variant");
    tag.hidden = value() === option.default && usual === option.default;
  };
  const set = (number) => {
    if (option.kind === "switch") input.checked = number === 1;
    else input.value = String(number);
    mark();
  };
  input.addEventListener("input", mark);
  const range = option.kind === "number" ? ` ${capital(t("range", { low: option.low, high: option.high }))}.` : "";
  return {
    name: option.name, value, set,
    changed: () => value() !== usual,
    follow(variant) { usual = variant.values[option.name]; set(usual); },
    element: h("div", { class: "ruleline" },
      h("div", {}, h("label", { for: id }, h("b", {}, capital(option.title))), " ", tag, h("small", { id: `${id}-about` }, sentence(option.help), range)), input),
  };
}
