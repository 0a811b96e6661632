// The page of a replay: what happened over time, how long jobs waited, and each job.

const ENDS_OF_PODS = ["runs", "succeeded", "failed", "evicted", "killed", "lost"];
const MOST_LIVES = 200;

function unpackWorkload(data) {
  data.nodes = unpackedNames(data.nodes);
  data.jobs = unpackedTable(data.jobs);
  const [to] = [data.jobs.path.length];
  for (const policy of data.policies) {
    const { reasons, ...columns } = policy.jobs;
    policy.outcomes = { ...unpackedTable(columns), reasons };
    const { pod, ...lives } = policy.lives;
    policy.lives = { ...unpackedTable(lives), pod: () => (policy.lives.pods ??= unpackedNames(pod)) };
    policy.lives.firsts = firstsOf(policy.lives.job, to);
    policy.endTick = Math.round(policy.end / data.tick);
    policy.series.times = Array.from(unpacked(policy.series.times), (time) => time * data.tick);
    for (const queue of policy.series.queues)
      for (const parts of Object.values(queue))
        for (const [name, column] of Object.entries(parts)) parts[name] = Array.from(unpacked(column));
    for (const [name, text] of Object.entries(policy.heat.levels)) policy.heat.levels[name] = bytesOf(text);
    policy.evictions = evictionTimes(policy.lives, data.tick);
  }
  return data;
}

// Where the lives of each job begin, which stand together; one more for where those of the last one end.
function firstsOf(jobs, number) {
  const firsts = new Int32Array(number + 1);
  for (const job of jobs) firsts[job + 1] += 1;
  for (let job = 0; job < number; job += 1) firsts[job + 1] += firsts[job];
  return firsts;
}

function evictionTimes({ how, ended }, tick) {
  const times = [];
  how.forEach((each, life) => ENDS_OF_PODS[each] === "evicted" && times.push(ended[life] * tick));
  return times.sort((one, other) => one - other);
}

// What is looked at: the policy, the resource, the time, and what can be said of a job.
class View {
  constructor(data) {
    Object.assign(this, { data, jobs: data.jobs, queues: data.queues, nodes: data.nodes, tick: data.tick });
    this.policy = data.policies[0];
    this.resource = data.resources[0];
    this.span = new Span(data.end);
    this.span.moment = busiest(this.policy);
    this.listeners = [];
  }

  choose(part) {
    Object.assign(this, part);
    for (const act of this.listeners) act();
    this.span.tell();
  }

  queueOf(job) {
    const place = this.jobs.queue[job];
    return place < 0 ? this.data.texts[-1 - place] : this.queues[place].name;
  }

  // Seconds from the arrival until something, null where that did not happen.
  since(job, column, policy = this.policy) {
    const at = policy.outcomes[column][job];
    return at < 0 ? null : (at - this.jobs.arrival[job]) * this.tick;
  }

  waited(job) {
    return this.since(job, "started") ?? (this.policy.endTick - this.jobs.arrival[job]) * this.tick;
  }

  phase(job) {
    return this.data.texts[this.policy.outcomes.phase[job]] || "not there";
  }

  reasons(job, policy = this.policy) {
    const waited = Object.entries(policy.outcomes.reasons[policy.outcomes.waited[job]] ?? {});
    return waited.filter(([, seconds]) => seconds > 0).sort((one, other) => other[1] - one[1]);
  }

  stateAt(job, time) {
    const { outcomes } = this.policy;
    const at = time / this.tick;
    const [arrival, started, completed] = [this.jobs.arrival[job], outcomes.started[job], outcomes.completed[job]];
    if (at < arrival) return `arrives at ${duration(arrival * this.tick)}`;
    if (completed >= 0 && at >= completed) return `${this.phase(job)} after ${duration(this.since(job, "completed"))}, waited ${duration(this.since(job, "started"))}`;
    if (started >= 0 && at >= started) return `${count(this.runningAt(job, at), "pod")} of ${this.jobs.pods[job]} running`;
    const [[code, seconds] = []] = this.reasons(job);
    return `waits since ${duration(arrival * this.tick)}${code ? `, longest for ${code} (${duration(seconds)})` : ""}`;
  }

  runningAt(job, at) {
    const { firsts, started, ended } = this.policy.lives;
    let running = 0;
    for (let life = firsts[job]; life < firsts[job + 1]; life += 1)
      if (started[life] >= 0 && started[life] <= at && (ended[life] < 0 || ended[life] > at)) running += 1;
    return running;
  }

  get command() {
    const { moment } = this.span;
    const at = moment >= 600 ? Math.round(moment) : Number(moment.toFixed(1));
    return `${this.policy.command} --at ${timeIn(at)} -o moment.json`;
  }
}

// When most jobs wait, which is where a look is worth most.
function busiest({ series: { times, queues } }) {
  let [most, moment] = [0, 0];
  times.forEach((time, at) => {
    const waiting = queues.reduce((sum, { counts }) => sum + counts.waiting_jobs[at], 0);
    if (waiting > most) [most, moment] = [waiting, time];
  });
  return moment;
}

function showWorkload(data) {
  const view = new View(unpackWorkload(data));
  showsDetails("job", (name) => workloadJob(view, name));
  showMoment(byId("moment"), view);
  showTimeline(byId("timeline"), view);
  if (byId("node-heat")) showNodeHeat(byId("node-heat"), view);
  whenSeen(byId("waits"), () => showWaits(byId("waits"), view));
  const table = showWorkloadJobs(view);
  return { view, ...table };
}

function whenSeen(host, act) {
  const observer = new IntersectionObserver(([entry]) => {
    if (!entry.isIntersecting) return;
    observer.disconnect();
    act();
  }, { rootMargin: "300px" });
  observer.observe(host);
  addEventListener("beforeprint", () => {
    if (!host.childElementCount) act();
  });
}

// --- the moment ------------------------------------------------------------------------------------------------------

function showMoment(host, view) {
  const { span, data } = view;
  const slider = make("input", {
    type: "range",
    id: "at",
    min: 0,
    max: NARROWEST,
    step: 1,
    value: 0,
    "aria-label": "moment",
    on: { input: () => span.goTo((Number(slider.value) / NARROWEST) * span.end) },
  });
  const told = make("output", { class: "counter" });
  const code = make("code", {});
  const pressed = button("copy", () => copy(view.command, pressed), { class: "copy", "aria-label": "copy the command" });
  const control = (sign, label, act) => button(sign, act, { "aria-label": label, title: label });
  const policies = choice(
    "Policy",
    data.policies.map(({ name }, at) => [at, name]),
    (at) => view.choose({ policy: data.policies[at] }),
    { id: "policy" },
  );
  const resources = choice(
    "Resource",
    data.resources.map(({ name }) => [name]),
    (name) => view.choose({ resource: data.resources.find((each) => each.name === name) }),
    { id: "resource" },
  );
  host.append(
    make(
      "div",
      { class: "controls", role: "group", "aria-label": "the moment and the time shown" },
      slider,
      told,
      control("−", "zoom out", () => span.zoom(2)),
      control("+", "zoom in", () => span.zoom(0.5)),
      control("◂", "earlier", () => span.move(-0.5)),
      control("▸", "later", () => span.move(0.5)),
      button("all", () => span.show(0, span.end), { "aria-label": "show all of the time" }),
      data.policies.length > 1 ? policies.field : "",
      data.resources.length > 1 ? resources.field : "",
    ),
    make("p", { class: "step-text" }, "As a snapshot: ", make("span", { class: "command" }, code, pressed)),
  );
  const tell = () => {
    slider.value = Math.round((span.moment / span.end) * NARROWEST);
    slider.setAttribute("aria-valuetext", duration(span.moment));
    told.textContent = `${timeIn(Math.round(span.moment * 10) / 10, " ")} of ${duration(span.end)}`;
    code.textContent = view.command;
  };
  span.listen(tell);
  view.listeners.push(tell);
  tell();
}

// --- queues and nodes over time --------------------------------------------------------------------------------------

function showTimeline(host, view) {
  const drawing = make("div", {});
  const timeline = new Timeline(drawing, view);
  const { field } = choice(
    "Queues",
    [
      ["stacked", "stacked"],
      ["rows", "each by itself"],
    ],
    (how) => {
      timeline.isStacked = how === "stacked";
      timeline.drawSoon();
    },
    { id: "stacking" },
  );
  host.append(make("div", { class: "tools" }, field, timelineLegend()), drawing, queueTable(view));
}

function timelineLegend() {
  const sign = (content, word) => make("span", { class: "sign" }, content, word);
  const svg = (...parts) => draw("svg", { viewBox: "0 0 24 12", class: "wait-sign", "aria-hidden": "true" }, parts);
  return make(
    "div",
    { class: "legend" },
    sign(svg(draw("rect", { class: "queue-fill", width: 24, height: 12 })), "held"),
    sign(svg(draw("path", { class: "deserved-line", d: "M0 6H24" })), "deserved"),
    sign(svg(draw("path", { class: "eviction-line", d: "M12 0V12" })), "evictions"),
  );
}

// What each queue has at the moment; the colours of the drawings stand beside the names.
function queueTable(view) {
  const headings = ["Queue", "Held", "Deserved", "Requested", "Pods running", "Pods pending", "Jobs waiting"];
  const body = make("tbody", {});
  const cells = view.queues.map((queue, at) => {
    const swatch = draw("svg", { viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true" });
    swatch.append(draw("rect", { class: `queue-fill f${at < MOST_PAINTS ? at : "-other"}`, width: 10, height: 10, rx: 2 }));
    const figures = headings.slice(1).map((title) => make("td", { class: "numeric", "data-title": title.toLowerCase() }));
    body.append(make("tr", {}, make("th", { scope: "row" }, swatch, bdi(queue.name)), figures));
    return figures;
  });
  const show = () => {
    const { series } = view.policy;
    const sample = sampleAt(series.times, view.span.moment);
    cells.forEach((figures, queue) => {
      const amounts = ["allocated", "deserved", "request"].map((what) => {
        const values = series.queues[queue][what][view.resource.name];
        return values || what !== "deserved" ? amount(view.resource, tidy((values?.[sample] ?? 0) * view.resource.scale)) : "–";
      });
      const counts = ["running", "pending", "waiting_jobs"].map((what) =>
        grouped(series.queues[queue].counts[what][sample] ?? 0),
      );
      [...amounts, ...counts].forEach((text, at) => {
        figures[at].textContent = text;
      });
    });
  };
  view.span.listen(show);
  show();
  const head = headings.map((title, at) => make("th", { scope: "col", class: at && "numeric" }, title));
  const table = make("table", { class: "figures plain single at-moment" }, make("thead", {}, make("tr", {}, head)), body);
  return make("div", { class: view.queues.length > 12 ? "queues long" : "" }, table);
}

function showNodeHeat(host, view) {
  const drawing = make("div", {});
  host.append(make("div", { class: "tools" }, heatLegend()), drawing);
  new HeatMap(drawing, view);
}

// --- jobs ------------------------------------------------------------------------------------------------------------

function workloadColumns(view) {
  const { jobs } = view;
  const outcome = (name) => (row) => view.policy.outcomes[name][row];
  const known = (value) => (value === null ? Infinity : value);
  return [
    { title: "Job", width: "minmax(12rem, 2fr)", key: (row) => jobs.path[row], cell: (row) => link("job", jobs.path[row]) },
    { title: "Queue", wide: true, width: "minmax(6rem, 1fr)", key: (row) => view.queueOf(row), cell: (row) => bdi(view.queueOf(row)) },
    { title: "Priority", wide: true, numeric: true, width: "5.5rem", key: (row) => jobs.priority[row], cell: (row) => String(jobs.priority[row]) },
    { title: "Arrival", numeric: true, width: "6rem", key: (row) => jobs.arrival[row], cell: (row) => duration(jobs.arrival[row] * view.tick) },
    { title: "Waited", numeric: true, width: "6rem", key: (row) => view.waited(row), cell: (row) => duration(view.waited(row)) },
    {
      title: "Completed after",
      numeric: true,
      width: "9rem",
      key: (row) => known(view.since(row, "completed")),
      cell: (row) => duration(view.since(row, "completed")),
    },
    { title: "Evictions", numeric: true, width: "6rem", key: outcome("evictions"), cell: (row) => grouped(outcome("evictions")(row)) },
    { title: "Phase", width: "7rem", key: (row) => view.phase(row), cell: (row) => view.phase(row) },
    {
      title: "Waited for",
      width: "minmax(12rem, 3fr)",
      key: (row) => view.reasons(row)[0]?.[0] ?? "~",
      cell: (row) => make("span", { class: "said" }, reasonsText(view, row)),
    },
  ];
}

const reasonsText = (view, job) =>
  view.reasons(job).slice(0, 3).map(([code, seconds]) => `${duration(seconds)} for ${code}`).join(", ");

function showWorkloadJobs(view) {
  const { jobs } = view;
  const host = byId("jobs").querySelector(".body");
  const table = new Table(host, {
    label: "jobs",
    columns: workloadColumns(view),
    least: "66rem",
    length: jobs.path.length,
    empty: jobs.path.length ? "No job matches." : "There are no jobs.",
    text: (row) => `${jobs.path[row]} job:${jobs.path[row]} queue:${view.queueOf(row)} `,
    open: (row) => {
      location.hash = address("job", jobs.path[row]);
    },
  });
  const filters = new Filters(host, table, { label: "search jobs", hint: "search jobs, or queue:NAME" })
    .add("queue", "Queue", (row) => view.queueOf(row))
    .add("priority", "Priority", (row) => String(jobs.priority[row]))
    .add("state", "State", (row) => stateOfJob(view, row))
    .add("why", "Waited for", (row) => view.reasons(row)[0]?.[0] ?? "");
  const gantt = new Gantt(byId("gantt"), view, () => table.shown);
  const told = table.onchange;
  table.onchange = (...numbers) => {
    told(...numbers);
    gantt.changed();
  };
  const refresh = table.refresh.bind(table);
  view.listeners.push(() => refresh());
  return { jobTable: table, jobFilters: filters, gantt };
}

function stateOfJob({ policy: { outcomes } }, job) {
  if (outcomes.started[job] < 0) return "never started";
  if (outcomes.completed[job] < 0) return "not completed";
  return outcomes.evictions[job] ? "completed after evictions" : "completed";
}

function workloadJob(view, name) {
  const job = view.jobs.path.indexOf(name);
  if (job < 0) return null;
  const { data, jobs, policy } = view;
  const several = data.policies.length > 1;
  const body = [
    several ? make("p", { class: "dim" }, "Under ", bdi(policy.name), "; other policies beside it.") : "",
    facts([
      ["queue", bdi(view.queueOf(job))],
      ["priority", String(jobs.priority[job])],
      ["pods", `${jobs.pods[job]}, of which ${jobs.minAvailable[job]} are needed to start`],
      ["arrives", duration(jobs.arrival[job] * view.tick)],
    ]),
    policyTable(
      [
        ["admitted after", ...data.policies.map((each) => duration(view.since(job, "admitted", each)))],
        ["started after", ...data.policies.map((each) => duration(view.since(job, "started", each)))],
        ["completed after", ...data.policies.map((each) => duration(view.since(job, "completed", each)))],
        ["pods evicted", ...data.policies.map((each) => grouped(each.outcomes.evictions[job]))],
        ["work lost", ...data.policies.map((each) => duration(each.outcomes.lost[job] * view.tick))],
        ["phase at the end", ...data.policies.map((each) => data.texts[each.outcomes.phase[job]])],
        ["waited for", ...data.policies.map((each) => reasonList(view.reasons(job, each)))],
      ],
      data.policies.map((each) => each.name),
    ),
    ...lifeList(view, job),
  ];
  return { title: name, body: body.filter(Boolean) };
}

function policyTable(rows, titles) {
  const row = ([word, ...values]) =>
    make("tr", {}, make("th", { scope: "row" }, word), values.map((value) => make("td", {}, value)));
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "by policy" },
    make(
      "table",
      { class: "beside" },
      titles.length > 1 &&
        make("thead", {}, make("tr", {}, make("td"), titles.map((title) => make("th", { scope: "col" }, bdi(title))))),
      make("tbody", {}, rows.map(row)),
    ),
  );
}

function reasonList(reasons) {
  if (!reasons.length) return "–";
  return make(
    "ul",
    { class: "names" },
    reasons.map(([code, seconds]) => make("li", {}, `${duration(seconds)} for `, make("code", {}, code))),
  );
}

function lifeList({ data, jobs, policy, tick, nodes }, job) {
  const { lives } = policy;
  const [first, last] = [lives.firsts[job], lives.firsts[job + 1]];
  if (first === last) return [];
  const names = lives.pod();
  const items = [];
  for (let life = first; life < Math.min(last, first + MOST_LIVES); life += 1) {
    const how = ENDS_OF_PODS[lives.how[life]];
    const [from, to] = [lives.started[life], lives.ended[life]];
    const taker = lives.by[life] < 0 ? "" : ` for ${jobs.path[lives.by[life]]}`;
    const action = data.texts[lives.action[life]];
    const when = from < 0 ? "did not run" : `${duration(from * tick)} to ${to < 0 ? "the end" : duration(to * tick)}`;
    const said = how === "evicted" ? `evicted${taker}${action ? ` (${action})` : ""}` : how;
    items.push(
      make("li", {}, bdi(names[life]), ` on ${nodes[lives.node[life]] ?? "?"}, ${when}: `, make("span", { class: how === "evicted" ? "failed" : "" }, said)),
    );
  }
  const more = last - first - items.length;
  return [
    make("h3", {}, `Pods on nodes (${grouped(last - first)})`),
    make("ul", { class: "names" }, items),
    more > 0 ? make("p", { class: "dim" }, `${grouped(more)} more`) : "",
  ];
}
