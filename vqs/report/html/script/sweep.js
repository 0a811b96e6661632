// The pages of a sweep and of a search: what parameters do to figures, what is traded for what, and every point.

import {
  axes,
  boxOf,
  Chart,
  dot,
  evenScale,
  gathered,
  inner,
  LISTED_POINTS,
  listedScale,
  logScale,
  nameScale,
  polyline,
  roomyTicks,
  shortened,
  TICK,
} from "./chart.js";
import { facts, showsDetails } from "./dialog.js";
import { address, bdi, byId, choice, command, draw, found, isCalm, link, make } from "./dom.js";
import { shadeRamp, SHADES } from "./nodes.js";
import { openPage } from "./page.js";
import { Filters, Table } from "./table.js";
import { bytes, count, duration, fixed, grouped, UNITS_OF_TIME } from "./units.js";

const MOST_VALUES = 40;
const NEVER_FROM = 0.82;
const HEAT_MAP = { row: 34, left: 96, bottom: 44, gap: 2, letters: 12 };
const STRONG_SHADE = 8;
const MOST_LABELS = 12;

function unpackSweep(data) {
  for (const { levels } of [...data.parameters, ...data.effects])
    for (const level of levels) level.short = shortLevel(level);
  for (const parameter of data.parameters) {
    parameter.text = (row) => parameter.texts[parameter.at[row]];
    parameter.number = (row) => parameter.values[parameter.at[row]];
  }
  for (const figure of data.figures) {
      // What never happens comes after all that does, and is drawn there.
    figure.of = (row) => figure.values[figure.at[row]] ?? (figure.isTimed && !data.error[row] ? Infinity : null);
    if (figure.isTimed) figure.bases = figure.bases.map((base, at) => base ?? (figure.hasBase[at] ? Infinity : null));
    figure.text = (row) => figure.texts[figure.at[row]];
  }
  data.length = data.numbers.length;
  data.rows = [...data.numbers.keys()];
  data.rowOf = new Map(data.rows.map((row) => [data.numbers[row], row]));
}

function showSweep(data) {
  unpackSweep(data);
  const page = { data };
  showsDetails("point", (number) => pointDetails(page, Number(number)));
  const measured = data.figures.filter((figure) => figure.isNumber && figure.values.some((each) => each !== null));
  const varied = data.parameters.filter((parameter) => parameter.texts.length > 1);
  const changed = varied.filter((parameter) => !parameter.isSnapshot);
  if (byId("effects-chart")) showEffects(byId("effects-chart"), data, changed, measured);
  if (byId("against-chart")) showAgainst(byId("against-chart"), data, changed, measured);
  if (byId("tradeoffs-chart")) showTradeOffs(byId("tradeoffs-chart"), data, measured);
  if (byId("heat-chart")) showHeatMap(byId("heat-chart"), data, varied, measured);
  showPoints(page);
  for (const part of document.querySelectorAll("#answer, #tradeoffs .grid-table")) linkPoints(part, data);
  for (const pressed of found("[data-state]")) {
    pressed.addEventListener("click", () => {
      page.pointFilters.set("", { state: data.words[pressed.dataset.state] });
      byId("points").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
      page.pointFilters.input.focus({ preventScroll: true });
    });
  }
  return page;
}

// Makes links of the numbers of points in a text, such as #12.
function linkPoints(part, data) {
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    const pieces = text.textContent.split(/(#\d+)/);
    const linked = pieces.map((piece, at) => {
      const row = at % 2 ? data.rowOf.get(Number(piece.slice(1))) : undefined;
      return row === undefined ? piece : pointLink(data, row);
    });
    if (pieces.length > 1) text.replaceWith(...linked);
  }
}

// --- figures and parameters --------------------------------------------------------------------------------------------

// A number of a figure as the tables write it; see vqs/report/sweep/figures.py.
function writtenFigure(figure, value) {
  if (value === Infinity) return figure.missing;
  if (figure.unit === "part") return `${Number((value * 100).toPrecision(4))}%`;
  if (figure.unit === "bytes") return bytes(value);
  if (figure.unit === "seconds") return duration(value);
  return Number(fixed(value, 2)).toLocaleString("en-US");
}

// The scale of a figure at some points, and without edits.
function figureScale(figure, points, base) {
  const rows = points.map(figure.of);
  const values = [...rows, base].filter(Number.isFinite);
  const written = (value) => writtenFigure(figure, value);
  const scale = numberScale(figure, values, written);
  return rows.includes(Infinity) || base === Infinity ? withNever(scale, figure) : scale;
}

function numberScale(figure, values, written) {
  if (figure.unit === "bytes") {
    const unit = 1024 ** Math.floor(Math.log2(Math.max(1, ...values.map(Math.abs))) / 10);
    return evenScale(values, written, { unit });
  }
  if (figure.unit === "seconds") {
    const [unit] = UNITS_OF_TIME.find(([size]) => Math.max(...values) >= 4 * size) ?? [1, "s"];
    return evenScale(values, written, { unit });
  }
  return evenScale(values, written, { step: values.every(Number.isInteger) ? 1 : 0 });
}

// Leaves room at the end for what never happens.
function withNever({ place, ticks }, figure) {
  const shrunk = (part) => part * NEVER_FROM;
  return {
    place: (value) => (value === Infinity ? inner(1) : shrunk(place(value))),
    ticks: [...ticks.map(([part, text]) => [shrunk(part), text]), [inner(1), figure.missing]],
  };
}

const MOST_TICKS = 10;
const ORDERS = 20;

// Whether numbers go over orders of magnitude, and the middle one is in the middle by ratio rather than by difference.
function isByRatio(values) {
  const [least, middle, most] = [values[0], values[values.length >> 1], values.at(-1)];
  if (!(least > 0) || most / least < ORDERS) return false;
  const byDifference = (middle - least) / (most - least);
  const byRatio = Math.log(middle / least) / Math.log(most / least);
  return Math.abs(byRatio - 0.5) < Math.abs(byDifference - 0.5);
}

function parameterScale(parameter) {
  if (!parameter.isNumber) return nameScale(parameter.texts);
  const { values } = parameter;
  const isLog = isByRatio(values);
  const written = (value) => Number(value.toPrecision(6)).toLocaleString("en-US");
  if (values.length <= MOST_TICKS) return listedScale(values, written, isLog);
  return isLog ? logScale(values, written) : evenScale(values, written);
}

// A range of values with few digits.
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const shortLevel = ({ text, ends }) => (ends ? `${compact.format(ends[0])}–${compact.format(ends[1])}` : text);

const placeOf = (parameter, row) => (parameter.isNumber ? parameter.number(row) : parameter.at[row]);

// The mean of what has a number; of points at which it never happens alone, that.
function mean(rows, figure) {
  const values = rows.map(figure.of);
  const numbers = values.filter(Number.isFinite);
  if (numbers.length) return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  return values.includes(Infinity) ? Infinity : null;
}

// The titles of axes: what numbers are of, which of them are better, and their unit or what they count.
const figureTitle = ({ name, better, measured }) => `${name}${better ? `, ${better} is better` : ""} (${measured})`;
const parameterTitle = ({ name, sets }) => (sets && sets !== name ? `${name} (${sets})` : name);
const known = (rows, figures) => rows.filter((row) => figures.every((figure) => figure.of(row) !== null));
// Tells of points that cannot be drawn, as a figure has no number there.
function undrawn(all, rows) {
  const left = all.length - rows.length;
  return left
    ? `${count(left, "point")} of ${grouped(all.length)} without a number ${left === 1 ? "is" : "are"} not drawn.`
    : "";
}

const pointLink = (data, row) => link("point", data.numbers[row], `#${data.numbers[row]}`);

function pointsLine(data, rows) {
  if (rows.length === 1) {
    location.hash = address("point", data.numbers[rows[0]]);
    return [];
  }
  const rest = rows.length - LISTED_POINTS;
  return [
    make(
      "p",
      {},
      `${count(rows.length, "point")}: `,
      rows.slice(0, LISTED_POINTS).flatMap((row) => [pointLink(data, row), " "]),
      rest > 0 && `and ${grouped(rest)} more`,
    ),
  ];
}

const failing = (data, rows) => rows.filter((row) => data.failures[row] > 0);
/** @returns {string} */
const dotKind = (data, rows) => (failing(data, rows).length ? "failing" : "usual");

function several(data, rows) {
  const failed = failing(data, rows).length;
  const said = [
    rows.length > 1 && count(rows.length, "point"),
    failed > 0 && (rows.length > 1 ? `${grouped(failed)}: ${data.words.failing}` : data.words.failing),
  ].filter(Boolean);
  return said.length ? ` (${said.join(", ")})` : "";
}

function chooseOf(label, all, first, act) {
  const { field, select } = choice(
    label,
    all.map(({ name }, at) => [at, name]),
    () => act(),
  );
  select.value = String(Math.max(0, first));
  return { field, chosen: () => all[Number(select.value)], select };
}

// Chooses a snapshot, as points of different ones are not compared; where there is one, there is nothing to choose.
function chooseSnapshot(data, act) {
  const { field, select } = choice(
    "Snapshot",
    data.snapshots.map((name, at) => [at, name]),
    () => act(),
  );
  const at = () => Number(select.value);
  return {
    field: data.snapshots.length > 1 && field,
    at,
    rows: () => data.rows.filter((row) => data.snapshot[row] === at()),
    name: () => (data.snapshots.length > 1 ? ` on ${data.snapshots[at()]}` : ""),
  };
}

// --- main effects -------------------------------------------------------------------------------------------------------

// A small chart for each parameter, all to one scale: the mean of each level, and from where to where its points go.
function showEffects(host, data, parameters, figures) {
  const panels = make("div", { class: "panels" });
  const picked = chooseOf("Figure", figures, 0, () => show());
  const side = chooseSnapshot(data, () => show());
  const show = () => {
    const figure = picked.chosen();
    const effects = data.effects.filter((effect) => effect.figure === figure.name && effect.snapshot === side.at());
    const shown = effects.flatMap((effect) =>
      parameters.filter(({ name }) => name === effect.parameter).map((parameter) => [effect, parameter]),
    );
    const values = shown.flatMap(([{ levels }]) => levels.flatMap(({ least, most }) => [least, most]));
    panels.replaceChildren(...shown.map(([effect, parameter]) => effectPanel(effect, parameter, figure, values)));
  };
  host.append(make("div", { class: "tools" }, figures.length > 1 && picked.field, side.field, effectLegend()), panels);
  show();
}

function effectLegend() {
  return make(
    "div",
    { class: "legend" },
    plotSign(draw("circle", { class: "dot usual", cx: 10, cy: 7, r: 4.5 }), "mean"),
    plotSign(draw("line", { class: "range", x1: 10, x2: 10, y1: 1, y2: 13 }), "lowest to highest"),
  );
}

function effectPanel(effect, parameter, figure, values) {
  const { levels } = effect;
  const names = levels.map(({ short }) => short);
  const width = 300;
  const x = nameScale(names);
  const frame = axes(width, {
    x,
    y: numberScale(figure, values, (value) => writtenFigure(figure, value)),
    xTitle: parameterTitle(parameter),
    yTitle: figure.measured,
    height: 200,
  });
  const middle = levels.map((level, at) => [frame.left(at), frame.top(level.mean)]);
  const ranges = levels.map(({ least, most }, at) =>
    draw("line", { class: "range", x1: frame.left(at), x2: frame.left(at), y1: frame.top(least), y2: frame.top(most) }),
  );
  const dots = middle.map(([left, top], at) =>
    draw(
      "circle",
      { class: "dot usual", cx: left, cy: top, r: 4.5 },
      draw("title", {}, levelSentence(figure, levels[at])),
    ),
  );
  const said = levels.map((level) => levelSentence(figure, level)).join("; ");
  const svg = draw(
    "svg",
    {
      class: "plot panel",
      viewBox: `0 0 ${width} ${frame.height}`,
      role: "img",
      "aria-label": `${figure.name} by ${effect.parameter}: ${said}`,
    },
    frame.elements,
    ranges,
    effect.isNumber && polyline("middle", middle),
    dots,
  );
  return make(
    "figure",
    {},
    make("figcaption", {}, make("strong", {}, bdi(effect.parameter)), make("small", {}, effect.said)),
    svg,
  );
}

const levelSentence = (figure, { text, mean: middle, least, most, points }) =>
  `${text}: ${writtenFigure(figure, middle)}` +
  (least === most
    ? ""
    : ` on average, ${writtenFigure(figure, least)} to ${writtenFigure(figure, most)} (${count(points, "point")})`);

// --- a figure against a parameter ----------------------------------------------------------------------------------------

function showAgainst(host, data, parameters, figures) {
  const along = chooseOf("Parameter", parameters, 0, () => show());
  const up = chooseOf("Figure", figures, 0, () => show());
  const side = chooseSnapshot(data, () => show());
  const body = make("div", { id: "against-body" });
  host.append(
    make(
      "div",
      { class: "tools" },
      along.field,
      up.field,
      side.field,
      pointLegend(data, draw("line", { class: "base", x2: 20, y1: 7, y2: 7 })),
    ),
    body,
  );
  const chart = new Chart(body, {
    keys: "Arrow keys go from mark to mark, Enter shows its points.",
    sentence: ({ rows }) => {
      const [parameter, figure] = [along.chosen(), up.chosen()];
      return `${parameter.name} ${parameter.text(rows[0])}: ${figure.name} ${figure.text(rows[0])}${several(data, rows)}`;
    },
    open: (rows) => pointsLine(data, rows),
  });
  const show = () => {
    const [parameter, figure, all] = [along.chosen(), up.chosen(), side.rows()];
    const [rows, base] = [known(all, [figure]), figure.bases[side.at()]];
    chart.show(
      `${figure.name} against ${parameter.name}${side.name()}`,
      (width) => {
        const frame = axes(width, {
          x: parameterScale(parameter),
          y: figureScale(figure, all, base),
          xTitle: parameterTitle(parameter),
          yTitle: figureTitle(figure),
        });
        const marks = marksOf(
          data,
          rows,
          (row) => frame.left(placeOf(parameter, row)),
          (row) => frame.top(figure.of(row)),
        );
        const middle = parameter.isNumber ? middles(parameter, figure, rows) : [];
        const line = middle.map(([value, height]) => [frame.left(value), frame.top(height)]);
        const over = [polyline("middle", line), ...labels(figure, marks, frame)];
        return { height: frame.height, elements: [...frame.elements, baseLine(frame, base)], marks, over };
      },
      undrawn(all, rows),
    );
  };
  show();
}

// What a few marks stand for, above each of them.
function labels(figure, marks, { frame }) {
  if (marks.length > MOST_LABELS) return [];
  return marks.map(({ rows, x, y }) => {
    const isLast = x > frame.left + frame.across * 0.9;
    return draw(
      "text",
      { class: "tick", x: x + (isLast ? -8 : 8), y: Math.max(12, y - 8), "text-anchor": isLast ? "end" : "start" },
      figure.text(rows[0]),
    );
  });
}

// Where the figure is without any edits; nothing where there are several releases or seeds.
function baseLine({ frame, top }, base) {
  if (base === null) return "";
  const height = top(base);
  return draw("line", { class: "base", x1: frame.left, x2: frame.left + frame.across, y1: height, y2: height });
}

// The figure at each value of a parameter where no value has several points; else its mean at each value, or, where there
// are many values, at the middle of each level.
function middles(parameter, figure, rows) {
  const isOfPoints = new Set(rows.map((row) => parameter.at[row])).size === rows.length;
  const isListed = isOfPoints || parameter.values.length <= parameter.levels.length;
  const groups = groupedBy(rows, isListed ? parameter.at : parameter.level);
  const center = (group) =>
    isListed ? parameter.number(group[0]) : group.reduce((sum, row) => sum + parameter.number(row), 0) / group.length;
  return [...groups.values()]
    .map((group) => [center(group), mean(group, figure)])
    .filter(([, height]) => Number.isFinite(height))
    .sort(([one], [other]) => one - other);
}

function groupedBy(rows, at) {
  const groups = new Map();
  for (const row of rows) (groups.get(at[row]) ?? groups.set(at[row], []).get(at[row])).push(row);
  return groups;
}

function marksOf(data, rows, left, top, kind = (some) => dotKind(data, some)) {
  return gathered(rows, left, top).map((cluster) => ({
    ...cluster,
    box: boxOf(cluster),
    element: dot(kind(cluster.rows), cluster),
  }));
}

// Explains marks, which have the kinds that are given besides the usual one, and `without`, which stands for no edits.
function pointLegend(data, without, more = []) {
  const mark = (kind) => dot(kind, { x: 10, y: 7 });
  const signs = [[mark("usual"), "points"], ...more.map(([kind, word]) => [mark(kind), word])];
  if (data.figures.some(({ bases }) => bases.some((base) => base !== null))) signs.push([without, "without edits"]);
  if (data.failureLists.length > 1) signs.push([mark("failing"), data.words.failing]);
  return make(
    "div",
    { class: "legend" },
    signs.map(([drawn, word]) => plotSign(drawn, word)),
  );
}

const plotSign = (drawn, word) =>
  make(
    "span",
    { class: "sign" },
    draw("svg", { viewBox: "0 0 20 14", width: 20, height: 14, class: "plot", "aria-hidden": "true" }, drawn),
    word,
  );

// --- trade-offs ---------------------------------------------------------------------------------------------------------

function showTradeOffs(host, data, figures) {
  const [first, second] = data.tradeOff.map((name) => figures.findIndex((figure) => figure.name === name));
  const along = chooseOf("Across", figures, first, () => show());
  const up = chooseOf("Up", figures, second, () => show());
  const side = chooseSnapshot(data, () => show());
  const body = make("div", { id: "tradeoffs-body" });
  const legend = pointLegend(data, dot("without", { x: 10, y: 7 }), [["best", "Pareto front of the two"]]);
  host.append(make("div", { class: "tools" }, along.field, up.field, side.field, legend), body);
  const chart = new Chart(body, {
    keys: "Arrow keys go from mark to mark, Enter shows its points.",
    sentence: ({ rows, isBest }) =>
      [along.chosen(), up.chosen()].map((figure) => `${figure.name} ${figure.text(rows[0])}`).join(", ") +
      `${several(data, rows)}${isBest ? ", on the Pareto front of the two" : ""}`,
    open: (rows) => pointsLine(data, rows),
  });
  const show = () => {
    const [across, upward, all] = [along.chosen(), up.chosen(), side.rows()];
    const rows = known(all, [across, upward]);
    const without = [across, upward].map((figure) => figure.bases[side.at()]);
    const front = across.better && upward.better ? frontOf(rows, across, upward) : [];
    const best = new Set(front);
    chart.show(
      `${upward.name} against ${across.name}${side.name()}`,
      (width) => {
        const scale = (figure) => figureScale(figure, all, figure.bases[side.at()]);
        const frame = axes(width, {
          x: scale(across),
          y: scale(upward),
          xTitle: figureTitle(across),
          yTitle: figureTitle(upward),
        });
        const [left, top] = [(row) => frame.left(across.of(row)), (row) => frame.top(upward.of(row))];
        const kind = (some) =>
          some.some((row) => best.has(row)) ? `best ${dotKind(data, some)}` : dotKind(data, some);
        const marks = marksOf(data, rows, left, top, kind);
        for (const mark of marks) mark.isBest = mark.rows.some((row) => best.has(row));
        const line = front.map((row) => [left(row), top(row)]);
        const over = without.includes(null) ? [] : [baseMark(frame, ...without)];
        return { height: frame.height, elements: [...frame.elements, polyline("front", line)], marks, over };
      },
      undrawn(all, rows),
    );
  };
  show();
}

const baseMark = ({ left, top }, across, upward) => dot("without", { x: left(across), y: top(upward) });

// The points of which no other is as good in both figures and better in one, from left to right.
function frontOf(rows, across, upward) {
  const good = (figure, row) => (figure.better === "more" ? figure.of(row) : -figure.of(row));
  const sorted = [...rows].sort(
    (one, other) => good(across, other) - good(across, one) || good(upward, other) - good(upward, one),
  );
  const front = [];
  for (const row of sorted) {
    const last = front.at(-1);
    const isEqual = last !== undefined && across.of(row) === across.of(last) && upward.of(row) === upward.of(last);
    if (last === undefined || isEqual || good(upward, row) > good(upward, last)) front.push(row);
  }
  return front.sort((one, other) => across.of(one) - across.of(other));
}

// --- a map of two parameters ----------------------------------------------------------------------------------------------

function showHeatMap(host, data, parameters, figures) {
  const along = chooseOf("Across", parameters, 0, () => show());
  const down = chooseOf("Down", parameters, 1, () => show());
  const picked = chooseOf("Figure", figures, 0, () => show());
  const side = chooseSnapshot(data, () => show());
  const body = make("div", { id: "heat-body" });
  const legend = make("div", { class: "legend" });
  host.append(make("div", { class: "tools" }, along.field, down.field, picked.field, side.field, legend), body);
  const chart = new Chart(body, {
    keys: "Arrow keys go from cell to cell, Enter shows its points.",
    sentence: (cell) => {
      const figure = picked.chosen();
      const said = cellText(cell, (value) => writtenFigure(figure, value));
      const of = cell.rows.length > 1 ? ` on average of ${count(cell.rows.length, "point")}` : "";
      const what = said ? `${figure.name} ${said}${of}` : "no point";
      return `${along.chosen().name} ${cell.column}, ${down.chosen().name} ${cell.row}: ${what}`;
    },
    open: (rows) => pointsLine(data, rows),
  });
  const show = () => {
    const [across, downward, figure] = [along.chosen(), down.chosen(), picked.chosen()];
    const isOfAll = across.isSnapshot || downward.isSnapshot;
    if (side.field) side.field.hidden = isOfAll;
    const all = isOfAll ? data.rows : side.rows();
    const rows = known(all, [figure]);
    const cells = heatCells(rows, across, downward, figure);
    const values = cells.map(({ value }) => value).filter(Number.isFinite);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const written = (value) => writtenFigure(figure, value);
    legend.replaceChildren(
      make("span", {}, figureTitle(figure)),
      values.length ? make("span", { class: "sign" }, written(least), shadeRamp(), written(most)) : "",
    );
    const drawn = (width) => heatMap(width, { across, downward, cells, least, most, written });
    const on = isOfAll ? "" : side.name();
    chart.show(`${figure.name} by ${across.name} and ${downward.name}${on}`, drawn, undrawn(all, rows));
  };
  show();
}

function heatCells(rows, across, downward, figure) {
  const columns = across.levels.length;
  const cells = Array.from({ length: columns * downward.levels.length }, (_, at) => ({
    column: across.levels[at % columns].text,
    row: downward.levels[Math.floor(at / columns)].text,
    rows: [],
    value: NaN,
    never: 0,
  }));
  for (const row of rows) cells[downward.level[row] * columns + across.level[row]].rows.push(row);
  for (const cell of cells) {
    cell.value = mean(cell.rows, figure);
    cell.never = cell.rows.filter((row) => figure.of(row) === Infinity).length;
  }
  return cells;
}

// The mean; where some points have no number, at how many of them there is one.
function cellText({ value, never, rows }, written) {
  if (value === null) return "";
  const isMixed = never > 0 && never < rows.length;
  return isMixed ? `${written(value)} (${rows.length - never} of ${rows.length})` : written(value);
}

function heatMap(width, { across, downward, cells, least, most, written }) {
  const columns = across.levels.length;
  const step = (width - HEAT_MAP.left) / columns;
  const height = downward.levels.length * HEAT_MAP.row + HEAT_MAP.bottom + 18;
  const marks = cells.map((cell, at) => {
    const [x, y] = [HEAT_MAP.left + (at % columns) * step, 18 + Math.floor(at / columns) * HEAT_MAP.row];
    const box = { x, y, width: Math.max(1, step - HEAT_MAP.gap), height: HEAT_MAP.row - HEAT_MAP.gap };
    const shade = Number.isFinite(cell.value)
      ? Math.round(most > least ? ((cell.value - least) / (most - least)) * SHADES : SHADES / 2)
      : -1;
    const text = cellText(cell, written);
    const rect = draw("rect", { class: shade < 0 ? "cell none" : `cell s${shade}`, ...box, rx: 2 });
    const label =
      text.length * TICK.letter < step - 6 &&
      draw(
        "text",
        { class: shade >= STRONG_SHADE ? "in strong" : "in", x: x + box.width / 2, y: y + 21, "text-anchor": "middle" },
        text,
      );
    return { ...cell, box, element: draw("g", {}, rect, label) };
  });
  const letters = Math.max(2, Math.floor(step / TICK.letter));
  const place = across.levels.map(({ short }, at) => [(at + 0.5) / columns, shortened(short, Math.max(letters, 6))]);
  const names = roomyTicks(place, width - HEAT_MAP.left, (text) => text.length * TICK.letter + 6).map(([part, text]) =>
    draw(
      "text",
      {
        class: "tick",
        x: HEAT_MAP.left + part * (width - HEAT_MAP.left),
        y: height - HEAT_MAP.bottom + 16,
        "text-anchor": "middle",
      },
      text,
    ),
  );
  const sides = downward.levels.map(({ short }, at) =>
    draw(
      "text",
      { class: "tick", x: HEAT_MAP.left - 8, y: 18 + at * HEAT_MAP.row + 21, "text-anchor": "end" },
      shortened(short, HEAT_MAP.letters),
    ),
  );
  const titles = [
    draw("text", { class: "title", x: 4, y: 12 }, parameterTitle(downward)),
    draw("text", { class: "title", x: width, y: height - 8, "text-anchor": "end" }, parameterTitle(across)),
  ];
  return { height, elements: [...names, ...sides, ...titles], marks, across: columns };
}

// --- points -------------------------------------------------------------------------------------------------------------

function pointColumns(data) {
  const { parameters, figures } = data;
  const keyOf = (each) => (row) => {
    if (!each.isNumber) return each.text(row);
    const value = each.values[each.at[row]];
    return value === null ? Infinity : value;
  };
  const column = (each) => ({
    title: each.name,
    width: `minmax(${columnWidth(each)}rem, 1fr)`,
    numeric: each.isNumber,
    key: keyOf(each),
    cell: (row) => bdi(each.text(row)),
  });
  const state = {
    title: "State",
    width: "minmax(14rem, 2fr)",
    key: (row) => stateOfPoint(data, row),
    says: (row) => stateOfPoint(data, row),
    cell: (row) => {
      const said = stateOfPoint(data, row);
      return said && make("span", { class: `state ${data.states[data.state[row]]}` }, said);
    },
  };
  const point = {
    title: "Point",
    width: "4.5rem",
    key: (row) => data.numbers[row],
    cell: (row) => pointLink(data, row),
  };
  return [point, ...parameters.map(column), ...(data.state.some(Boolean) ? [state] : []), ...figures.map(column)];
}

// Room for the values in one line, and for each part of the heading, unless they are very long.
const columnWidth = ({ name, texts }) =>
  Math.min(15, 2 + 0.52 * [...name.split(/(?<=[:./])/), ...texts].reduce((most, text) => Math.max(most, text.length), 0));

function stateOfPoint(data, row) {
  if (data.error[row]) return data.error[row];
  const failures = data.failureLists[data.failures[row]];
  if (failures?.length) return failures.join("; ");
  return data.states[data.state[row]] === "front" ? data.words.front : "";
}

function showPoints(page) {
  const { data } = page;
  const host = byId("points").querySelector(".body");
  const columns = [...data.parameters, ...data.figures];
  page.pointTable = new Table(host, {
    label: "points",
    columns: pointColumns(data),
    least: `${columns.reduce((sum, each) => sum + columnWidth(each) + 1, data.state.some(Boolean) ? 22 : 6)}rem`,
    rows: data.rows,
    empty: data.length ? "No point matches." : "There are no points.",
    comparable: (row, name) => {
      const column = columns.find((each) => each.name.toLowerCase() === name);
      return column && (column.isNumber ? column.values[column.at[row]] : column.text(row).toLowerCase());
    },
    text: (row) =>
      `#${data.numbers[row]} ${columns.map((each) => `${each.name}=${each.text(row)}`).join(" ")} ${stateOfPoint(data, row)} `,
    open: (row) => {
      location.hash = address("point", data.numbers[row]);
    },
  });
  const hint = columns.length ? `search, such as ${example(data)}` : "search points";
  page.pointFilters = new Filters(host, page.pointTable, { label: "search points", hint });
  page.pointFilters.add("state", "Show", (row) => data.words[data.states[data.state[row]]]);
  // Numbers of figures are compared in a search; what has few values can be chosen.
  for (const each of [...data.parameters, ...data.figures.filter((figure) => !figure.isNumber)])
    if (each.texts.length <= MOST_VALUES) page.pointFilters.add(each.name, each.name, (row) => each.text(row));
}

// A search that finds something: the first parameter with several values, and a figure compared with one of its own.
function example(data) {
  const figure = data.figures.find((each) => each.isNumber && each.values.some((value) => value !== null));
  if (!figure) return `${data.parameters[0]?.name ?? "point"}=…`;
  const value = figure.values.findLast((each) => each !== null);
  return `${figure.name}>=${Number(value.toPrecision(4))}`;
}

function pointDetails(page, number) {
  const { data } = page;
  const row = data.rowOf.get(number);
  if (row === undefined) return null;
  const texts = (columns) => columns.map((each) => [each.name, bdi(each.text(row))]);
  const edits = data.parameters.flatMap((each) => each.edits[each.at[row]] ?? []);
  const failures = data.failureLists[data.failures[row]] ?? [];
  const neighbour = (step, word) => {
    const at = page.pointTable.shown.indexOf(row) + step;
    const other = page.pointTable.shown[at];
    return other === undefined ? "" : link("point", data.numbers[other], word);
  };
  const body = [
    data.error[row] ? make("p", { class: "alarm" }, data.error[row]) : "",
    failures.length
      ? make(
          "ul",
          { class: "failed" },
          failures.map((text) => make("li", {}, text)),
        )
      : "",
    data.states[data.state[row]] === "front" ? make("p", {}, `This point ${data.words.front.startsWith("on ") ? "is " : ""}${data.words.front}.`) : "",
    make("h3", {}, "What is changed"),
    edits.length
      ? make(
          "ul",
          { class: "names" },
          edits.map((text) => make("li", {}, make("code", {}, text))),
        )
      : make("p", { class: "dim" }, "Nothing: this is the base."),
    data.commands[row] ? make("h3", {}, "The same change, job by job") : "",
    data.commands[row] ? make("p", {}, command(data.commands[row])) : "",
    make("h3", {}, "Parameters"),
    facts(texts(data.parameters)),
    make("h3", {}, "Figures"),
    facts(texts(data.figures)),
    make("p", { class: "tools" }, neighbour(-1, "previous point"), neighbour(1, "next point")),
  ];
  return { title: `Point ${grouped(number)}`, body: body.filter(Boolean) };
}

openPage(showSweep);
