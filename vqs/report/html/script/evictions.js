// Who is evicted for whom: those who get room on the left, those who lose it on the right.

import { details } from "./dialog.js";
import { address, choice, draw, make } from "./dom.js";
import { count } from "./units.js";

const GRAPH = { most: 960, least: 480, row: 30, pad: 10, letter: 7.3, rows: 60, crowded: { task: 12, job: 40, queue: Infinity } };

// The evictions of the trace; those of a statement that was discarded did not happen.
export function evictionsOf({ trace, taskAt }) {
  const side = (path) => ({ task: path, job: taskAt.get(path)?.jobName ?? "", queue: taskAt.get(path)?.queue ?? "" });
  return trace
    .filter(({ result }) => result !== "discard")
    .flatMap(({ action, operations }) =>
      operations
        .filter(({ op }) => op === "evict")
        .map((each) => ({ ...each, action, victim: side(each.task), evictor: side(each.evictor ?? "") })),
    );
}

// By task where there are few, else by job, and by queue where there are many pairs of jobs.
export function showEvictions(host, evictions) {
  const drawing = make("div", { class: "graph", tabindex: 0, role: "region", "aria-label": "graph of evictions" });
  const show = (kind) => drawing.replaceChildren(evictionGraph(sizeOf(drawing), evictions, kind));
  const kinds = ["task", "job", "queue"].filter((kind) => evictions.some(({ victim }) => victim[kind]));
  const { field, select } = choice("By", kinds.map((kind) => [kind]), show);
  const pairs = (kind) => new Set(evictions.map(({ victim, evictor }) => `${victim[kind]}\n${evictor[kind]}`)).size;
  select.value = kinds.find((kind) => pairs(kind) <= GRAPH.crowded[kind]) ?? kinds.at(-1);
  const sentence = `${count(evictions.length, "task")} of ${count(new Set(evictions.map(({ victim }) => victim.job)).size, "job")} evicted.`;
  host.append(make("div", { class: "tools" }, make("p", {}, sentence), field), drawing);
  show(select.value);
}

function sizeOf(host) {
  const width = Math.max(GRAPH.least, Math.min(GRAPH.most, host.clientWidth));
  return { width, box: Math.round(width * 0.41) };
}

// Rows are victims; each of those who get room stands at the middle of its own. Who gets most comes first.
function evictionGraph(size, evictions, kind) {
  const found = new Map();
  for (const each of evictions) {
    const evictor = each.evictor[kind] || `(${each.action})`;
    const victims = found.get(evictor) ?? found.set(evictor, new Map()).get(evictor);
    victims.set(each.victim[kind], [...(victims.get(each.victim[kind]) ?? []), each]);
  }
  const groups = [...found].sort((one, other) => total(other[1]) - total(one[1]));
  const svg = draw("svg", {
    class: "evictions",
    width: size.width,
    role: "group",
    "aria-label": `Evictions: ${groups.length} get room`,
  });
  let row = 0;
  for (const [evictor, victims] of groups) {
    if (row && row + victims.size > GRAPH.rows) continue;
    svg.append(...evictionGroup(size, kind, evictor, victims, row));
    row += victims.size;
  }
  const height = row * GRAPH.row + GRAPH.pad;
  svg.setAttribute("viewBox", `0 0 ${size.width} ${height}`);
  svg.setAttribute("height", height);
  return svg;
}

const total = (victims) => [...victims.values()].reduce((sum, some) => sum + some.length, 0);

function evictionGroup(size, kind, evictor, victims, first) {
  const middle = (first + (victims.size - 1) / 2) * GRAPH.row;
  const right = size.width - size.box;
  const parts = [];
  [...victims].forEach(([victim, evictions], at) => {
    const y = (first + at) * GRAPH.row;
    const bend = (size.box + right) / 2;
    const width = Math.min(8, 1 + Math.log2(evictions.length));
    const [from, to] = [middle + GRAPH.row / 2, y + GRAPH.row / 2];
    const path = `M ${size.box} ${from} C ${bend} ${from}, ${bend} ${to}, ${right - 8} ${to}`;
    const [one] = evictions;
    const said = evictions.length > 1 ? ` × ${evictions.length}` : "";
    const [place, why] = [one.node ? ` from ${one.node}` : "", one.reason ? `: ${one.reason}` : ""];
    const hint = `${victim}${said} is evicted${place} for ${evictor}${why}`;
    parts.push(draw("path", { d: path, class: "edge", "stroke-width": width }, draw("title", {}, hint)));
    parts.push(draw("path", { d: `M ${right - 8} ${to - 4} l 8 4 l -8 4 z`, class: "arrow" }));
    parts.push(graphBox(size, kind, victim, said, right, y, "victim", hint));
  });
  parts.push(graphBox(size, kind, evictor, "", 0, middle, "evictor", `room for ${evictor}`));
  return parts;
}

function graphBox(size, kind, name, said, x, y, role, hint) {
  const room = Math.floor((size.box - 2 * GRAPH.pad) / GRAPH.letter) - said.length;
  const short = name.length > room ? `${name.slice(0, room / 2)}…${name.slice(-room / 2 + 1)}` : name;
  const inner = [
    draw("title", {}, hint),
    draw("rect", { x: x + 0.5, y: y + 3, width: size.box - 1, height: GRAPH.row - 6, rx: 4, class: role }),
    draw("text", { x: x + 10, y: y + GRAPH.row / 2 + 4 }, short + said),
  ];
  return name.startsWith("(") || !details.has(kind)
    ? draw("g", {}, inner)
    : draw("a", { href: address(kind, name) }, inner);
}
