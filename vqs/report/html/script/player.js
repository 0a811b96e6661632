// Steps through the decisions of the session, forward and back, while nodes and queues show the state after each.

import { button, choice, draw, link, make } from "./dom.js";
import { grouped } from "./units.js";

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

export class Player {
  constructor(host, replay, shown) {
    this.host = host;
    this.replay = replay;
    this.shown = shown;
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
    const next = (replay.at ? replay.moves[replay.at - 1].place : -1) + by;
    if (next < 0) this.goTo(0);
    else this.goTo(replay.stepOf(({ place }) => place === next) || replay.steps);
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

  // The node and the queue that the present step is about.
  touched() {
    const { operation } = this.replay.moves[this.replay.at - 1] ?? {};
    const { node, queue } = operation ? this.replay.placeOf(operation) : {};
    return { nodes: new Set(node === undefined ? [] : [node]), queues: new Set(queue === undefined ? [] : [queue]) };
  }

  sentence() {
    const { data, moves, at } = this.replay;
    if (!at) return ["The session opens."];
    const { statement, place, operation } = moves[at - 1];
    const which = ` ${statement.action}, statement ${grouped(place + 1)} of ${grouped(data.trace.length)}, `;
    const job = data.jobAt.get(statement.job)?.path ?? statement.job;
    const about = make("span", { class: "dim" }, which, link("job", job), ": ");
    return [about, ...(operation ? stepWords(operation) : [endOf(statement.result)])];
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

export const endOf = (result) => make("strong", { class: `end ${result}` }, ENDS[result] ?? result);

// A step in words.
export function stepWords({ op, task, node, evictor, reason }) {
  const [what, where] = [link("task", task), link("node", node)];
  if (op === "allocate") return [what, " is placed on ", where];
  if (op === "pipeline") return [what, " is reserved on ", where, ", until it has room"];
  return [what, " is evicted from ", where, evictor && [" for ", link("task", evictor)], reason && ` (${reason})`];
}
