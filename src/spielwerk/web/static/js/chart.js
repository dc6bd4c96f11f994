// Charts in plain SVG: lines with dots that can be picked, histograms, bars and spans. Colours come from the page's style.

import { h, s } from "./dom.js";
import { compact, number } from "./i18n.js";

const LEFT = 52, RIGHT = 12, TOP = 12, BOTTOM = 34;
const REACH = 22; // pixels around a dot within which a click means it
let WIDE = 640, HIGH = 240; // so that the letters keep their size on a phone and in a column
export const COLOURS = ["var(--accent)", "var(--gold)", "var(--blue)", "var(--bad)", "var(--good)", "var(--soft)"];

// Round numbers that divide a range into about `count` parts.
export function ticks(low, high, count = 4) {
  const rough = (high - low || 1) / count;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * size).find((n) => n >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(Math.abs(value) < step * 1e-9 ? 0 : value);
  return found;
}

function measure(small = false) {
  WIDE = small || innerWidth < 600 ? 380 : 640;
  HIGH = small ? 150 : 240;
}

function frame(label, x, y, low, high, xs, formatY, formatX, across) {
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
  const marks = ticks(low, high);
  if (new Set(marks.map(formatY)).size < marks.length) formatY = (value) => number(value, high - low < 10 ? 2 : 0);
  for (const value of marks) {
    svg.append(s("line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) }), s("text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" }, formatY(value)));
  }
  for (const value of ticks(xs[0], xs[1], 6)) svg.append(s("text", { x: x(value), y: HIGH - 17, "text-anchor": "middle" }, formatX(value)));
  svg.append(s("line", { class: "axis", x1: LEFT, x2: WIDE - RIGHT, y1: HIGH - BOTTOM, y2: HIGH - BOTTOM }));
  if (across) svg.append(s("text", { x: WIDE - RIGHT, y: HIGH - 2, "text-anchor": "end" }, across));
  return svg;
}

// lines: [{label, xs, ys, colour?}]; dots: [{x, y, kind, pick, title}]; marker: an x; small: for a column beside a board.
export function lineChart({ label, lines, dots = [], range = null, marker = null, formatY = compact, formatX = compact, across = "", area = false, small = false }) {
  measure(small);
  const allX = lines.flatMap((line) => line.xs), allY = lines.flatMap((line) => line.ys).filter((value) => value !== null && Number.isFinite(value));
  let [low, high] = range ?? [Math.min(...allY), Math.max(...allY)];
  if (!range) { const space = (high - low) * 0.08 || Math.abs(high) * 0.1 || 1; low -= space; high += space; }
  const first = Math.min(...allX), last = Math.max(...allX);
  const x = (value) => LEFT + ((WIDE - LEFT - RIGHT) * (value - first)) / (last - first || 1);
  const y = (value) => HIGH - BOTTOM - ((HIGH - TOP - BOTTOM) * (value - low)) / (high - low || 1);
  const svg = frame(label, x, y, low, high, [first, last], formatY, formatX, across);
  lines.forEach((line, n) => {
    const known = line.xs.map((value, i) => [value, line.ys[i]]).filter(([, value]) => value !== null && Number.isFinite(value));
    const path = known.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    const tint = line.colour ?? colour(n);
    if (area && known.length) svg.append(s("path", { class: "area", style: `fill:${tint}`, d: `${path}L${x(known.at(-1)[0])} ${HIGH - BOTTOM}L${x(known[0][0])} ${HIGH - BOTTOM}Z` }));
    svg.append(s("path", { class: "line", d: path, style: `stroke:${tint}` }));
  });
  if (marker !== null) svg.append(s("line", { class: "marker", x1: x(marker), x2: x(marker), y1: TOP, y2: HIGH - BOTTOM }));
  for (const dot of dots) {
    svg.append(s("circle", { class: `dot is-${dot.kind}`, style: "fill:var(--mood)", cx: x(dot.x), cy: y(dot.y), r: dot.big ? 6 : 4 }, s("title", {}, dot.title)));
  }
  if (dots.length) {
    const places = dots.map((dot) => ({ left: x(dot.x), top: y(dot.y), pick: dot.pick })), wide = WIDE;
    svg.addEventListener("click", ({ clientX, clientY }) => {
      const box = svg.getBoundingClientRect(), scale = box.width / wide;
      const far = ({ left, top }) => Math.hypot(box.left + scale * left - clientX, box.top + scale * top - clientY);
      const close = places.reduce((one, other) => (far(other) < far(one) ? other : one));
      if (far(close) <= REACH) close.pick();
    });
  }
  return svg;
}

export function histogram({ label, edges, counts, format = compact }) {
  measure();
  const most = Math.max(...counts, 1);
  const x = (value) => LEFT + ((WIDE - LEFT - RIGHT) * (value - edges[0])) / (edges.at(-1) - edges[0] || 1);
  const y = (value) => HIGH - BOTTOM - ((HIGH - TOP - BOTTOM) * value) / most;
  const svg = frame(label, x, y, 0, most, [edges[0], edges.at(-1)], compact, format, "");
  counts.forEach((count, i) => count && svg.append(s("rect", { class: "column", x: x(edges[i]) + 0.75, y: y(count), width: Math.max(x(edges[i + 1]) - x(edges[i]) - 1.5, 1), height: HIGH - BOTTOM - y(count), rx: 2 }, s("title", {}, `${format(edges[i])} – ${format(edges[i + 1])}: ${count}`))));
  return svg;
}

const BAR = 9, BETWEEN = 2, APART = 9; // of bars that lie, in pixels
const colour = (n) => COLOURS[n % COLOURS.length];

// Rows that lie below each other: a frame with the labels at the left and the scale below.
function lying(label, labels, row, low, high, format) {
  WIDE = innerWidth < 600 ? 350 : 520;
  HIGH = TOP + labels.length * row + 24;
  const left = Math.min(14 + 6.4 * Math.max(...labels.map((text) => text.length)), WIDE / 2);
  const x = (value) => left + ((WIDE - left - 26) * (value - low)) / (high - low || 1);
  const svg = s("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": label });
  for (const value of ticks(low, high)) {
    svg.append(s("line", { class: "grid", x1: x(value), x2: x(value), y1: TOP, y2: HIGH - 22 }), s("text", { x: x(value), y: HIGH - 7, "text-anchor": "middle" }, format(value)));
  }
  const top = (place) => TOP + place * row;
  labels.forEach((text, place) => svg.append(s("text", { x: left - 8, y: top(place) + row / 2 + 4, "text-anchor": "end" }, text)));
  return { svg, x, top };
}

// labels: what is compared; groups: [{label, values, colour?}] of those who are compared; most: the end of the scale, if it is known.
export function bars({ label, labels, groups, format = compact, most = null, axis = compact }) {
  const row = groups.length * (BAR + BETWEEN) + APART;
  const known = groups.flatMap(({ values }) => values).filter((value) => value !== null);
  const { svg, x, top } = lying(label, labels, row, Math.min(0, ...known), most ?? Math.max(...known, 0), axis);
  groups.forEach(({ label: who, values, colour: tint }, n) => values.forEach((value, place) => value !== null && svg.append(
    s("rect", { class: "bar", style: `fill:${tint ?? colour(n)}`, x: Math.min(x(0), x(value)), y: top(place) + APART / 2 + n * (BAR + BETWEEN), width: Math.max(Math.abs(x(value) - x(0)), 1), height: BAR, rx: 2 }, s("title", {}, `${labels[place]}, ${who}: ${format(value)}`)))));
  return svg;
}

// rows: [{label, low, high, from, to, mean, median, colour?}]: a thin line from low to high, a thick one in between, marks at mean and median.
export function spans({ label, rows, format = compact }) {
  const row = 30;
  const { svg, x, top } = lying(label, rows.map((one) => one.label), row, Math.min(...rows.map(({ low }) => low), 0), Math.max(...rows.map(({ high }) => high)), format);
  rows.forEach((one, n) => {
    const y = top(n) + row / 2, tint = one.colour ?? colour(n), style = `stroke:${tint};fill:${tint}`;
    svg.append(s("g", { class: "span", style },
      s("line", { x1: x(one.low), x2: x(one.high), y1: y, y2: y, "stroke-width": 2 }),
      s("rect", { x: x(one.from), y: y - 6, width: Math.max(x(one.to) - x(one.from), 1), height: 12, rx: 3, "fill-opacity": 0.3, stroke: "none" }),
      s("line", { x1: x(one.median), x2: x(one.median), y1: y - 8, y2: y + 8, "stroke-width": 2 }),
      s("circle", { cx: x(one.mean), cy: y, r: 4 }), s("title", {}, `${one.label}: ${format(one.low)} – ${format(one.high)}`)));
  });
  return svg;
}

export function legend(lines) {
  return h("div", { class: "legend" }, lines.map((line, n) => h("span", {}, h("i", { style: `background:${line.colour ?? colour(n)}` }), line.label)));
}
