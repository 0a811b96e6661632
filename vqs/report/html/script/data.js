// The data of the page, written by vqs/report/html/data.py: lists as columns of numbers that stand for texts.

const OUTCOMES = ["unchanged", "pending", "placed", "pipelined", "evicted"];
const ALLOCATE = 0;
const PIPELINE = 1;
const EVICT = 2;

function unpacked(column) {
  if (Array.isArray(column)) return Int32Array.from(column);
  return column.runs ? repeated(column.runs) : summedUp(repeated(column.steps));
}

function repeated(runs) {
  let length = 0;
  for (let at = 1; at < runs.length; at += 2) length += runs[at];
  const values = new Int32Array(length);
  let place = 0;
  for (let at = 0; at < runs.length; at += 2) {
    values.fill(runs[at], place, place + runs[at + 1]);
    place += runs[at + 1];
  }
  return values;
}

function summedUp(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

function unpackedNames({ shared, rest }) {
  const common = unpacked(shared);
  if (!common.length) return [];
  let name = "";
  return rest.split("\n").map((end, at) => (name = name.slice(0, common[at]) + end));
}

function unpackedTable(table) {
  const columns = {};
  for (const [name, column] of Object.entries(table)) {
    if (name === "path") columns.path = unpackedNames(column);
    else if (name === "waitsFor") columns.waitsFor = column;
    else columns[name] = unpacked(column);
  }
  return columns;
}

function readData() {
  const data = JSON.parse(byId("data").textContent);
  if (data.kind === "diff") unpackSides(data.nodes);
  if (data.kind === "sweep") unpackSweep(data);
  if (data.kind !== "simulation") return data;
  for (const name of ["jobs", "tasks", "nodes", "trace"]) data[name] = unpackedTable(data[name]);
  const { tasks, trace } = data;
  // A step on the node that its task has in the end goes without the node's name.
  trace.node = trace.node.map((node, step) => node || (trace.task[step] < 0 ? 0 : tasks.node[trace.task[step]]));
  return Object.assign(data, lookups(data));
}

function unpackSides(nodes) {
  nodes.name = unpackedNames(nodes.name);
  for (const side of ["before", "after"]) nodes[side] = unpackedTable(nodes[side]);
}

// What is asked for again and again, found once.
function lookups(data) {
  const { jobs, tasks, nodes, texts } = data;
  const nodeOf = new Int32Array(texts.length).fill(-1);
  nodes.name.forEach((text, at) => {
    nodeOf[text] = at;
  });
  return {
    nodeOf,
    nodeAt: new Map([...nodes.name].map((text, at) => [texts[text], at])),
    queueAt: new Map(data.queues.map((queue, at) => [queue.name, at])),
    jobName: (place) => (place < 0 ? texts[-1 - place] : jobs.path[place]),
    taskName: (place) => (place < 0 ? texts[-1 - place] : tasks.path[place]),
  };
}

// The queue above each; -1 is none: above the root, and wherever queues are a list rather than a tree.
function parentsOf(queues, isTree) {
  const at = new Map(queues.map((queue, place) => [queue.name, place]));
  return queues.map((queue) => (isTree && queue.name !== "root" ? (at.get(queue.parent || "root") ?? -1) : -1));
}
