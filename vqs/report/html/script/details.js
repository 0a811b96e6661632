// What the dialog shows of a task, a job, a queue or a node.

import { facts } from "./dialog.js";
import { bdi, button, byId, command, draw, found, isCalm, link, make, quoted, rule } from "./dom.js";
import { endOf, stepWords } from "./player.js";
import { BAR, barOf, queueFigures } from "./queues.js";
import { amount, change, count, grouped, listedAmounts } from "./units.js";

const LISTED = 100;

export const status = (text, outcome) => make("span", { class: `status ${outcome}` }, text);
export const code = (text) => make("span", { class: "code" }, text);

// A reason, with the code of its verdict as such.
export function verdictCell(name, reason) {
  if (!reason) return "";
  const at = name ? reason.indexOf(`${name}: `) : -1;
  const parts = at < 0 ? [reason] : [reason.slice(0, at), code(name), reason.slice(at + name.length + 1)];
  return make("span", { class: "said", title: reason }, ...parts);
}

function verdictFacts({ verdict, code: name, reason }) {
  if (!name) return [];
  const { action, plugin, queue, log, verbosity } = verdict?.code === name ? verdict : {};
  const place = [action, plugin && `plugin ${plugin}`, queue && `queue ${queue}`]
    .filter(Boolean)
    .join(", ");
  return [
    ["verdict", verdictCell(name, reason)],
    ["said by", place],
    [
      "scheduler's log",
      log && make("span", {}, make("code", {}, log), ` (--v=${verbosity})`),
    ],
    ["what to do", rule(name)],
  ];
}

// What the pod says, and what that means where it has that verdict, which the summary knows.
function podWords({ podScheduled, podScheduledReason, message, verdict }) {
  const words = podScheduled === undefined ? message : `${podScheduledReason}: ${podScheduled}`;
  const meaning = verdict && found(`[data-verdict="${verdict.code}"]`)[0]?.dataset.pod;
  return words && make("span", {}, words, meaning && make("small", {}, ` (${meaning})`));
}

export function listOf(items, more) {
  const shown = items.slice(0, LISTED);
  const rest = items.length - shown.length;
  return make(
    "ul",
    { class: "names" },
    shown.map((item) => make("li", {}, item)),
    rest > 0 && make("li", {}, `and ${grouped(rest)} more`),
    more,
  );
}

// The files as they may be typed again; several, or standard input, are left to the reader.
const filesOf = ({ scenario }) => (/, |^standard input$|^$/.test(scenario) ? "FILES" : quoted(scenario));

// Shows rows of the task table instead of a longer list.
function inTable(page, words, values) {
  return button("show in the table", () => {
    byId("details").close();
    page.taskFilters.set(words, values);
    byId("tasks").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
    page.taskFilters.input.focus({ preventScroll: true });
  });
}

export function taskDetails(page, name) {
  const { data } = page;
  const task = data.taskAt.get(name);
  if (!task) return null;
  const job = data.jobAt.get(`${task.namespace}/${task.job}`);
  const { fitErrors } = task;
  const waits = (task.waitsFor ?? []).map((each) => link("task", each));
  const tied = task.tiedNodes > 1 ? ` (1 of ${grouped(task.tiedNodes)} equally good nodes)` : "";
  const body = facts([
    ["status", status(change(task.statusBefore, task.status), task.outcome)],
    ["node", task.node && make("span", {}, link("node", task.node), tied)],
    ["job", job ? link("job", job.path) : bdi(task.jobName)],
    ["role", task.role],
    ["queue", task.queue && link("queue", task.queue)],
    ["requests", listedAmounts(data.resources, task.request)],
    ...verdictFacts(task),
    ["on the pod", podWords(task)],
    [
      "reasons of nodes",
      fitErrors &&
        listOf(Object.entries(fitErrors.reasons).map(([reason, nodes]) => `${count(nodes, "node")}: ${reason}`)),
    ],
    ["waits for", waits.length ? listOf(waits) : ""],
  ]);
  return { title: name, body: [body, ...taskSteps(page, task)] };
}

function taskSteps({ replay }, { path }) {
  const found = [];
  for (const [step, { operation }] of replay?.moves.entries() ?? [])
    if (operation?.task === path || (path && operation?.evictor === path)) found.push([step + 1, operation]);
  if (!found.length) return [];
  const line = ([step, operation]) => make("span", {}, stepLink(step), stepWords(operation), votesOf(operation));
  return [make("h3", {}, "Decisions"), listOf(found.map(line))];
}

const stepLink = (step) => make("a", { href: `#step=${step}`, class: "step" }, `step ${grouped(step)}`);

function votesOf({ tier, votes }) {
  if (!votes) return "";
  const said = Object.entries(votes)
    .map(([plugin, word]) => `${plugin}: ${word}`)
    .join(", ");
  return make("small", {}, `${tier ? `tier ${tier}, ` : ""}votes: ${said}`);
}

export function jobDetails(page, name) {
  const { data } = page;
  const job = data.jobAt.get(name);
  if (!job) return null;
  const { own } = job;
  const body = facts([
    ["decision", code(job.says)],
    ["queue", link("queue", job.queue)],
    ["phase", change(job.phaseBefore || "Pending", job.phase)],
    ["ready", `${job.ready} of ${count(job.tasks, "task")}, minimum ${job.minAvailable}`],
    ["priority", job.priority ? String(job.priority) : ""],
    ...verdictFacts(job),
    ["unschedulable", job.unschedulable],
    ["why", command(`vqs explain-job ${filesOf(data)} --job ${quoted(job.path)}`)],
  ]);
  const line = (task) => [
    taskLine(task),
    task.node ? [" ", link("node", task.node)] : "",
    task.verdict ? [" ", code(task.verdict.code)] : "",
  ];
  return {
    title: job.path,
    body: [
      body,
      ...jobStatements(page, job),
      make("h3", {}, count(own.length, "task")),
      listOf(own.map((task) => make("span", {}, line(task)))),
      own.length > 1 && inTable(page, `job:${job.path}`),
    ].filter(Boolean),
  };
}

const taskLine = ({ path, statusBefore, status: after, outcome }) =>
  make("span", {}, link("task", path), " ", status(change(statusBefore, after), outcome));

function jobStatements({ replay }, { statements }) {
  if (!replay || !statements.length) return [];
  const line = (each) =>
    make(
      "span",
      {},
      stepLink(replay.stepOf(({ statement }) => statement === each)),
      `${each.action}, ${count(each.operations.length, "step")}: `,
      endOf(each.result),
    );
  return [make("h3", {}, "Statements"), listOf(statements.map(line))];
}

export function queueDetails(page, name) {
  const { data } = page;
  const queue = data.queues.find((each) => each.name === name);
  if (!queue) return null;
  const { opened, closed } = queue;
  const columns = queueFigures();
  // An amount that the queue has when the session opens and when it closes is told of both.
  const said = (resource, field) => {
    const { name } = resource;
    const sides = [opened, closed].filter((side) => side[field]);
    if (sides.length === 1) return amount(resource, sides[0][field][name]);
    const [before, after] = sides.map((side) => amount(resource, name in side[field] ? side[field][name] : 0));
    const reserved = field === "allocated" && closed.reserved?.[name];
    return change(before, after) + (reserved ? ` (${amount(resource, reserved)} reserved)` : "");
  };
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "resource"),
    columns.map(({ title }) => make("th", { scope: "col", class: "numeric" }, title)),
  );
  const row = (resource) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, resource.name),
      columns.map(({ field }) => make("td", { class: "numeric" }, said(resource, field))),
    );
  const table = make(
    "table",
    { class: "figures plain" },
    make("thead", {}, head),
    make("tbody", {}, data.resources.map(row)),
  );
  const parent =
    queue.parent && data.queues.some((each) => each.name === queue.parent) ? link("queue", queue.parent) : queue.parent;
  const body = facts([
    ["", queue.facts],
    ["state", queue.state],
    ["parent", parent],
    ["why", command(`vqs explain-queue ${filesOf(data)} --queue ${quoted(name)}`)],
  ]);
  return {
    title: name,
    body: [
      body,
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "figures" }, table),
      ...(page.taskFilters ? [inTable(page, "", { queue: name })] : []),
    ],
  };
}

export function nodeDetails(page, name) {
  const { data } = page;
  const node = data.nodes[data.nodeAt.get(name)];
  const here = data.tasks.filter((task) => task.node === name);
  if (!node && !here.length) return null;
  const pods = node && change(String(node.podsBefore), String(node.pods));
  return {
    title: name,
    body: [
      node && nodeFigures(data, node),
      node && make("p", {}, `${pods} of ${grouped(node.maxPods)} pods${node.unschedulable ? "; unschedulable" : ""}`),
      make("h3", {}, `${count(here.length, "task")} here`),
      listOf(here.map(taskLine)),
      here.length > 1 && inTable(page, `node:${name}`),
    ].filter(Boolean),
  };
}

function nodeFigures({ resources }, { allocatable, usedBefore, used }) {
  const row = ({ name, bytes }) => {
    const of = allocatable[name] ?? 0;
    const part = of ? Math.min(1, (used[name] ?? 0) / of) : 0;
    const bar = barOf("", [
      draw("rect", { class: "bar-track", width: BAR.width, height: BAR.height }),
      draw("rect", { class: "bar-held", width: part * BAR.width, height: BAR.height }),
    ]);
    const said = [usedBefore, used].map((amounts) => amount({ bytes }, amounts[name] ?? 0));
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", { class: "bar-cell" }, bar),
      make("td", { class: "numeric" }, change(...said)),
      make("td", { class: "numeric" }, `of ${amount({ bytes }, of)}`),
    );
  };
  return make(
    "table",
    { class: "figures plain" },
    make("tbody", {}, resources.filter(({ name }) => allocatable[name] || used[name]).map(row)),
  );
}
