// The page of a comparison: before and after side by side.

import { listOf } from "./details.js";
import { facts, showsDetails } from "./dialog.js";
import { address, bdi, button, byId, choice, draw, found, isCalm, link, make, rule } from "./dom.js";
import { showEvictions } from "./evictions.js";
import { NodeMap, shadeLegend } from "./nodes.js";
import { openPage } from "./page.js";
import { BAR, barOf, QueueTree } from "./queues.js";
import { requestsOf, resourcesOf } from "./session.js";
import { listOfAll } from "./table.js";
import { amount, change, count, grouped, listedAmounts, percent } from "./units.js";

const EFFECTS = { gains: "▲ better", loses: "▼ worse", both: "◆ both", neither: "changed" };
const SIDES = ["before", "after"];
const PODS_LISTED = 8;
// What tasks are whose pods have a node, and keep it; those with a reserved one wait.
const RUNNING = ["Allocated", "Binding", "Bound", "Running"];

function showDiff(document) {
  const data = readDiff(document);
  const page = { data };
  showsDetails("job", (name) => changedJob(data, name));
  showsDetails("queue", (name) => changedQueue(data, name));
  showsDetails("node", (name) => changedNode(data, name));
  if (byId("pods")) showPods(byId("pods"), data);
  showChangedJobs(page);
  if (byId("queues")) showChangedQueues(data);
  if (byId("nodes")) showBothMaps(data);
  if (byId("evictions")) showChangedEvictions(data);
  for (const pressed of found("[data-effect]")) {
    pressed.addEventListener("click", () => {
      page.jobFilters.set("", { effect: EFFECTS[pressed.dataset.effect] });
      byId("jobs").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
    });
  }
  return page;
}

function readDiff(data) {
  const { jobs, queues, before, after } = data;
  data.nodes ??= [];
  for (const job of jobs) {
    job.path = job.displayName ?? `${job.namespace}/${job.name}`;
    job.queue = change(...ofBoth(job).map(({ queue }) => queue));
    job.pods = SIDES.map((side) => sum(RUNNING.map((status) => job[side]?.statuses[status] ?? 0)));
  }
  for (const queue of queues) {
    queue.parent = (queue.after ?? queue.before).parent;
    queue.facts = changedFacts(queue);
  }
  data.isTree = queues.some(({ parent }) => parent);
  const amounts = queues.flatMap((queue) =>
    ofBoth(queue).flatMap(({ deserved, allocated, request }) => [deserved, allocated, request]),
  );
  const totals = [before, after].map(({ session }) => session.totalResource);
  data.resources = resourcesOf(
    [...totals, ...amounts],
    totals[1],
    requestsOf(queues, (queue) => (queue.after ?? queue.before).request),
  );
  return data;
}

const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

// Both sides of a job or a queue; where there is one only, twice that.
const ofBoth = ({ before, after }) => [before ?? after, after ?? before];

// What has become of a queue, and what is set on it.
function changedFacts({ before, after, change: presence, effect: name, tieDependent }) {
  const share = (side) => (side.considered === false ? "not known" : percent(side.share));
  if (!before || !after) return `${presence}; share ${share(before ?? after)}`;
  const parts = [
    { gains: "gains", loses: "loses", both: "gains and loses" }[name],
    `share ${change(share(before), share(after))}`,
    `weight ${change(String(before.weight), String(after.weight))}`,
    before.state !== after.state && change(before.state, after.state),
    tieDependent && "depends on tie-breaking",
  ];
  return parts.filter(Boolean).join(" · ");
}

// --- who loses and gains ---------------------------------------------------------------------------------------------

// How many pods of a job have a reserved node, before and after.
const reservedOf = ({ before, after }) => [before, after].map((side) => side?.statuses.Pipelined ?? 0);

// The jobs of which another number of pods has a node, or a reserved one: those that lose most first, and why each of
// these pods is lost.
function showPods(host, { jobs }) {
  const gain = (pods) => pods[1] - pods[0];
  const moved = jobs.filter((job) => gain(job.pods) || gain(reservedOf(job)));
  moved.sort((one, other) => gain(one.pods) - gain(other.pods) || gain(reservedOf(one)) - gain(reservedOf(other)));
  const most = Math.max(1, ...moved.flatMap((job) => reservedOf(job).map((some, at) => job.pods[at] + some)));
  const show = (some) => body.replaceChildren(...some.map((job) => podsRow(job, most)));
  const body = make("tbody", {});
  const head = ["Job", "Before", "After", "Pods with a node", "Why"].map((title, at) =>
    make("th", { scope: "col", class: (at === 1 || at === 2) && "numeric" }, title),
  );
  const few = moved.length > 2 * PODS_LISTED ? [...moved.slice(0, PODS_LISTED), ...moved.slice(-PODS_LISTED)] : moved;
  const more = button(`show all ${grouped(moved.length)} jobs`, () => {
    show(moved);
    more.remove();
  });
  if (!moved.length) host.append(make("p", { class: "dim" }, "No job has another number of pods with a node, or with a reserved one."));
  else host.append(make("table", { class: "figures pods-moved" }, make("thead", {}, make("tr", {}, head)), body));
  if (few.length < moved.length) host.append(more);
  show(few);
}

function podsRow(job, most) {
  const [before, after] = job.pods;
  const reserved = reservedOf(job);
  const said = [before, after].map((some, at) => grouped(some) + (reserved[at] ? ` + ${grouped(reserved[at])} reserved` : ""));
  const part = (name, from, to, y, height) =>
    draw("rect", { class: `bar-${name}`, x: (from / most) * BAR.width, width: ((to - from) / most) * BAR.width, y, height });
  const height = BAR.height / 2;
  const bar = barOf(`${said[0]} before, ${said[1]} after`, [
    part("before", 0, before, 0, height - 1),
    part("reserved", before, before + reserved[0], 0, height - 1),
    part(after < before ? "over" : "held", 0, after, height, height),
    part("reserved", after, after + reserved[1], height, height),
  ]);
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, link("job", job.path)),
    make("td", { class: "numeric", "data-title": "before" }, said[0]),
    make("td", { class: "numeric", "data-title": "after" }, said[1]),
    make("td", { class: "bar-cell" }, bar),
    make("td", { class: "why" }, causesOf(job)),
  );
}

// What keeps each of the pods that are lost from a node, counted; else the remark.
function causesOf({ tasks, pods: [before, after], remark, says }) {
  const counts = new Map();
  for (const task of tasks) {
    if (!RUNNING.includes(task.before?.status) || RUNNING.includes(task.after?.status)) continue;
    const cause = !task.after ? "not there" : task.after.evicted ? "evicted" : task.after.verdict || task.after.status;
    counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  if (after > before || !counts.size) return remark || says;
  return [...counts].map(([cause, some]) => `${grouped(some)} ${cause}`).join(", ");
}

// --- jobs ------------------------------------------------------------------------------------------------------------

const effect = (name) => make("span", { class: `effect ${name}` }, EFFECTS[name] ?? name);

const changedJobColumns = [
  { title: "Job", width: "minmax(12rem, 2fr)", key: ({ path }) => path, cell: ({ path }) => link("job", path) },
  { title: "Queue", wide: true, width: "minmax(6rem, 1fr)", key: ({ queue }) => queue, cell: ({ queue }) => bdi(queue) },
  {
    title: "Effect",
    width: "6.5rem",
    key: (job) => Object.keys(EFFECTS).indexOf(job.effect),
    cell: (job) => effect(job.effect),
  },
  {
    title: "Pods",
    numeric: true,
    width: "6rem",
    key: ({ pods: [before, after] }) => after - before,
    cell: ({ pods }) => change(...pods.map(grouped)),
  },
  { title: "Change", width: "minmax(9rem, 1.3fr)", key: ({ says }) => says, cell: ({ says }) => says, says: ({ says }) => says },
  {
    title: "Why",
    width: "minmax(12rem, 3fr)",
    says: ({ remark }) => remark,
    cell: ({ remark }) => make("span", { class: "said", title: remark }, remark),
  },
];

function showChangedJobs(page) {
  const { jobs } = page.data;
  const { table, filters } = listOfAll("job", {
    label: "changed jobs",
    columns: changedJobColumns,
    rows: jobs,
    nothing: "Nothing changes for any job.",
    text: ({ path, queue, says, effect: name, remark }) => `${path} job:${path} queue:${queue} ${says} ${name} ${remark}`,
  });
  page.jobTable = table;
  page.jobFilters = filters
    .add("effect", "Effect", (job) => EFFECTS[job.effect])
    .add("change", "Change", ({ changes: [first] }) => first ?? "")
    .add("queue", "Queue", ({ queue }) => queue)
    .add("luck", "Holds", ({ tieDependent }) => (tieDependent ? "depends on tie-breaking" : "always"));
}

function counted(numbers) {
  return Object.entries(numbers ?? {})
    .map(([word, some]) => `${word} ${grouped(some)}`)
    .join(", ");
}

function beside(pairs, titles = SIDES) {
  const rows = pairs
    .filter(([, one, other]) => (one ?? "") !== "" || (other ?? "") !== "")
    .map(([word, one, other]) =>
      make(
        "tr",
        { class: String(one ?? "") === String(other ?? "") ? "same" : "changed" },
        make("th", { scope: "row" }, word),
        make("td", {}, one ?? "–"),
        make("td", {}, other ?? "–"),
      ),
    );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "before and after" },
    make(
      "table",
      { class: "beside" },
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("td"),
          titles.map((title) => make("th", { scope: "col" }, title)),
        ),
      ),
      make("tbody", {}, rows),
    ),
  );
}

function changedJob(data, name) {
  const job = data.jobs.find(({ path }) => path === name);
  if (!job) return null;
  const { before, after } = job;
  const codes = [...new Set([...Object.keys(before?.verdicts ?? {}), ...Object.keys(after?.verdicts ?? {})])];
  const pair = (word, say) => [word, before && say(before), after && say(after)];
  const body = [
    make("p", {}, effect(job.effect), `: ${job.says}`),
    make("p", { class: "why" }, job.remark),
    beside([
      pair("decision", (side) => side.decision),
      pair("queue", (side) => side.queue),
      pair("phase", (side) => side.phase),
      pair("ready", (side) => `${side.ready}/${side.minAvailable}`),
      pair("tasks", (side) => String(side.tasks)),
      pair("statuses", (side) => counted(side.statuses)),
      pair("evicted", (side) => (side.evicted ? String(side.evicted) : "")),
      pair("nodes", (side) => counted(side.nodes)),
      pair("verdicts", (side) => counted(side.verdicts)),
      pair("verdict", (side) => (side.verdict ? `${side.verdict.code}: ${side.verdict.text}` : "")),
      pair("unschedulable", (side) => side.message ?? ""),
      ["first decision that differs", job.why.before, job.why.after],
    ]),
    codes.length ? facts([["what to do", make("span", {}, codes.map(rule))]]) : "",
    job.tasks.length ? make("h3", {}, count(job.tasks.length, "task")) : "",
    job.tasks.length ? listOf(job.tasks.map(taskChange)) : "",
  ];
  return { title: job.path, body: body.filter(Boolean) };
}

function taskChange(task) {
  const said = (side) => (side ? [side.status, side.node, side.verdict].filter(Boolean).join(" ") : "not there");
  return make(
    "span",
    {},
    bdi(task.name),
    " ",
    make("strong", {}, task.change),
    `: ${change(said(task.before), said(task.after))}`,
  );
}

function showChangedQueues(data) {
  const sides = SIDES.map((word) => ({
    word,
    figures: (queue) =>
      queue[word] && (queue[word].considered === false ? { ...queue[word], deserved: undefined } : queue[word]),
    held: (queue, name) => queue[word].allocated[name] ?? 0,
    reserved: (queue, name) => queue[word].reserved?.[name] ?? 0,
  }));
  const changed = data.queues
    .filter((queue) => queue.fields?.length || queue.change !== "same")
    .map((queue) => queue.name);
  const host = byId("queues");
  const tree = make("div", {});
  const show = (which) => {
    tree.replaceChildren();
    new QueueTree(tree, {
      queues: data.queues,
      isTree: data.isTree,
      resources: data.resources,
      sides,
      only: which === "changed" ? changed : null,
    });
  };
  const { field, select } = choice(
    "Show",
    [
      ["changed", `what changes (${changed.length})`],
      ["all", `all queues (${data.queues.length})`],
    ],
    show,
  );
  select.value = changed.length ? "changed" : "all";
  host.append(make("div", { class: "tools" }, field), tree);
  show(select.value);
}

function changedQueue(data, name) {
  const queue = data.queues.find((each) => each.name === name);
  if (!queue) return null;
  const { before, after } = queue;
  const pair = (word, say) => [word, before && say(before), after && say(after)];
  const known = (word, say) => pair(word, (side) => (side.considered === false ? "not known" : say(side)));
  const amounts = (how, word, key) => how(word, (side) => listedAmounts(data.resources, side[key]));
  return {
    title: name,
    body: [
      make("p", {}, effect(queue.effect), queue.tieDependent ? "; depends on tie-breaking" : ""),
      beside([
        pair("parent", (side) => side.parent ?? ""),
        pair("weight", (side) => String(side.weight)),
        pair("priority", (side) => String(side.priority)),
        pair("state", (side) => side.state),
        known("share", (side) => percent(side.share)),
        amounts(known, "deserved", "deserved"),
        amounts(pair, "allocated", "allocated"),
        amounts(pair, "of it reserved", "reserved"),
        amounts(known, "limit", "realCapability"),
        amounts(known, "request", "request"),
        amounts(pair, "guarantee", "guarantee"),
        amounts(pair, "capability", "capability"),
        amounts(known, "inqueue", "inqueue"),
      ]),
    ],
  };
}

function showBothMaps(data) {
  const { nodes } = data;
  if (!nodes.length) return;
  const has = (name) => nodes.some((node) => SIDES.some((side) => node[side]?.allocatable[name]));
  const resources = data.resources.filter(({ name }) => has(name));
  const maps = SIDES.map((side) => mapOfSide(nodes, side));
  const show = (name) => maps.forEach(({ map }) => map.show(resources.find((each) => each.name === name)));
  const { field } = choice(
    "Resource",
    resources.map(({ name }) => [name]),
    show,
  );
  byId("nodes").append(
    make("div", { class: "tools" }, field, shadeLegend()),
    make(
      "div",
      { class: "two" },
      maps.map(({ host }) => host),
    ),
  );
  if (resources.length) show(resources[0].name);
}

function mapOfSide(nodes, side) {
  const column = (part, name) => Float64Array.from(nodes, (node) => node[side]?.[part][name] ?? 0);
  const told = make("p", { class: "told" });
  const body = make("div", { id: `node-map-${side}` });
  const host = make("div", {}, make("h3", {}, side), told, body);
  const map = new NodeMap(body, {
    label: `Nodes ${side}`,
    names: nodes.map(({ name }) => name),
    told: (sentence) => {
      told.textContent = sentence;
    },
    pick: (name) => {
      location.hash = address("node", name);
    },
    figures: (name) => ({ used: column("used", name), of: column("allocatable", name) }),
    note: (node) => ({ closed: nodes[node][side]?.unschedulable, absent: !nodes[node][side] }),
  });
  return { map, host };
}

function changedNode(data, name) {
  const node = data.nodes.find((each) => each.name === name);
  if (!node) return null;
  const said = (resource) => (side) => {
    const [used, of] = ["used", "allocatable"].map((part) => node[side]?.[part][resource.name] ?? 0);
    return node[side] ? `${amount(resource, used)} of ${amount(resource, of)}` : "not there";
  };
  const rows = data.resources
    .filter(({ name: each }) => each !== "pods")
    .map((resource) => [resource.name, ...SIDES.map(said(resource))]);
  return { title: name, body: [beside([...rows, ["pods", ...SIDES.map((side) => String(node[side]?.pods ?? 0))]])] };
}

function showChangedEvictions(data) {
  const host = byId("evictions").querySelector(".body");
  showEvictionsThat(host, "New evictions", data, "added");
  showEvictionsThat(host, "Evictions that no longer happen", data, "gone");
}

function showEvictionsThat(host, title, { evictions }, kind) {
  const body = make("div", {}, make("h3", {}, title));
  host.append(body); // At once, as the graph is made to fit.
  const found = evictions.filter((each) => each.change === kind);
  if (!found.length) {
    body.append(make("p", { class: "dim" }, "none"));
    return;
  }
  const told = found.map(({ task, job, displayName, queue, evictor, evictorJob, evictorQueue, ...rest }) => ({
    ...rest,
    victim: { task, job: displayName ?? job, queue },
    evictor: { task: evictor, job: evictorJob, queue: evictorQueue },
  }));
  showEvictions(body, told);
}

openPage(showDiff);
