// The page of a comparison: before and after side by side.

const EFFECTS = { gains: "▲ better", loses: "▼ worse", both: "◆ both", neither: "changed" };
const SIDES = ["before", "after"];

function showDiff(data) {
  const page = { data };
  page.jobAt = new Map(data.jobs.map((job, at) => [job.path, at]));
  page.nodeAt = new Map(data.nodes.name.map((name, at) => [name, at]));
  showsDetails("job", (name) => changedJob(page, name));
  showsDetails("queue", (name) => changedQueue(page, name));
  showsDetails("node", (name) => changedNode(page, name));
  showChangedJobs(page);
  if (byId("queues")) showChangedQueues(data);
  if (byId("nodes")) showBothMaps(data);
  if (byId("evictions")) showChangedEvictions(data);
  for (const pressed of document.querySelectorAll("[data-effect]")) {
    pressed.addEventListener("click", () => {
      page.jobFilters.set("", { effect: EFFECTS[pressed.dataset.effect] });
      byId("jobs").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
    });
  }
  return page;
}

const effect = (name) => make("span", { class: `effect ${name}` }, EFFECTS[name] ?? name);

function changedJobColumns(jobs) {
  return [
    {
      title: "Job",
      width: "minmax(12rem, 2fr)",
      key: (row) => jobs[row].path,
      cell: (row) => link("job", jobs[row].path),
    },
    {
      title: "Queue",
      wide: true,
      width: "minmax(6rem, 1fr)",
      key: (row) => jobs[row].queue,
      cell: (row) => bdi(jobs[row].queue),
    },
    {
      title: "Effect",
      width: "6.5rem",
      key: (row) => Object.keys(EFFECTS).indexOf(jobs[row].effect),
      cell: (row) => effect(jobs[row].effect),
    },
    { title: "Change", width: "minmax(9rem, 1.3fr)", key: (row) => jobs[row].said, cell: (row) => jobs[row].said },
    {
      title: "Before",
      wide: true,
      width: "minmax(8rem, 1.2fr)",
      key: (row) => jobs[row].told[0],
      cell: (row) => jobs[row].told[0],
    },
    {
      title: "After",
      wide: true,
      width: "minmax(8rem, 1.2fr)",
      key: (row) => jobs[row].told[1],
      cell: (row) => jobs[row].told[1],
    },
    {
      title: "Why",
      width: "minmax(12rem, 3fr)",
      cell: (row) => make("span", { class: "said", title: jobs[row].remark }, jobs[row].remark),
    },
  ];
}

function showChangedJobs(page) {
  const { data } = page;
  const { jobs } = data;
  const host = byId("jobs").querySelector(".body");
  page.jobTable = new Table(host, {
    label: "changed jobs",
    columns: changedJobColumns(jobs),
    least: "70rem",
    length: jobs.length,
    empty: jobs.length ? "No job matches." : "Nothing changes for any job.",
    text: (row) =>
      `${jobs[row].path} job:${jobs[row].path} queue:${jobs[row].queue} ` +
      `${jobs[row].said} ${jobs[row].effect} ${jobs[row].remark}`,
    open: (row) => {
      location.hash = address("job", jobs[row].path);
    },
  });
  page.jobFilters = new Filters(host, page.jobTable, { label: "search jobs", hint: "search jobs" })
    .add("effect", "Effect", (row) => EFFECTS[jobs[row].effect])
    .add("change", "Change", (row) => data.changes[jobs[row].changes[0]] ?? "")
    .add("queue", "Queue", (row) => jobs[row].queue)
    .add("luck", "Holds", (row) => (jobs[row].tieDependent ? "depends on tie-breaking" : "always"));
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

function changedJob(page, name) {
  const job = page.data.jobs[page.jobAt.get(name)];
  if (!job) return null;
  const { before, after } = job;
  const codes = [...new Set([...Object.keys(before?.verdicts ?? {}), ...Object.keys(after?.verdicts ?? {})])];
  const pair = (word, say) => [word, before && say(before), after && say(after)];
  const body = [
    make("p", {}, effect(job.effect), `: ${job.said}`),
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
    job.tasks.length ? listOf(job.tasks.map((task) => taskChange(page.data, task))) : "",
  ];
  return { title: job.path, body: body.filter(Boolean) };
}

function taskChange(data, task) {
  const said = (side) => (side ? [side.status, side.node, side.verdict].filter(Boolean).join(" ") : "not there");
  return make(
    "span",
    {},
    bdi(task.name),
    " ",
    make("strong", {}, data.changes[task.change] ?? task.change),
    `: ${change(said(task.before), said(task.after))}`,
  );
}

function showChangedQueues(data) {
  const sides = SIDES.map((word) => ({
    word,
    figures: (queue) =>
      queue[word] && {
        deserved: queue[word].considered === false ? undefined : queue[word].deserved,
        request: queue[word].request,
        limit: queue[word].realCapability,
        allocated: queue[word].allocated,
        guarantee: queue[word].guarantee,
      },
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

function changedQueue({ data }, name) {
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
  const { nodes, amounts } = data;
  if (!nodes.name.length) return;
  const has = (name) => (side) => [...nodes[side].allocatable].some((at) => amounts[at]?.[name]);
  const resources = data.resources.filter(({ name }) => SIDES.some(has(name)));
  const maps = SIDES.map((side) => mapOfSide(data, side));
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

function mapOfSide({ nodes, amounts }, side) {
  const figures = nodes[side];
  const column = (part, name) => Float64Array.from(figures[part], (at) => amounts[at]?.[name] ?? 0);
  const told = make("p", { class: "told" });
  const body = make("div", { id: `node-map-${side}` });
  const host = make("div", {}, make("h3", {}, side), told, body);
  const map = new NodeMap(body, {
    label: `Nodes ${side}`,
    names: nodes.name,
    told: (sentence) => {
      told.textContent = sentence;
    },
    pick: (name) => {
      location.hash = address("node", name);
    },
    figures: (name) => ({ used: column("used", name), of: column("allocatable", name) }),
    note: (node) => ({ closed: figures.unschedulable[node] === 1, absent: !figures.there[node] }),
  });
  return { map, host };
}

function changedNode({ data, nodeAt }, name) {
  const at = nodeAt.get(name);
  if (at === undefined) return null;
  const { nodes, amounts } = data;
  const said = (resource) => (side) => {
    const [used, of] = ["used", "allocatable"].map((part) => amounts[nodes[side][part][at]]?.[resource.name] ?? 0);
    return nodes[side].there[at] ? `${amount(resource, used)} of ${amount(resource, of)}` : "not there";
  };
  const rows = data.resources
    .filter(({ name: each }) => each !== "pods")
    .map((resource) => [resource.name, ...SIDES.map(said(resource))]);
  return { title: name, body: [beside([...rows, ["pods", ...SIDES.map((side) => String(nodes[side].pods[at]))]])] };
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
  const told = found.map(({ task, job, node, action, reason, evictor = "" }) => {
    return { victim: task, victimJob: job, evictor, evictorJob: evictor, node, action, reason };
  });
  showEvictions(body, told);
}
