// What the dialog shows of a task, a job, a queue or a node.

const LISTED = 100;

const status = (text, outcome) => make("span", { class: `status ${OUTCOMES[outcome] ?? ""}` }, text);
const code = (text) => make("span", { class: "code" }, text);

function verdictFacts(verdict, path) {
  if (!verdict) return [];
  const place = [
    verdict.action,
    verdict.plugin && `plugin ${verdict.plugin}`,
    verdict.queue && `queue ${verdict.queue}`,
  ]
    .filter(Boolean)
    .join(", ");
  return [
    ["verdict", make("span", {}, code(verdict.code), ` ${verdict.text}`)],
    ["said by", place],
    [
      "scheduler's log",
      verdict.log && make("span", {}, make("code", {}, spelledOut(verdict.log, path)), ` (--v=${verdict.verbosity})`),
    ],
    ["what to do", rule(verdict.code)],
  ];
}

// What the pod says, and what that means where it has that verdict.
function podWords({ podMeanings }, words, verdict) {
  const meaning = verdict && podMeanings[verdict.code];
  return words && make("span", {}, words, meaning && make("small", {}, ` (${meaning})`));
}

function listOf(items, more) {
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
function filesOf({ scenario }) {
  return /, |^standard input$|^$/.test(scenario.name) ? "FILES" : quoted(scenario.name);
}

// A line of the log has signs for the names of the task, so that many tasks share it.
function spelledOut(line, path) {
  return line.replaceAll("{name}", path.slice(path.indexOf("/") + 1)).replaceAll("{task}", path);
}

// Shows rows of the task table instead of a longer list.
function inTable(page, words, values) {
  return button("show in the table", () => {
    byId("details").close();
    page.taskFilters.set(words, values);
    byId("tasks").scrollIntoView({ behavior: isCalm() ? "auto" : "smooth" });
    page.taskFilters.input.focus({ preventScroll: true });
  });
}

function taskDetails(page, name) {
  const { data } = page;
  const task = data.tasks.path.indexOf(name);
  if (task < 0) return null;
  const { tasks, texts } = data;
  const text = (column) => texts[tasks[column][task]];
  const job = data.jobName(tasks.job[task]);
  const errors = data.errors[tasks.errors[task]];
  const waits = (tasks.waitsFor[task] ?? []).map((each) => link("task", texts[each]));
  const verdict = data.verdicts[tasks.verdict[task]];
  const tied = tasks.tied[task] > 1 ? ` (1 of ${grouped(tasks.tied[task])} equally good nodes)` : "";
  const body = facts([
    ["status", status(change(text("before"), text("status")), tasks.outcome[task])],
    ["node", text("node") && make("span", {}, link("node", text("node")), tied)],
    ["job", job && (tasks.job[task] >= 0 ? link("job", job) : bdi(job))],
    ["role", text("role")],
    ["queue", text("queue") && link("queue", text("queue"))],
    ["requests", listedAmounts(data.resources, data.requests[tasks.request[task]])],
    ...verdictFacts(verdict, name),
    ["on the pod", podWords(data, text("pod"), verdict)],
    [
      "reasons of nodes",
      errors && listOf(Object.entries(errors.reasons).map(([reason, nodes]) => `${count(nodes, "node")}: ${reason}`)),
    ],
    ["waits for", waits.length ? listOf(waits) : ""],
  ]);
  return { title: name, body: [body, ...taskSteps(page, task)] };
}

function taskSteps(page, task) {
  const { data } = page;
  const found = [];
  data.trace.task.forEach((each, operation) => {
    if (each === task || data.trace.evictor[operation] === task) found.push(operation);
  });
  if (!found.length || !page.replay) return [];
  return [
    make("h3", {}, "Decisions"),
    listOf(
      found.map((operation) =>
        make("span", {}, stepLink(page, operation), ...stepWords(data, operation), ...votesOf(data, operation)),
      ),
    ),
  ];
}

function stepLink(page, operation) {
  const step = page.replay.operation.indexOf(operation) + 1;
  return make("a", { href: `#step=${step}`, class: "step" }, `step ${grouped(step)}`);
}

function votesOf(data, operation) {
  const vote = data.votes[data.trace.vote[operation]];
  if (!vote) return [];
  const said = Object.entries(vote.votes)
    .map(([plugin, word]) => `${plugin}: ${word}`)
    .join(", ");
  return [make("small", {}, `${vote.tier === null ? "" : `tier ${vote.tier}, `}votes: ${said}`)];
}

function jobDetails(page, name) {
  const { data } = page;
  const job = data.jobs.path.indexOf(name);
  if (job < 0) return null;
  const { jobs, tasks, texts } = data;
  const own = [...tasks.path.keys()].filter((task) => tasks.job[task] === job);
  const body = facts([
    ["decision", code(texts[jobs.decision[job]])],
    ["queue", link("queue", texts[jobs.queue[job]])],
    ["phase", change(texts[jobs.before[job]] || "Pending", texts[jobs.phase[job]])],
    [
      "ready",
      `${jobs.ready[job]} of ${count(jobs.tasks[job], "task")}, minimum ${jobs.minAvailable[job]}`,
    ],
    ["priority", jobs.priority[job] ? String(jobs.priority[job]) : ""],
    ...verdictFacts(data.verdicts[jobs.verdict[job]], name),
    ["unschedulable", texts[jobs.message[job]]],
    ["why", command(`vqs explain-job ${filesOf(data)} --job ${quoted(name)}`)],
  ]);
  const line = (task) =>
    make(
      "span",
      {},
      link("task", tasks.path[task]),
      " ",
      status(change(texts[tasks.before[task]], texts[tasks.status[task]]), tasks.outcome[task]),
      tasks.node[task] ? [" ", link("node", texts[tasks.node[task]])] : "",
      tasks.verdict[task] ? [" ", code(data.verdicts[tasks.verdict[task]].code)] : "",
    );
  return {
    title: name,
    body: [
      body,
      ...jobStatements(page, job),
      make("h3", {}, count(own.length, "task")),
      listOf(own.map(line)),
      own.length > 1 && inTable(page, `job:${name}`),
    ].filter(Boolean),
  };
}

function jobStatements(page, job) {
  const { data, replay } = page;
  if (!replay) return [];
  const found = [...data.trace.job.keys()].filter((statement) => data.trace.job[statement] === job);
  if (!found.length) return [];
  const line = (statement) => {
    const step = replay.stepOf(statement);
    return make(
      "span",
      {},
      make("a", { href: `#step=${step}`, class: "step" }, `step ${grouped(step)}`),
      `${data.texts[data.trace.action[statement]]}, ${count(data.trace.length[statement], "step")}: `,
      endOf(data.texts[data.trace.result[statement]]),
    );
  };
  return [make("h3", {}, "Statements"), listOf(found.map(line))];
}

function queueDetails(page, name) {
  const { data } = page;
  const queue = data.queues.find((each) => each.name === name);
  if (!queue) return null;
  const { opened, closed } = queue;
  const columns = [
    ["deserved", opened.deserved],
    ["guarantee", opened.guarantee],
    ["limit", opened.realCapability],
    ["request", opened.request],
    ["held before", opened.allocated],
    ["allocated", closed.allocated],
    ...(closed.reserved ? [["of it reserved", closed.reserved]] : []),
    ["inqueue", closed.inqueue],
    ["elastic", opened.elastic],
  ];
  const head = make(
    "tr",
    {},
    make("th", { scope: "col" }, "resource"),
    columns.map(([title]) => make("th", { scope: "col", class: "numeric" }, title)),
  );
  const row = (resource) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, resource.name),
      columns.map(([, amounts]) => make("td", { class: "numeric" }, amount(resource, amounts[resource.name]))),
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

function nodeDetails(page, name) {
  const { data } = page;
  const { nodes, tasks, texts } = data;
  const at = data.nodeAt.get(name);
  const here = [...tasks.path.keys()].filter((task) => texts[tasks.node[task]] === name);
  if (at === undefined && !here.length) return null;
  const line = (task) =>
    make(
      "span",
      {},
      link("task", tasks.path[task]),
      " ",
      status(change(texts[tasks.before[task]], texts[tasks.status[task]]), tasks.outcome[task]),
    );
  const figures =
    at === undefined
      ? []
      : [
          nodeFigures(data, at),
          make(
            "p",
            {},
            `${change(String(nodes.podsBefore[at]), String(nodes.pods[at]))} of ${grouped(nodes.maxPods[at])} pods` +
              (nodes.unschedulable[at] ? "; unschedulable" : ""),
          ),
        ];
  return {
    title: name,
    body: [
      ...figures,
      make("h3", {}, `${count(here.length, "task")} here`),
      listOf(here.map(line)),
      here.length > 1 && inTable(page, `node:${name}`),
    ].filter(Boolean),
  };
}

function nodeFigures(data, at) {
  const { nodes, requests, resources } = data;
  const [has, before, used] = [nodes.allocatable, nodes.before, nodes.used].map((column) => requests[column[at]] ?? {});
  const row = (resource) => {
    const of = has[resource.name] ?? 0;
    const part = of ? Math.min(1, (used[resource.name] ?? 0) / of) : 0;
    const bar = draw(
      "svg",
      { class: "bar", viewBox: `0 0 ${BAR.width} ${BAR.height}`, preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { class: "bar-track", width: BAR.width, height: BAR.height }),
      draw("rect", { class: "bar-held", width: part * BAR.width, height: BAR.height }),
    );
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, resource.name),
      make("td", { class: "bar-cell" }, bar),
      make(
        "td",
        { class: "numeric" },
        change(amount(resource, before[resource.name] ?? 0), amount(resource, used[resource.name] ?? 0)),
      ),
      make("td", { class: "numeric" }, `of ${amount(resource, of)}`),
    );
  };
  return make(
    "table",
    { class: "figures plain" },
    make("tbody", {}, resources.filter(({ name }) => has[name] || used[name]).map(row)),
  );
}
