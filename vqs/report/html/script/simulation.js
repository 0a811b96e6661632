// The page of a session.

import { code, jobDetails, nodeDetails, queueDetails, status, taskDetails, verdictCell } from "./details.js";
import { showsDetails } from "./dialog.js";
import { address, bdi, byId, choice, draw, found, isCalm, link, make } from "./dom.js";
import { evictionsOf, showEvictions } from "./evictions.js";
import { NodeMap, shadeLegend } from "./nodes.js";
import { openPage } from "./page.js";
import { Player } from "./player.js";
import { BAR, barOf, QueueTree, sessionFigures } from "./queues.js";
import { nodeColumns, Replay } from "./replay.js";
import { PODS, readSession } from "./session.js";
import { listOfAll } from "./table.js";
import { amount, change, count, grouped, percent } from "./units.js";

const DEFAULT_ORDER = "name";

function showSimulation(document) {
  const data = readSession(document);
  const page = { data, player: null };
  showsDetails("task", (name) => taskDetails(page, name));
  showsDetails("job", (name) => jobDetails(page, name));
  showsDetails("queue", (name) => queueDetails(page, name));
  showsDetails("node", (name) => nodeDetails(page, name));
  showsDetails("step", (step) => goToStep(page, Number(step)));
  showUsage(byId("usage"), data);
  if (byId("cluster")) showCluster(page);
  showJobs(page);
  showTasks(page);
  if (byId("evictions")) showEvictions(byId("evictions").querySelector(".body"), evictionsOf(data));
  listenForVerdicts(page);
  return page;
}

// How full each resource is before and after, the scarcest first.
function showUsage(host, { utilisation = [], resources }) {
  const rows = resources.flatMap((resource) =>
    utilisation.filter((each) => each.resource === resource.name).map((each) => usageRow(resource, each)),
  );
  if (!rows.length) return;
  const stranded = "share of the idle amount, on nodes without room for a typical task";
  const title = (word, attributes) => make("th", { scope: "col", class: "numeric", ...attributes }, word);
  const head = make(
    "tr",
    {},
    title("Resource", { class: "" }),
    title(make("span", { class: "unseen" }, "Bar"), { class: "" }),
    ["Before", "After", "Of"].map((word) => title(word)),
    title("Stranded", { title: stranded }),
  );
  const table = make("table", { class: "figures usage" }, make("thead", {}, head), make("tbody", {}, rows));
  host.append(make("h2", {}, "Cluster utilisation"), table);
}

function usageRow(resource, { usedBefore, usedAfter, total, strandedBefore, strandedAfter }) {
  const piece = (name, part) =>
    draw("rect", { class: `bar-${name}`, width: Math.min(part, 1) * BAR.width, height: BAR.height });
  const [before, after] = [percent(usedBefore), percent(usedAfter)];
  const bar = barOf(`${resource.name}: ${before} used before, ${after} after`, [
    piece("track", 1),
    piece("held", Math.max(usedBefore, usedAfter)),
    piece("before", Math.min(usedBefore, usedAfter)),
  ]);
  const cells = {
    before,
    after,
    of: amount(resource, total),
    stranded: strandedBefore || strandedAfter ? percent(strandedAfter) : "-",
  };
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, resource.name),
    make("td", { class: "bar-cell" }, bar),
    Object.entries(cells).map(([word, text]) => make("td", { class: "numeric", "data-title": word }, text)),
  );
}

function showCluster(page) {
  const { data } = page;
  const knowsNodes = data.nodes.length > 0;
  const knowsRequests = data.tasks.some(({ request }) => request);
  if (knowsNodes && knowsRequests) page.replay = new Replay(data);
  if (data.queues.length) page.tree = sessionTree(page);
  if (knowsNodes) page.map = sessionMap(page);
  if (page.replay?.steps)
    page.player = new Player(byId("player"), page.replay, (changed, touched) => showStep(page, changed, touched));
  else byId("player")?.remove();
}

function sessionTree(page) {
  const { data } = page;
  const isOver = () => !page.replay || page.replay.at === page.replay.steps;
  const side = {
    figures: sessionFigures,
    held: (queue, name, at) => (page.replay ? page.replay.heldNow(name, at) : (queue.closed.allocated[name] ?? 0)),
    reserved: (queue, name, at) =>
      page.replay ? page.replay.reservedNow(name, at) : (queue.closed.reserved?.[name] ?? 0),
    // At the end it is told what the session has changed.
    shown: (queue, resource, held) =>
      isOver()
        ? change(amount(resource, queue.opened.allocated[resource.name] ?? 0), amount(resource, held))
        : amount(resource, held),
  };
  return new QueueTree(byId("queues"), {
    queues: data.queues,
    isTree: data.isTree,
    resources: data.resources,
    sides: [side],
  });
}

function sessionMap(page) {
  const { data } = page;
  const names = data.nodes.map(({ name }) => name);
  const closing = nodeColumns(data, "used");
  const has = (name) =>
    Float64Array.from(data.nodes, ({ maxPods, allocatable }) => (name === PODS ? maxPods : (allocatable[name] ?? 0)));
  const told = make("p", { class: "told" });
  const body = make("div", { id: "node-map" });
  const map = new NodeMap(body, {
    label: "Nodes",
    names,
    told: (sentence) => {
      told.textContent = sentence;
    },
    pick: (name) => {
      location.hash = address("node", name);
    },
    figures: (name) => ({ used: page.replay ? page.replay.usedNow(name) : closing[name], of: has(name) }),
    note: (node) => nodeNote(page, node),
  });
  const resources = data.resources.filter(({ name }) => has(name).some((some) => some > 0));
  const groupOf = (node) => data.nodes[node].groups?.[grouping.select.value] ?? "others";
  const show = () => {
    const sorted = nodeOrder(closing[by.select.value], has(by.select.value), order.select.value);
    const some = zoom.select.value ? sorted.filter((node) => groupOf(node) === zoom.select.value) : sorted;
    const isGrouped = grouping.select.value !== "";
    if (isGrouped) some.sort((one, other) => groupOf(one).localeCompare(groupOf(other), "en", { numeric: true }));
    const resource = resources.find(({ name }) => name === by.select.value);
    map.show(resource, some, isGrouped ? groupOf : null);
  };
  const by = choice(
    "Resource",
    resources.map(({ name }) => [name]),
    show,
  );
  const order = choice(
    "Order",
    [
      ["name", "by name"],
      ["fullest", "fullest first"],
      ["emptiest", "emptiest first"],
    ],
    show,
  );
  const words = [...new Set(data.nodes.flatMap(({ groups }) => Object.keys(groups ?? {})))];
  const grouping = choice("Group", [["", "all together"], ...words.map((word) => [word, `by ${word}`])], () => {
    const groups = grouping.select.value ? [...new Set(names.map((_, node) => groupOf(node)))].sort() : [];
    const shown = [make("option", { value: "" }, "all"), ...groups.map((name) => make("option", { value: name }, name))];
    zoom.select.replaceChildren(...shown);
    zoom.field.hidden = !groups.length;
    show();
  });
  const zoom = choice("Show", [["", "all"]], show);
  zoom.field.hidden = true;
  const fields = words.length ? [by.field, order.field, grouping.field, zoom.field] : [by.field, order.field];
  byId("nodes").append(make("div", { class: "tools" }, ...fields, shadeLegend()), told, body);
  if (resources.length) show();
  return map;
}

// The nodes that have none of a resource come last, whatever the order.
function nodeOrder(used, has, order) {
  const places = Uint32Array.from(used.keys());
  if (order === DEFAULT_ORDER) return places;
  const part = used.map((held, node) => (has[node] > 0 ? held / has[node] : NaN));
  const sign = order === "fullest" ? -1 : 1;
  return places.sort(
    (one, other) =>
      Number(Number.isNaN(part[one])) - Number(Number.isNaN(part[other])) || sign * (part[one] - part[other]) || one - other,
  );
}

function nodeNote({ data, replay }, node) {
  const closed = data.nodes[node].unschedulable;
  const parts = [];
  if (replay?.leaving[node]) parts.push(`${count(replay.leaving[node], "task")} being evicted`);
  if (replay?.reserved[node]) parts.push(`${count(replay.reserved[node], "task")} with a reservation`);
  return { closed, reserved: replay?.reserved[node] ?? 0, text: parts.join(", ") };
}

// Shows the state after a step; all is drawn anew where `changed` is null.
function showStep({ map, tree, replay }, changed, touched) {
  if (tree) {
    tree.update(changed?.queues);
    tree.point(touched.queues);
  }
  if (map?.resource) {
    map.used = replay.usedNow(map.resource.name);
    map.update(changed?.nodes);
    map.mark(touched.nodes);
  }
}

function goToStep({ player }, step) {
  if (!player || !Number.isInteger(step)) return null;
  byId("details").close();
  player.goTo(step);
  byId("cluster").scrollIntoView();
  player.slider.focus({ preventScroll: true });
  return { act: true };
}

const verdictColumn = {
  title: "Verdict",
  width: "minmax(14rem, 4fr)",
  key: ({ code }) => code || "~",
  says: ({ reason }) => reason,
  cell: ({ code, reason }) => verdictCell(code, reason),
};

const jobColumns = [
  {
    title: "Job",
    width: "minmax(12rem, 2fr)",
    key: ({ path }) => path,
    cell: ({ path }) => link("job", path),
  },
  { title: "Queue", wide: true, width: "minmax(6rem, 1fr)", key: ({ queue }) => queue, cell: ({ queue }) => bdi(queue) },
  { title: "Decision", width: "11rem", key: ({ says }) => says, cell: ({ says }) => code(says) },
  {
    title: "Ready",
    width: "5.5rem",
    numeric: true,
    key: ({ ready, minAvailable }) => ready / Math.max(1, minAvailable),
    cell: ({ ready, minAvailable }) => `${ready}/${minAvailable}`,
  },
  { title: "Tasks", width: "5rem", numeric: true, key: ({ tasks }) => tasks, cell: ({ tasks }) => grouped(tasks) },
  verdictColumn,
];

// Those that wait come first.
function showJobs(page) {
  const jobs = [...page.data.jobs].sort((one, other) => Number(other.waits ?? 0) - Number(one.waits ?? 0));
  const { table, filters } = listOfAll("job", {
    columns: jobColumns,
    rows: jobs,
    text: ({ path, queue, says, code, reason }) =>
      `${path} job:${path} queue:${queue} ${says} ${code && `verdict:${code}`} ${reason}`,
  });
  page.jobTable = table;
  page.jobFilters = filters
    .add("queue", "Queue", ({ queue }) => queue)
    .add("decision", "Decision", ({ says }) => says)
    .add("verdict", "Verdict", ({ code }) => code);
}

const taskColumns = [
  { title: "Task", width: "minmax(14rem, 2.4fr)", key: ({ path }) => path, cell: ({ path }) => link("task", path) },
  { title: "Queue", wide: true, width: "minmax(6rem, 1fr)", key: ({ queue }) => queue, cell: ({ queue }) => bdi(queue) },
  {
    title: "Status",
    width: "11rem",
    key: ({ outcome }) => outcome,
    cell: (task) => status(change(task.statusBefore, task.status), task.outcome),
  },
  { title: "Node", width: "minmax(7rem, 1.2fr)", key: ({ node }) => node ?? "", cell: ({ node }) => bdi(node ?? "") },
  verdictColumn,
];

function showTasks(page) {
  const { tasks } = page.data;
  const { table, filters } = listOfAll("task", {
    columns: taskColumns,
    rows: tasks,
    hint: "search tasks, or node:NAME, job:NS/NAME",
    text: (task) =>
      `${task.path} job:${task.jobName} queue:${task.queue ?? ""} node:${task.node ?? ""} status:${task.status} ` +
      `${task.outcome} ${task.code && `verdict:${task.code}`} ${task.reason}`,
  });
  page.taskTable = table;
  page.taskFilters = filters
    .add("queue", "Queue", ({ queue }) => queue ?? "")
    .add("status", "Status", (task) => task.status)
    .add("outcome", "Outcome", ({ outcome }) => outcome)
    .add("verdict", "Verdict", ({ code }) => code);
}

// The verdicts of the summary show their tasks.
function listenForVerdicts(page) {
  for (const pressed of found("[data-verdict], [data-outcome]")) {
    pressed.addEventListener("click", () => {
      page.taskFilters.set("", { verdict: pressed.dataset.verdict, outcome: pressed.dataset.outcome });
      byId("tasks").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
      page.taskFilters.input.focus({ preventScroll: true });
    });
  }
}

openPage(showSimulation);
