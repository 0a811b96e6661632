// Jobs over time, a row each: pale while they wait, filled while their pods run, with a mark where pods are evicted.

import { address, make } from "./dom.js";
import { paint, TimeCanvas } from "./span.js";
import { paintOf } from "./timeline.js";
import { grouped } from "./units.js";

const GANTT = { row: 18, axis: 22, most: 26, marked: 5 };

export class Gantt extends TimeCanvas {
  // `rows()` are the jobs to show, in their order.
  constructor(host, view, rows) {
    const scroller = make("div", { class: "gantt" });
    super(scroller, view.span, {
      label: "Jobs over time. Up and down arrow keys go from job to job, Enter shows one",
      height: () => Math.min(GANTT.most, Math.max(2, this.rows().length)) * GANTT.row + GANTT.axis,
      about: (time, y) => this.sentence(this.rowAt(y), time),
      keys: {
        ArrowDown: () => this.walk(1),
        ArrowUp: () => this.walk(-1),
        Enter: () => this.open(this.active),
      },
    });
    this.view = view;
    this.rows = rows;
    this.scroller = scroller;
    this.first = 0;
    this.active = -1;
    this.slider = make("input", {
      type: "range",
      class: "rows-slider",
      "aria-label": "first job shown",
      min: 0,
      step: 1,
      value: 0,
      on: { input: () => this.scrollTo(Number(this.slider.value)) },
    });
    this.counter = make("p", { class: "dim", "aria-live": "polite" });
    host.append(this.counter, scroller);
    scroller.insertBefore(this.slider, this.readout);
    // The wheel scrolls the jobs once the drawing is chosen, and else the page.
    this.canvas.addEventListener("wheel", (event) => this.scrolled(event), { passive: false });
  }

  changed() {
    this.first = 0;
    this.active = -1;
    this.drawSoon();
  }

  get last() {
    return Math.max(0, this.rows().length - GANTT.most);
  }

  scrolled(event) {
    if (event.ctrlKey || event.shiftKey || document.activeElement !== this.canvas) return;
    const to = this.first + Math.sign(event.deltaY) * 3;
    if ((event.deltaY > 0 && this.first >= this.last) || (event.deltaY < 0 && this.first <= 0)) return;
    event.preventDefault();
    this.scrollTo(to);
  }

  scrollTo(row) {
    this.first = Math.round(Math.min(Math.max(row, 0), this.last));
    this.drawSoon();
  }

  walk(by) {
    this.active = Math.min(Math.max(this.active + by, 0), this.rows().length - 1);
    if (this.active < this.first) this.scrollTo(this.active);
    if (this.active >= this.first + GANTT.most) this.scrollTo(this.active - GANTT.most + 1);
    this.say(this.sentence(this.active, this.span.moment));
    this.drawSoon();
  }

  rowAt(y) {
    const row = this.first + Math.floor(y / GANTT.row);
    return row < Math.min(this.rows().length, this.first + GANTT.most) ? row : -1;
  }

  open(row) {
    if (row >= 0 && row < this.rows().length) location.hash = address("job", this.rows()[row].path);
  }

  chosen(time, y) {
    const row = this.rowAt(y);
    if (row < 0) {
      super.chosen(time, y);
      return;
    }
    this.active = row;
    if (time !== null) this.span.goTo(time);
    this.open(row);
  }

  sentence(row, time) {
    const job = this.rows()[row];
    if (row < 0 || job === undefined) return "";
    const { view } = this;
    return `${job.path}, ${job.queue}: ${view.stateAt(job, time ?? view.policy.end)}`;
  }

  paintAll(height) {
    const bottom = height - GANTT.axis;
    const rows = this.rows();
    this.first = Math.min(this.first, this.last);
    this.slider.max = this.last;
    this.slider.value = this.first;
    this.slider.hidden = !this.last;
    const shown = rows.slice(this.first, this.first + GANTT.most);
    this.counter.textContent = rows.length
      ? `Jobs ${grouped(this.first + 1)} to ${grouped(this.first + shown.length)} of ${grouped(rows.length)} found, in the order of the list above.`
      : "No job matches.";
    this.axis(0, bottom);
    shown.forEach((job, at) => this.name(job, at * GANTT.row, this.first + at === this.active));
    this.within(0, bottom, () => shown.forEach((job, at) => this.job(job, at * GANTT.row)));
    this.cursor(0, bottom);
  }

  name(job, top, isActive) {
    const { pen } = this;
    if (isActive) {
      pen.fillStyle = paint("hover");
      pen.fillRect(0, top, this.width, GANTT.row);
    }
    pen.textAlign = "right";
    pen.fillStyle = paint(isActive ? "accent" : "ink");
    const [, name] = /^[^/]*\/(.*)$/s.exec(job.path) ?? [];
    pen.fillText(this.shortened(name ?? "", this.gutter - 12), this.gutter - 8, top + GANTT.row / 2);
  }

  job(job, top) {
    const { pen, view } = this;
    const record = view.record(job);
    if (!record) return;
    const end = record.completed ?? view.policy.end;
    pen.fillStyle = paint("asked");
    this.bar(job.arrival, end, top + GANTT.row / 2 - 2, 4);
    if (record.started === null) {
      pen.fillStyle = paint("pending");
      this.bar(job.arrival, end, top + GANTT.row / 2 - 1, 2);
    }
    pen.fillStyle = paint(paintOf(view.queues.indexOf(job.queue)));
    const lives = view.policy.lives[job.place];
    for (const { started, ended } of lives)
      if (started !== undefined) this.bar(started, ended ?? view.policy.end, top + 3, GANTT.row - 6);
    for (const { outcome, ended } of lives) if (outcome === "evicted") this.mark(ended, top);
  }

  bar(from, to, top, height) {
    const [left, right] = [this.x(from), this.x(to)];
    if (right >= this.gutter && left <= this.width) this.pen.fillRect(left, top, Math.max(1, right - left), height);
  }

  // A triangle that points to where the work stops.
  mark(time, top) {
    const { pen } = this;
    const x = this.x(time);
    pen.fillStyle = paint("lost");
    pen.beginPath();
    pen.moveTo(x - GANTT.marked, top);
    pen.lineTo(x + GANTT.marked, top);
    pen.lineTo(x, top + GANTT.row - 4);
    pen.fill();
    pen.strokeStyle = paint("paper");
    pen.lineWidth = 1;
    pen.stroke();
  }
}
