// Words in the visitor's language; numbers and times in its manner.

import { de } from "./de.js";
import { en } from "./en.js";
import { memory } from "./dom.js";

const WORDS = { en, de };
export let language = memory.get("language", null) ?? (navigator.language?.startsWith("de") ? "de" : "en");
if (!WORDS[language]) language = "en";

export function setLanguage(chosen) {
  language = chosen;
  memory.set("language", chosen);
  document.documentElement.lang = chosen;
}

// A place with two words chooses between them, the first for one: "{n} {n:point|points}".
export function t(key, values = {}) {
  const text = WORDS[language][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}|]*))?\}/g, (_, name, one, many) => (many === undefined ? values[name] ?? "" : /^[+−-]?1$/.test(values[name]) ? one : many));
}

// A sentence that a game brought along.
export const sentence = (text) => `${capital(text)}${/[.!?]$/.test(text) ? "" : "."}`;

// Words that a game brought along begin a sentence with a capital; notation such as 3+5 or b3 stays as it is.
export const capital = (text) => (/^\p{Ll}[\p{Ll} ]/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);

const minus = (text) => text.replace("-", "−"); // a hyphen is no minus
export const number = (value, digits = 0) => minus(new Intl.NumberFormat(language, { maximumFractionDigits: digits, minimumFractionDigits: digits }).format(value));
export const points = (value) => number(value, Math.abs(value) < 100 && !Number.isInteger(value) ? 1 : 0);
// Short enough for a chip or an axis: 12, 0.25, 4,321, 12.3K.
export function compact(value) {
  const size = Math.abs(value);
  if (size >= 10_000) return minus(new Intl.NumberFormat(language, { notation: "compact", maximumSignificantDigits: 3 }).format(value));
  return minus(new Intl.NumberFormat(language, { maximumFractionDigits: size >= 100 || size === 0 ? 0 : size >= 1 ? 1 : 2 }).format(value));
}
export const percent = (value, digits = 0) => minus(new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: digits }).format(value));
// A probability beside others: always with as many digits.
export const share = (value) => minus(new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(value));

export function ago(seconds) {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const past = Date.now() / 1000 - seconds;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (past >= size) return format.format(-Math.floor(past / size), unit);
  }
  return t("just-now");
}

// What an adviser's values are: expected points, an expected lead (both perhaps only of a deal) or a chance to win.
export const unitName = (unit, within) => t(`unit-${unit}`, { within: within || t("at-the-end") });

// A value in the unit of an adviser, after its name.
export function worth(value, unit) {
  if (value === null) return "–";
  return unit === "win" ? percent(value) : unit === "lead" ? t("points", { n: signed(points)(value) }) : points(value);
}

const signed = (form) => (value) => `${value > 0 ? "+" : ""}${form(value)}`;

// How to write these values side by side: as short as possible, but different ones differently where two more digits do it.
export function side(values, unit) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  const forms = unit === "win" ? [(value) => percent(value), (value) => percent(value, 1)] : unit === "lead" ? [signed(points)] : [compact, points];
  const tells = (form) => new Set(known.map(form)).size === new Set(known.map((value) => forms.at(-1)(value))).size;
  const form = forms.find(tells);
  return (value) => (value === null ? "–" : form(value));
}
