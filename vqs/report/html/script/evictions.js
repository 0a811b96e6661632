// Who is evicted for whom: those who get room on the left, those who lose it on the right.

const GRAPH = { most: 960, least: 480, row: 30, pad: 10, letter: 7.3, crowded: 150 };

// The evictions of the trace; those of a statement that was discarded did not happen.
function evictionsOf(data) {
  const { trace, texts } = data;
  const found = [];
  let operation = 0;
  trace.length.forEach((some, statement) => {
    const happens = texts[trace.result[statement]] !== "discard";
    for (let each = 0; each < some; each += 1, operation += 1) {
      if (trace.op[operation] === EVICT && happens) found.push(evictionOf(data, operation, statement));
    }
  });
  return found;
}

function evictionOf(data, operation, statement) {
  const { trace, texts, tasks } = data;
  const jobOf = (task) => (task >= 0 ? data.jobName(tasks.job[task]) : "");
  const [victim, evictor] = [trace.task[operation], trace.evictor[operation]];
  return {
    victim: data.taskName(victim),
    victimJob: jobOf(victim),
    evictor: data.taskName(evictor),
    evictorJob: jobOf(evictor),
    node: texts[trace.node[operation]],
    reason: texts[trace.reason[operation]],
    action: texts[trace.action[statement]],
  };
}

function showEvictions(host, evictions) {
  const drawing = make("div", { class: "graph", tabindex: 0, role: "region", "aria-label": "graph of evictions" });
  const grouping = (name) =>
    name === "task"
      ? [(each) => each.evictor, (each) => each.victim]
      : [(each) => each.evictorJob, (each) => each.victimJob];
  const show = (name) => drawing.replaceChildren(evictionGraph(sizeOf(drawing), evictions, name, ...grouping(name)));
  const { field, select } = choice(
    "By",
    [
      ["task", "task"],
      ["job", "job"],
    ],
    show,
  );
  select.value = evictions.length > GRAPH.crowded ? "job" : "task";
  const jobs = new Set(evictions.map((each) => each.victimJob));
  const sentence = `${count(evictions.length, "task")} of ${count(jobs.size, "job")} evicted.`;
  host.append(make("div", { class: "tools" }, make("p", {}, sentence), field), drawing);
  show(select.value);
}

function sizeOf(host) {
  const width = Math.max(GRAPH.least, Math.min(GRAPH.most, host.clientWidth));
  return { width, box: Math.round(width * 0.41) };
}

// Rows are victims; each of those who get room stands at the middle of its own.
function evictionGraph(size, evictions, kind, evictorOf, victimOf) {
  const groups = new Map();
  for (const each of evictions) {
    const evictor = evictorOf(each) || `(${each.action})`;
    const victims = groups.get(evictor) ?? groups.set(evictor, new Map()).get(evictor);
    victims.set(victimOf(each), [...(victims.get(victimOf(each)) ?? []), each]);
  }
  const svg = draw("svg", {
    class: "evictions",
    width: size.width,
    role: "img",
    "aria-label": `Evictions: ${groups.size} get room`,
  });
  let row = 0;
  for (const [evictor, victims] of groups) {
    svg.append(...evictionGroup(size, kind, evictor, victims, row));
    row += victims.size;
  }
  const height = row * GRAPH.row + GRAPH.pad;
  svg.setAttribute("viewBox", `0 0 ${size.width} ${height}`);
  svg.setAttribute("height", height);
  return svg;
}

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
