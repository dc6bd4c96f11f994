// Markdown as games write their rules: headings, paragraphs, lists, tables, code, emphasis, links. It makes elements and
// never HTML, so that nothing in a text can become anything else.

import { h } from "./dom.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const ITEM = /^( {0,3}(?:[-*+]|(\d{1,9})[.)]) +)(.*)$/;
const RULER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/; // between the head and the body of a table
const INLINE = [
  [/^(`+)([^]*?[^`])\1(?!`)/, (found) => h("code", {}, found[2].trim())],
  [/^\*\*(\S|\S[^]*?[^\s\\])\*\*(?!\*)/, (found) => h("strong", {}, inline(found[1]))],
  [/^\*(\S|\S[^]*?[^\s\\])\*(?!\*)/, (found) => h("em", {}, inline(found[1]))],
  [/^\b__(\S[^]*?)__\b/, (found) => h("strong", {}, inline(found[1]))],
  [/^\b_(\S[^]*?)_\b/, (found) => h("em", {}, inline(found[1]))],
  [/^\[([^\]]*)\]\(([^)\s]*)\)/, (found) => link(found[2], inline(found[1]))],
  [/^<(https?:[^>\s]*)>/, (found) => link(found[1], found[1])],
  [/^\\([!-/:-@[-`{-~])/, (found) => found[1]],
];

// The elements of a text; `level` is that of its highest headings.
export function markdown(text, level = 1) {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n"), blocks = [];
  while (lines.length) {
    if (!lines[0].trim()) lines.shift();
    else blocks.push(code(lines) ?? heading(lines, level) ?? table(lines) ?? list(lines) ?? paragraph(lines));
  }
  return blocks;
}

// --- blocks: each takes its lines from the front, or returns null ---

function code(lines) {
  const fence = FENCE.exec(lines[0])?.[1];
  if (!fence) return null;
  lines.shift();
  const written = take(lines, (line) => !line.trim().startsWith(fence));
  lines.shift();
  return h("pre", {}, h("code", {}, written.join("\n")));
}

function heading(lines, level) {
  const found = HEADING.exec(lines[0]);
  if (!found) return null;
  lines.shift();
  return h(`h${Math.min(found[1].length + level - 1, 6)}`, {}, inline(found[2]));
}

function table(lines) {
  if (!lines[0].includes("|") || !RULER.test(lines[1] ?? "") || !lines[1].includes("-")) return null;
  const head = cells(lines.shift());
  lines.shift();
  const rows = take(lines, (line) => line.includes("|")).map(cells);
  const row = (name, texts) => h("tr", {}, head.map((_, column) => h(name, {}, inline(texts[column] ?? ""))));
  return h("div", { class: "scroll" }, h("table", {}, head.some(Boolean) && h("thead", {}, row("th", head)), h("tbody", {}, rows.map((texts) => row("td", texts)))));
}

const cells = (line) => line.trim().replace(/^\|/, "").replace(/\|$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function list(lines) {
  const first = ITEM.exec(lines[0]);
  if (!first) return null;
  const numbered = first[2] !== undefined, items = [];
  for (let found = first; found && (found[2] !== undefined) === numbered; found = lines.length && ITEM.exec(lines[0])) {
    const inner = [found[3]];
    lines.shift();
    for (;;) {
      const blank = take(lines, (line) => !line.trim()), line = lines[0];
      if (line === undefined) break;
      if (indent(line) >= indent(found[0]) + 2) inner.push(...blank, line.slice(Math.min(indent(line), found[1].length)));
      else if (!blank.length && !begins(lines) && !ITEM.test(line)) inner.push(line); // goes on without being indented
      else break;
      lines.shift();
    }
    const blocks = markdown(inner.join("\n"));
    items.push(h("li", {}, blocks.map((block, place) => (place === 0 && block.localName === "p" ? [...block.childNodes] : block))));
  }
  return numbered ? h("ol", { start: Number(first[2]) }, items) : h("ul", {}, items);
}

function paragraph(lines) {
  const written = [lines.shift(), ...take(lines, (line, rest) => line.trim() && !begins(rest))];
  return h("p", {}, inline(written.map((line) => line.trim()).join("\n")));
}

// Whether something other than a paragraph begins here; a number inside a sentence does not begin a list.
function begins(lines) {
  const item = ITEM.exec(lines[0]);
  return FENCE.test(lines[0]) || HEADING.test(lines[0]) || (item !== null && (item[2] === undefined || item[2] === "1"));
}

// The lines from the front for which something holds.
function take(lines, holds) {
  const taken = [];
  while (lines.length && holds(lines[0], lines)) taken.push(lines.shift());
  return taken;
}

const indent = (line) => line.length - line.trimStart().length;

// --- inside a line ---

function inline(text) {
  const parts = [];
  let plain = "";
  for (let place = 0; place < text.length;) {
    const rest = text.slice(place), inWord = /\w/.test(text[place - 1] ?? "");
    const made = INLINE.map(([pattern, make]) => [pattern.exec(rest), make]).find(([found]) => found && !(inWord && rest[0] === "_"));
    if (made) {
      parts.push(plain, made[1](made[0]));
      plain = "";
      place += made[0][0].length;
    } else plain += text[place++];
  }
  return [...parts, plain].filter((part) => part !== "");
}

// Only addresses elsewhere are links: files beside the rules are not on this site.
function link(address, content) {
  return /^https?:\/\//.test(address) ? h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, content) : content;
}
