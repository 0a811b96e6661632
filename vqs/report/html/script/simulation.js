// The page of a session.

const DEFAULT_ORDER = "name";

function showSimulation(data) {
  const page = { data };
  showsDetails("task", (name) => taskDetails(page, name));
  showsDetails("job", (name) => jobDetails(page, name));
  showsDetails("queue", (name) => queueDetails(page, name));
  showsDetails("node", (name) => nodeDetails(page, name));
  showsDetails("step", (step) => goToStep(page, Number(step)));
  if (byId("cluster")) showCluster(page);
  showJobs(page);
  showTasks(page);
  if (byId("evictions")) showEvictions(byId("evictions").querySelector(".body"), evictionsOf(data));
  listenForVerdicts(page);
  return page;
}

function showCluster(page) {
  const { data } = page;
  const knowsNodes = data.nodes.name.length > 0;
  const knowsRequests = data.requests.length > 1;
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
  const { nodes, texts, requests } = data;
  const names = Array.from(nodes.name, (text) => texts[text]);
  const closing = nodeColumns(data, "used");
  const has = (name) =>
    Float64Array.from(nodes.name.keys(), (node) =>
      name === PODS ? nodes.maxPods[node] : (requests[nodes.allocatable[node]]?.[name] ?? 0),
    );
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
  const show = () =>
    map.show(
      resources.find(({ name }) => name === by.select.value),
      nodeOrder(closing[by.select.value], has(by.select.value), order.select.value),
    );
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
  byId("nodes").append(make("div", { class: "tools" }, by.field, order.field, shadeLegend()), told, body);
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
      Number.isNaN(part[one]) - Number.isNaN(part[other]) || sign * (part[one] - part[other]) || one - other,
  );
}

function nodeNote({ data, replay }, node) {
  const closed = data.nodes.unschedulable[node] === 1;
  const parts = [];
  if (replay?.leaving[node]) parts.push(`${count(replay.leaving[node], "task")} being evicted`);
  if (replay?.reserved[node]) parts.push(`${count(replay.reserved[node], "task")} with a reservation`);
  return { closed, text: parts.join(", ") };
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

function jobColumns({ jobs, texts, verdicts }) {
  const verdict = (row) => verdicts[jobs.verdict[row]];
  return [
    {
      title: "Job",
      width: "minmax(12rem, 2fr)",
      key: (row) => jobs.path[row],
      cell: (row) => link("job", jobs.path[row]),
    },
    {
      title: "Queue",
      wide: true,
      width: "minmax(6rem, 1fr)",
      key: (row) => texts[jobs.queue[row]],
      cell: (row) => bdi(texts[jobs.queue[row]]),
    },
    {
      title: "Decision",
      width: "11rem",
      key: (row) => texts[jobs.decision[row]],
      cell: (row) => code(texts[jobs.decision[row]]),
    },
    {
      title: "Ready",
      width: "5.5rem",
      numeric: true,
      key: (row) => jobs.ready[row] / Math.max(1, jobs.minAvailable[row]),
      cell: (row) => `${jobs.ready[row]}/${jobs.minAvailable[row]}`,
    },
    {
      title: "Tasks",
      width: "5rem",
      numeric: true,
      key: (row) => jobs.tasks[row],
      cell: (row) => grouped(jobs.tasks[row]),
    },
    {
      title: "Verdict",
      width: "minmax(14rem, 4fr)",
      key: (row) => verdict(row)?.code ?? "~",
      cell: (row) => verdictCell(verdict(row)),
    },
  ];
}

function showJobs(page) {
  const { data } = page;
  const { jobs, texts, verdicts } = data;
  const verdict = (row) => verdicts[jobs.verdict[row]];
  const [queue, decision] = ["queue", "decision"].map((column) => (row) => texts[jobs[column][row]]);
  const host = byId("jobs").querySelector(".body");
  page.jobTable = new Table(host, {
    label: "jobs",
    columns: jobColumns(data),
    length: jobs.path.length,
    empty: jobs.path.length ? "No job matches." : "There are no jobs.",
    text: (row) =>
      `${jobs.path[row]} job:${jobs.path[row]} queue:${queue(row)} ${decision(row)} ${verdictText(verdict(row))}`,
    open: (row) => {
      location.hash = address("job", jobs.path[row]);
    },
  });
  page.jobFilters = new Filters(host, page.jobTable, { label: "search jobs", hint: "search jobs" })
    .add("queue", "Queue", queue)
    .add("decision", "Decision", decision)
    .add("verdict", "Verdict", (row) => verdict(row)?.code ?? "");
}

const verdictText = (verdict) => (verdict ? `verdict:${verdict.code} ${verdict.text}` : "");

function verdictCell(verdict) {
  return verdict
    ? make("span", { class: "said", title: `${verdict.code}: ${verdict.text}` }, code(verdict.code), ` ${verdict.text}`)
    : "";
}

// Functions that return what stands in a column of the tasks, by row.
function taskTexts({ tasks, texts }) {
  return Object.fromEntries(
    ["before", "status", "node", "queue"].map((column) => [column, (row) => texts[tasks[column][row]]]),
  );
}

function taskColumns({ tasks, verdicts }, { before, status: after, node, queue }) {
  const verdict = (row) => verdicts[tasks.verdict[row]];
  return [
    {
      title: "Task",
      width: "minmax(14rem, 2.4fr)",
      key: (row) => tasks.path[row],
      cell: (row) => link("task", tasks.path[row]),
    },
    { title: "Queue", wide: true, width: "minmax(6rem, 1fr)", key: queue, cell: (row) => bdi(queue(row)) },
    {
      title: "Status",
      width: "11rem",
      key: (row) => OUTCOMES[tasks.outcome[row]],
      cell: (row) => status(change(before(row), after(row)), tasks.outcome[row]),
    },
    { title: "Node", width: "minmax(7rem, 1.2fr)", key: node, cell: (row) => bdi(node(row)) },
    {
      title: "Verdict",
      width: "minmax(14rem, 4fr)",
      key: (row) => verdict(row)?.code ?? "~",
      cell: (row) => verdictCell(verdict(row)),
    },
  ];
}

function showTasks(page) {
  const { data } = page;
  const { tasks, verdicts } = data;
  const told = taskTexts(data);
  const verdict = (row) => verdicts[tasks.verdict[row]];
  const outcome = (row) => OUTCOMES[tasks.outcome[row]];
  const host = byId("tasks").querySelector(".body");
  page.taskTable = new Table(host, {
    label: "tasks",
    columns: taskColumns(data, told),
    length: tasks.path.length,
    empty: tasks.path.length ? "No task matches." : "There are no tasks.",
    text: (row) =>
      `${tasks.path[row]} job:${data.jobName(tasks.job[row])} queue:${told.queue(row)} node:${told.node(row)} ` +
      `status:${told.status(row)} ${outcome(row)} ${verdictText(verdict(row))}`,
    open: (row) => {
      location.hash = address("task", tasks.path[row]);
    },
  });
  page.taskFilters = new Filters(host, page.taskTable, {
    label: "search tasks",
    hint: "search tasks, or node:NAME, job:NS/NAME",
  })
    .add("queue", "Queue", told.queue)
    .add("status", "Status", told.status)
    .add("outcome", "Outcome", outcome)
    .add("verdict", "Verdict", (row) => verdict(row)?.code ?? "");
}

// The verdicts of the summary show their tasks.
function listenForVerdicts(page) {
  for (const pressed of document.querySelectorAll("[data-verdict], [data-outcome]")) {
    pressed.addEventListener("click", () => {
      page.taskFilters.set("", { verdict: pressed.dataset.verdict, outcome: pressed.dataset.outcome });
      byId("tasks").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
      page.taskFilters.input.focus({ preventScroll: true });
    });
  }
}
