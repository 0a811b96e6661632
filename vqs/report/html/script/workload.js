// The page of a replay: what happened over time, how long jobs waited, and each job.

import { facts, showsDetails } from "./dialog.js";
import { bdi, button, byId, choice, copy, draw, link, make } from "./dom.js";
import { Gantt } from "./gantt.js";
import { heatLegend, HeatMap } from "./heat.js";
import { openPage } from "./page.js";
import { readRuns } from "./runs.js";
import { NARROWEST, Span } from "./span.js";
import { listOfAll } from "./table.js";
import { MOST_PAINTS, sampleAt, Timeline } from "./timeline.js";
import { amount, count, duration, grouped, tidy, timeIn } from "./units.js";
import { showWaits } from "./waits.js";

const MOST_LIVES = 200;

// What is looked at: the policy, the resource, the time, and what can be said of a job.
class View {
  constructor(data) {
    this.data = data;
    this.jobs = data.jobs;
    this.queues = data.queues;
    this.nodes = data.nodes;
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

  // What became of a job under a policy; null where it is not there.
  record(job, policy = this.policy) {
    return policy.records[job.place];
  }

  // Seconds from the arrival until something, null where that did not happen.
  since(job, what, policy = this.policy) {
    const record = this.record(job, policy);
    if (what === "completed" && record?.phase === "Replaced") return null;
    const at = record?.[what] ?? null;
    return at === null ? null : at - job.arrival;
  }

  waited(job) {
    return this.since(job, "started") ?? this.policy.end - job.arrival;
  }

  phase(job) {
    return this.record(job)?.phase ?? "not there";
  }

  reasons(job, policy = this.policy) {
    const waited = Object.entries(this.record(job, policy)?.waited ?? {});
    return waited.filter(([, seconds]) => seconds > 0).sort((one, other) => other[1] - one[1]);
  }

  stateAt(job, time) {
    const { started = null, completed = null } = this.record(job) ?? {};
    if (time < job.arrival) return `arrives at ${duration(job.arrival)}`;
    if (completed !== null && time >= completed)
      return `${this.phase(job)} after ${duration(completed - job.arrival)}, waited ${duration(this.since(job, "started"))}`;
    if (started !== null && time >= started) return `${count(this.runningAt(job, time), "pod")} of ${job.pods} running`;
    const [[code, seconds] = []] = this.reasons(job);
    return `waits since ${duration(job.arrival)}${code ? `, longest for ${code} (${duration(seconds)})` : ""}`;
  }

  runningAt({ place }, time) {
    return this.policy.lives[place].filter(({ started, ended }) => started <= time && (ended ?? Infinity) > time).length;
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
    const waiting = queues.reduce((sum, { counts }) => sum + counts.waitingJobs[at], 0);
    if (waiting > most) [most, moment] = [waiting, time];
  });
  return moment;
}

function showWorkload(document) {
  if (!byId("moment")) return {};
  const view = new View(readRuns(document));
  showsDetails("job", (name) => workloadJob(view, name));
  showsDetails("at", (seconds) => goToMoment(view, Number(seconds)));
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

// Shows the moment that the address names, as #at=3600.
function goToMoment({ span }, seconds) {
  if (!(seconds >= 0 && seconds <= span.end)) return null;
  byId("details").close();
  span.goTo(seconds);
  byId("moment").scrollIntoView();
  return { act: true };
}

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
  const here = () => `${location.href.split("#")[0]}#at=${Math.round(span.moment)}`;
  const shared = button("copy link", () => copy(here(), shared), { class: "copy", "aria-label": "copy a link to the moment" });
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
    make("p", { class: "step-text" }, "As a snapshot: ", make("span", { class: "command" }, code, pressed), " ", shared),
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
    body.append(make("tr", {}, make("th", { scope: "row" }, swatch, bdi(queue)), figures));
    return figures;
  });
  const show = () => {
    const { series } = view.policy;
    const sample = sampleAt(series.times, view.span.moment);
    cells.forEach((figures, queue) => {
      const amounts = ["allocated", "deserved", "request"].map((what) => {
        const values = series.queues[queue][what][view.resource.name];
        return values || what !== "deserved" ? amount(view.resource, tidy(values?.[sample] ?? 0)) : "–";
      });
      const counts = ["running", "pending", "waitingJobs"].map((what) =>
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
  const evictions = (job) => view.record(job)?.evictions ?? 0;
  return [
    { title: "Job", width: "minmax(10rem, 2fr)", key: ({ path }) => path, cell: ({ path }) => link("job", path) },
    { title: "Queue", wide: true, width: "minmax(5rem, 1fr)", key: ({ queue }) => queue, cell: ({ queue }) => bdi(queue) },
    { title: "Priority", wide: true, numeric: true, width: "4rem", key: (job) => job.priority, cell: (job) => String(job.priority) },
    { title: "Arrival", numeric: true, width: "5rem", key: ({ arrival }) => arrival, cell: ({ arrival }) => duration(arrival) },
    { title: "Waited", numeric: true, width: "5rem", key: (job) => view.waited(job), cell: (job) => duration(view.waited(job)) },
    {
      title: "Completed after",
      numeric: true,
      width: "6rem",
      key: (job) => view.since(job, "completed") ?? Infinity,
      cell: (job) => duration(view.since(job, "completed")),
    },
    { title: "Evictions", numeric: true, width: "4.5rem", key: evictions, cell: (job) => grouped(evictions(job)) },
    { title: "Phase", width: "7rem", key: (job) => view.phase(job), cell: (job) => view.phase(job) },
    {
      title: "Waited for",
      width: "minmax(14rem, 3fr)",
      says: (job) => reasonsText(view, job),
      key: (job) => view.reasons(job)[0]?.[0] ?? "~",
      cell: (job) => make("span", { class: "said" }, reasonsText(view, job)),
    },
  ];
}

const reasonsText = (view, job) =>
  view.reasons(job).map(([code, seconds]) => `${duration(seconds)} for ${code}`).join(", ");

function showWorkloadJobs(view) {
  const { jobs } = view;
  const { table, filters } = listOfAll("job", {
    columns: workloadColumns(view),
    least: "71rem",
    rows: jobs,
    hint: "search jobs, or queue:NAME",
    text: ({ path, queue }) => `${path} job:${path} queue:${queue} `,
  });
  filters
    .add("queue", "Queue", ({ queue }) => queue)
    .add("priority", "Priority", ({ priority }) => String(priority))
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

function stateOfJob(view, job) {
  const { started, completed, evictions, phase } = view.record(job) ?? { started: null };
  if (started === null) return "never started";
  if (completed === null) return "not completed";
  if (phase === "Replaced") return "replaced by a rollout";
  return evictions ? "completed after evictions" : "completed";
}

function workloadJob(view, name) {
  const job = view.jobs.find(({ path }) => path === name);
  if (!job) return null;
  const { policies } = view.data;
  const several = policies.length > 1;
  const under = (word, say) => [word, ...policies.map((policy) => say(policy, view.record(job, policy)))];
  const after = (word, what) => under(word, (policy) => duration(view.since(job, what, policy)));
  const body = [
    several ? make("p", { class: "dim" }, "Under ", bdi(view.policy.name), "; other policies beside it.") : "",
    facts([
      ["queue", bdi(job.queue)],
      ["priority", String(job.priority)],
      ["pods", `${job.pods}, of which ${job.minAvailable} are needed to start`],
      ["arrives", duration(job.arrival)],
    ]),
    policyTable(
      [
        after("admitted after", "admitted"),
        after("started after", "started"),
        after("completed after", "completed"),
        under("pods evicted", (_, record) => grouped(record?.evictions ?? 0)),
        under("work lost", (_, record) => duration(record?.workLost ?? 0)),
        under("phase at the end", (_, record) => record?.phase ?? "not there"),
        under("waited for", (policy) => reasonList(view.reasons(job, policy))),
      ],
      policies.map((each) => each.name),
    ),
    ...lifeList(view.policy.lives[job.place]),
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

function lifeList(lives) {
  if (!lives.length) return [];
  const item = ({ pod, node, started, ended, outcome, evictor, action }) => {
    const when =
      started === undefined ? "did not run" : `${duration(started)} to ${ended === undefined ? "the end" : duration(ended)}`;
    const said =
      outcome === "evicted"
        ? `evicted${evictor ? ` for ${evictor}` : ""}${action ? ` (${action})` : ""}`
        : outcome || "runs";
    return make("li", {}, bdi(pod), ` on ${node}, ${when}: `, make("span", { class: outcome === "evicted" && "failed" }, said));
  };
  const more = lives.length - MOST_LIVES;
  return [
    make("h3", {}, `Pods on nodes (${grouped(lives.length)})`),
    make("ul", { class: "names" }, lives.slice(0, MOST_LIVES).map(item)),
    more > 0 ? make("p", { class: "dim" }, `${grouped(more)} more`) : "",
  ];
}

openPage(showWorkload);
