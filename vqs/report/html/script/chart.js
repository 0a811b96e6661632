// Charts of points: axes, marks that can be pressed, and the keys to walk through them.

import { draw, make } from "./dom.js";
import { NEGLIGIBLE } from "./units.js";

const PLOT = { height: 300, left: 66, right: 18, top: 12, bottom: 26, title: 22, radius: 5, small: 3, margin: 0.04 };
export const TICK = { height: 20, letter: 7.2, most: 14, widest: 8 };
export const LISTED_POINTS = 24;
// Where there are more positions than these, those that are close together are one mark; many marks are small.
const MOST_MARKS = 1500;
const MANY_MARKS = 250;
const CLOSE = 8;

// --- scales ----------------------------------------------------------------------------------------------------------

// A scale has place(value), a part from 0 to 1 of its length, and ticks: pairs of such a part and a text.

export function evenScale(values, written, { step = 0, unit = 1 } = {}) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const by = Math.max(step, niceStep((most - least || Math.abs(most) || 1) / unit, 5) * unit);
  const first = Math.floor(least / by);
  const last = Math.max(first + 1, Math.ceil(most / by));
  const place = (value) => inner((value / by - first) / (last - first));
  const steps = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * by);
  return { place, ticks: steps.map((value) => [place(value), written(value)]) };
}

// Leaves a margin at both ends, so that marks at an end are whole.
export const inner = (part) => PLOT.margin + (1 - 2 * PLOT.margin) * part;

function niceStep(span, number) {
  const rough = span / number;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].find((each) => each * power >= rough * (1 - NEGLIGIBLE)) * power;
}

// Numbers that differ by orders of magnitude have the same room for each.
export function logScale(values, written) {
  const [first, last] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const length = Math.max(1, last - first);
  const place = (value) => inner((Math.log10(value) - first) / length);
  const powers = Array.from({ length: length + 1 }, (_, at) => 10 ** (first + at));
  return { place, ticks: powers.map((value) => [place(value), written(value)]) };
}

// Few numbers are their own ticks.
export function listedScale(values, written, isLog) {
  const along = (value) => (isLog ? Math.log10(value) : value);
  const sorted = [...new Set(values)].sort((one, other) => one - other);
  const [least, most] = [along(sorted[0]), along(sorted.at(-1))];
  const place = (value) => (most > least ? inner((along(value) - least) / (most - least)) : 0.5);
  return { place, ticks: sorted.map((value) => [place(value), written(value)]) };
}

// Names have places of the same width, in the order in which they are listed.
export function nameScale(names) {
  const place = (at) => (at + 0.5) / names.length;
  return { place, ticks: names.map((name, at) => [place(at), name]) };
}

// Ticks with room for their texts: of those that would touch, the first one stays.
export function roomyTicks(ticks, length, room) {
  let end = -Infinity;
  return ticks.filter(([place, text]) => {
    const half = room(text) / 2;
    if (place * length - half < end) return false;
    end = place * length + half;
    return true;
  });
}

// --- axes ------------------------------------------------------------------------------------------------------------

export const shortened = (text, letters) => (text.length > letters ? `${text.slice(0, Math.max(1, letters - 1))}…` : text);

export function axes(width, { x, y, xTitle, yTitle, height = PLOT.height }) {
  const top = PLOT.top + (yTitle ? PLOT.title : 0);
  const frame = {
    left: PLOT.left,
    top,
    across: width - PLOT.left - PLOT.right,
    down: height - top - PLOT.bottom - (xTitle ? PLOT.title : 0),
  };
  const bottom = frame.top + frame.down;
  const most = Math.max(
    TICK.widest,
    Math.floor(frame.across / Math.max(1, Math.min(x.ticks.length, TICK.most)) / TICK.letter),
  );
  const label = (text) => shortened(text, most);
  const up = roomyTicks(y.ticks, frame.down, () => TICK.height).map(([part, text]) => {
    const y = bottom - part * frame.down;
    return [
      draw("line", { class: "rule", x1: frame.left, x2: frame.left + frame.across, y1: y, y2: y }),
      draw("text", { class: "tick", x: frame.left - 8, y: y + 4, "text-anchor": "end" }, shortened(text, TICK.widest)),
    ];
  });
  const along = roomyTicks(x.ticks, frame.across, (text) => label(text).length * TICK.letter + 10).map(([part, text]) =>
    draw(
      "text",
      { class: "tick", x: frame.left + part * frame.across, y: bottom + 18, "text-anchor": "middle" },
      label(text),
    ),
  );
  const titles = [
    draw("text", { class: "title", x: 4, y: 14 }, shortened(yTitle, Math.floor(width / TICK.letter))),
    draw(
      "text",
      { class: "title", x: frame.left + frame.across, y: height - 8, "text-anchor": "end" },
      shortened(xTitle, Math.floor(width / TICK.letter)),
    ),
  ];
  return {
    elements: [...up, ...along, ...titles].flat(),
    frame,
    left: (value) => frame.left + x.place(value) * frame.across,
    top: (value) => bottom - y.place(value) * frame.down,
    height,
  };
}

export const polyline = (name, points) =>
  draw("polyline", { class: name, points: points.map(([left, top]) => `${round(left)},${round(top)}`).join(" ") });

const round = (value) => Math.round(value * 10) / 10;

// --- marks -----------------------------------------------------------------------------------------------------------

// Points at the same place are one mark, the larger the more there are.
export function gathered(rows, left, top) {
  let found = clusters(rows, left, top, 0.5);
  for (let size = CLOSE; found.length > MOST_MARKS; size *= 1.5) found = clusters(rows, left, top, size);
  const least = found.length > MANY_MARKS ? PLOT.small : PLOT.radius;
  for (const cluster of found) cluster.radius = Math.min(2 * least, least + Math.log2(cluster.rows.length) * 0.8);
  return found;
}

function clusters(rows, left, top, size) {
  const found = new Map();
  for (const row of rows) {
    const [x, y] = [left(row), top(row)];
    const key = Math.round(x / size) * 100000 + Math.round(y / size);
    const cluster = found.get(key) ?? found.set(key, { x, y, rows: [] }).get(key);
    cluster.rows.push(row);
  }
  return [...found.values()].sort((one, other) => one.x - other.x || other.y - one.y);
}

// A mark is a disc, and a cross where what it stands for fails.
export function dot(name, { x, y, radius = PLOT.radius }) {
  if (!name.includes("failing"))
    return draw("circle", { class: `dot ${name}`, cx: round(x), cy: round(y), r: round(radius) });
  const size = round(radius);
  const path = `M${round(x - size)},${round(y - size)}l${2 * size},${2 * size}m0,${-2 * size}l${-2 * size},${2 * size}`;
  return draw("path", { class: `dot ${name}`, d: path });
}

// A chart whose marks can be pointed at, pressed, and walked through by keyboard.
export class Chart {
  // `sentence(mark)` says what a mark is; `open(rows)` returns what to show below of its points, if anything.
  constructor(host, { keys, sentence, open }) {
    this.host = host;
    this.keys = keys;
    this.sentence = sentence;
    this.open = open;
    this.cursor = 0;
    this.marks = [];
    this.readout = make("p", { class: "readout", "aria-live": "polite", id: `${host.id}-readout` });
    this.chosen = make("div", { class: "chosen" });
    this.svg = draw("svg", {
      class: "plot",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "chart",
      "aria-describedby": this.readout.id,
    });
    this.note = make("p", { class: "dim" });
    host.append(this.svg, this.readout, this.chosen, this.note);
    this.svg.addEventListener("pointermove", (event) => this.say(this.markOf(event)));
    this.svg.addEventListener("pointerleave", () => this.say(undefined));
    this.svg.addEventListener("click", (event) => this.press(this.markOf(event)));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.svg.addEventListener("focus", () => this.moveTo(this.cursor));
    this.svg.addEventListener("blur", () => this.ring?.setAttribute("class", "ring off"));
    new ResizeObserver(() => this.fit()).observe(host);
  }

  // `drawn(width)` returns height, elements, marks (each with its element, box and rows), how many of these are in a
  // row, and what is drawn over them.
  // What is not drawn is told by a note.
  show(label, drawn, note = "") {
    this.drawn = drawn;
    this.note.textContent = note;
    this.cursor = 0;
    this.svg.setAttribute("aria-label", `${label}. ${this.keys}`);
    this.chosen.replaceChildren();
    this.say(undefined);
    this.lay();
  }

  fit() {
    if (this.drawn && Math.abs(this.host.clientWidth - this.laidFor) > 1) this.lay();
  }

  lay() {
    this.laidFor = this.host.clientWidth;
    const width = Math.max(240, this.laidFor);
    const { height, elements, marks, across = 1, over = [] } = this.drawn(width);
    this.marks = marks;
    this.across = across;
    this.ring = draw("rect", { class: "ring off" });
    marks.forEach(({ element }, at) => element.setAttribute("data-mark", at));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", height);
    this.svg.replaceChildren(...elements, ...marks.map(({ element }) => element), ...over, this.ring);
  }

  markOf(event) {
    return this.marks[event.target.closest?.("[data-mark]")?.dataset.mark];
  }

  say(mark) {
    this.readout.textContent = mark ? this.sentence(mark) : "";
  }

  press(mark) {
    if (!mark?.rows.length) return;
    this.chosen.replaceChildren(...this.open(mark.rows));
    this.say(mark);
  }

  pressed(event) {
    const moves = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.across,
      ArrowUp: -this.across,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in moves) {
      event.preventDefault();
      this.moveTo(this.cursor + moves[event.key]);
    } else if (event.key === "Enter") {
      this.press(this.marks[this.cursor]);
    }
  }

  moveTo(at) {
    if (!this.marks.length) return;
    this.cursor = Math.min(Math.max(at, 0), this.marks.length - 1);
    const mark = this.marks[this.cursor];
    const { x, y, width, height } = mark.box;
    for (const [name, value] of Object.entries({ x, y, width, height })) this.ring.setAttribute(name, value);
    this.ring.setAttribute("class", "ring");
    this.say(mark);
  }
}

export const boxOf = ({ x, y, radius }) => {
  const size = radius + 3;
  return { x: x - size, y: y - size, width: 2 * size, height: 2 * size };
};
