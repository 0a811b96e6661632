// Steps through the decisions of the session, forward and back, while nodes and queues show the state after each.

const SPEEDS = [
  ["1", "1 a second"],
  ["5", "5 a second"],
  ["25", "25 a second"],
  ["0", "all in 20 s"],
];
const WHOLE_REPLAY = 20;
const SLOW_ENOUGH = 40;

// Drawn, as fonts do not have these signs everywhere.
const ICONS = {
  first: "M3 3h2v10H3z M14 3v10L6 8z",
  back: "M12 3v10L4 8z",
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M4 3h3v10H4z M9 3h3v10H9z",
  on: "M4 3v10l8-5z",
  last: "M11 3h2v10h-2z M2 3v10l8-5z",
};
const icon = (name) =>
  draw("svg", { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" }, draw("path", { d: ICONS[name] }));

class Player {
  constructor(host, replay, shown) {
    Object.assign(this, { host, replay, shown });
    const control = (sign, label, act, id) => button(icon(sign), act, { "aria-label": label, title: label, id });
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: replay.steps,
      value: replay.steps,
      id: "step",
      "aria-label": "step of the session",
      on: { input: () => this.moved() },
    });
    this.playing = control("play", "play", () => this.toggle(), "play");
    this.text = make("p", { class: "step-text", id: "step-text" });
    this.counter = make("output", { class: "counter" });
    const { field, select } = choice("Speed", SPEEDS, () => this.keepSpeed());
    this.speed = select;
    this.speed.value = replay.steps > SLOW_ENOUGH ? "0" : "1";
    host.append(
      make(
        "div",
        { class: "controls", role: "group", "aria-label": "replay of the session" },
        control("first", "to the start", () => this.goTo(0)),
        control("back", "one step back", () => this.goTo(replay.at - 1), "back"),
        this.playing,
        control("on", "one step on", () => this.goTo(replay.at + 1), "on"),
        control("last", "to the end", () => this.goTo(replay.steps)),
        this.slider,
        this.counter,
        field,
      ),
      this.text,
    );
    host.addEventListener("keydown", (event) => this.pressed(event));
    this.goTo(replay.steps);
  }

  pressed(event) {
    const { target, key } = event;
    if (target.tagName === "SELECT") return;
    const acts = {
      " ": () => this.toggle(),
      k: () => this.toggle(),
      ArrowRight: () => this.goTo(this.replay.at + 1),
      ArrowLeft: () => this.goTo(this.replay.at - 1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.replay.steps),
      ArrowDown: () => this.jump(1),
      ArrowUp: () => this.jump(-1),
    };
    if (
      !(key in acts) ||
      (key === " " && target.tagName === "BUTTON") ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    event.preventDefault();
    if (key !== " " && key !== "k") this.stop();
    acts[key]();
  }

  // To the first step of the statement before or after.
  jump(by) {
    const { replay } = this;
    const now = replay.at ? replay.statement[replay.at - 1] : -1;
    const next = now + by;
    if (next < 0) this.goTo(0);
    else if (next >= replay.firsts.length) this.goTo(replay.steps);
    else this.goTo(replay.stepOf(next));
  }

  moved() {
    this.stop();
    this.goTo(Number(this.slider.value));
  }

  goTo(step) {
    const { replay } = this;
    const wasAtEnd = replay.at === replay.steps;
    const changed = replay.goTo(step);
    const snaps = wasAtEnd || replay.at === replay.steps;
    this.slider.value = replay.at;
    this.counter.textContent = `step ${grouped(replay.at)} of ${grouped(replay.steps)}`;
    const said = this.sentence();
    this.text.replaceChildren(...said);
    this.slider.setAttribute("aria-valuetext", `${this.counter.textContent}: ${this.text.textContent}`);
    this.shown(snaps ? null : changed, this.touched());
  }

  // The node and the queues that the present step is about.
  touched() {
    const { replay } = this;
    const operation = replay.at ? replay.operation[replay.at - 1] : -1;
    if (operation < 0) return { nodes: new Set(), queues: new Set() };
    const node = replay.data.nodeOf[replay.trace.node[operation]];
    const queue = replay.data.queueAt.get(replay.data.texts[replay.tasks.queue[replay.trace.task[operation]]]);
    return { nodes: new Set(node >= 0 ? [node] : []), queues: new Set(queue === undefined ? [] : [queue]) };
  }

  sentence() {
    const { replay } = this;
    if (!replay.at) return ["The session opens."];
    const step = replay.at - 1;
    const [statement, operation] = [replay.statement[step], replay.operation[step]];
    const { trace, data } = replay;
    const job = data.jobName(trace.job[statement]);
    const which = `statement ${grouped(statement + 1)} of ${grouped(replay.firsts.length)}`;
    const place = ` ${data.texts[trace.action[statement]]}, ${which}, `;
    const about = make("span", { class: "dim" }, place, link("job", job), ": ");
    return [about, ...(operation < 0 ? [endOf(data.texts[trace.result[statement]])] : stepWords(data, operation))];
  }

  toggle() {
    if (this.timer) this.stop();
    else this.start();
  }

  start() {
    if (this.replay.at === this.replay.steps) this.goTo(0);
    this.keepSpeed();
    this.mark(true);
    this.timer = setInterval(() => this.tick(), 40);
  }

  keepSpeed() {
    const { steps, at } = this.replay;
    this.rate = Number(this.speed.value) || Math.max(steps / WHOLE_REPLAY, 1);
    this.begun = { time: performance.now(), at };
  }

  tick() {
    const due = this.begun.at + Math.floor(((performance.now() - this.begun.time) / 1000) * this.rate);
    if (due > this.replay.at) this.goTo(due);
    if (this.replay.at >= this.replay.steps) this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.mark(false);
  }

  mark(playing) {
    this.playing.replaceChildren(icon(playing ? "pause" : "play"));
    this.playing.setAttribute("aria-label", playing ? "pause" : "play");
    this.playing.setAttribute("title", playing ? "pause" : "play");
  }
}

const ENDS = {
  commit: "committed: its steps take effect",
  keep: "kept: its tasks have nodes reserved, and wait until these have room",
  discard: "discarded: gang incomplete, all its steps are rolled back",
};

const endOf = (result) => make("strong", { class: `end ${result}` }, ENDS[result] ?? result);

// A step in words.
function stepWords(data, operation) {
  const { trace, texts } = data;
  const task = link("task", data.taskName(trace.task[operation]));
  const node = link("node", texts[trace.node[operation]]);
  if (trace.op[operation] === ALLOCATE) return [task, " is placed on ", node];
  if (trace.op[operation] === PIPELINE) return [task, " is reserved on ", node, ", until it has room"];
  const evictor = data.taskName(trace.evictor[operation]);
  const reason = texts[trace.reason[operation]];
  return [
    task,
    " is evicted from ",
    node,
    ...(evictor ? [" for ", link("task", evictor)] : []),
    reason && ` (${reason})`,
  ];
}
