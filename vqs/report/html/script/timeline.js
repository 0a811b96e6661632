// What queues hold over time: stacked, or each by itself, with what they deserve as a line, and evictions below.

import { paint, TimeCanvas } from "./span.js";
import { amount, count, duration, NEGLIGIBLE } from "./units.js";

const TIMELINE = { stacked: 250, row: 62, top: 8, marks: 12, axis: 22, step: 3 };
export const MOST_PAINTS = 9;

export const paintOf = (queue) => (queue < MOST_PAINTS ? `q${queue}` : "q-other");

// The place of the last sample that is not after a time; -1 where there is none yet.
export function sampleAt(times, time) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Timeline extends TimeCanvas {
  constructor(host, view) {
    super(host, view.span, {
      label: "What queues hold over time",
      height: () => TIMELINE.top + this.tall() + TIMELINE.marks + TIMELINE.axis,
      about: (time) => (time === null ? "" : this.sentence(time)),
    });
    this.view = view;
    this.isStacked = true;
  }

  tall() {
    return this.isStacked ? TIMELINE.stacked : this.view.queues.length * TIMELINE.row;
  }

  get series() {
    return this.view.policy.series;
  }

  values(queue, what) {
    return this.series.queues[queue][what]?.[this.view.resource.name];
  }

  at(queue, what, sample) {
    return this.values(queue, what)?.[sample] ?? 0;
  }

  paintAll(height) {
    const bottom = height - TIMELINE.axis;
    this.axis(TIMELINE.top, bottom);
    if (this.isStacked) this.paintStack();
    else this.view.queues.forEach((_, queue) => this.paintRow(queue));
    this.within(0, bottom, () => this.paintEvictions(bottom));
    this.cursor(TIMELINE.top, bottom);
  }

  // The samples that can be seen, those together that a few pixels have to show.
  groups() {
    const { times } = this.series;
    const groups = [];
    for (let at = Math.max(0, sampleAt(times, this.span.from)); at < times.length && times[at] <= this.span.to; ) {
      const first = at;
      while (at < times.length && this.x(times[at]) < this.x(times[first]) + TIMELINE.step) at += 1;
      groups.push({ time: times[first], first, last: at });
    }
    return groups;
  }

  // The means of a queue's amounts over groups of samples.
  drawn(queue, what, groups) {
    const values = this.values(queue, what);
    return values && groups.map(({ first, last }) => {
      let sum = 0;
      for (let at = first; at < last; at += 1) sum += values[at];
      return sum / (last - first);
    });
  }

  paintStack() {
    const base = TIMELINE.top + TIMELINE.stacked;
    const most = Math.max(this.view.resource.total, NEGLIGIBLE);
    const y = (value) => base - (value / most) * TIMELINE.stacked;
    const groups = this.groups();
    const times = groups.map(({ time }) => time);
    const below = { allocated: times.map(() => 0), deserved: times.map(() => 0) };
    this.within(0, base, () => {
      this.view.queues.forEach((_, queue) => {
        const sums = {};
        for (const what of ["allocated", "deserved"]) {
          const own = this.drawn(queue, what, groups);
          sums[what] = own ? below[what].map((sum, at) => sum + own[at]) : below[what];
        }
        this.area(times, below.allocated, sums.allocated, y, paintOf(queue));
        this.steps(times, sums.deserved, y, "ink", [5, 3]);
        Object.assign(below, sums);
      });
    });
    this.scale(y, most, base);
  }

  paintRow(queue) {
    const top = TIMELINE.top + queue * TIMELINE.row;
    const base = top + TIMELINE.row - 8;
    const groups = this.groups();
    const times = groups.map(({ time }) => time);
    const [allocated, deserved, request] = ["allocated", "deserved", "request"].map((what) =>
      this.drawn(queue, what, groups),
    );
    const most = Math.max(this.highest(allocated), this.highest(deserved), NEGLIGIBLE);
    const y = (value) => base - (Math.min(value, most * 1.05) / most) * (TIMELINE.row - 14);
    this.within(top, base + 1, () => {
      if (request) this.area(times, request.map(() => 0), request, y, "asked");
      if (allocated) this.area(times, allocated.map(() => 0), allocated, y, paintOf(queue));
      if (deserved) this.steps(times, deserved, y, "ink", [5, 3]);
    });
    const { pen } = this;
    this.line(this.gutter, base + 0.5, this.width, base + 0.5, "line");
    pen.textAlign = "right";
    pen.fillStyle = paint("ink");
    pen.fillText(this.shortened(this.view.queues[queue], this.gutter - 12), this.gutter - 8, top + 16);
    pen.fillStyle = paint("dim");
    pen.fillText(amount(this.view.resource, most), this.gutter - 8, top + 32);
  }

  highest(values) {
    return values ? values.reduce((most, each) => Math.max(most, each), 0) : 0;
  }

  // Fills what is between two lines of steps.
  area(times, low, high, y, name) {
    const { pen } = this;
    const last = times.length - 1;
    const end = this.x(this.view.policy.end);
    pen.beginPath();
    for (let at = 0; at <= last; at += 1) {
      const [x, next] = [this.x(times[at]), at < times.length - 1 ? this.x(times[at + 1]) : end];
      pen.lineTo(x, y(high[at]));
      pen.lineTo(next, y(high[at]));
    }
    for (let at = last; at >= 0; at -= 1) {
      const [x, next] = [this.x(times[at]), at < times.length - 1 ? this.x(times[at + 1]) : end];
      pen.lineTo(next, y(low[at]));
      pen.lineTo(x, y(low[at]));
    }
    pen.fillStyle = paint(name);
    pen.fill();
  }

  steps(times, values, y, name, dashes) {
    const { pen } = this;
    pen.beginPath();
    for (let at = 0; at < times.length; at += 1) {
      const next = at < times.length - 1 ? times[at + 1] : this.view.policy.end;
      pen.lineTo(this.x(times[at]), y(values[at]));
      pen.lineTo(this.x(next), y(values[at]));
    }
    pen.setLineDash(dashes);
    pen.strokeStyle = paint(name);
    pen.lineWidth = 1.25;
    pen.stroke();
    pen.setLineDash([]);
  }

  scale(y, most, base) {
    const { pen } = this;
    pen.textAlign = "right";
    pen.fillStyle = paint("dim");
    for (const part of [0, 0.5, 1]) {
      pen.fillText(amount(this.view.resource, most * part), this.gutter - 8, Math.max(TIMELINE.top + 2, y(most * part)));
      this.line(this.gutter, Math.round(y(most * part)) + 0.5, this.width, Math.round(y(most * part)) + 0.5, "line");
    }
    this.line(this.gutter, base + 0.5, this.width, base + 0.5, "dim");
  }

  // A mark for each pixel in which pods are evicted.
  paintEvictions(bottom) {
    const seen = new Set();
    for (const time of this.view.policy.evictions) {
      const x = Math.round(this.x(time)) + 0.5;
      if (x < this.gutter || x > this.width || seen.has(x)) continue;
      seen.add(x);
      this.line(x, bottom - TIMELINE.marks + 2, x, bottom - 1, "lost");
    }
  }

  sentence(time) {
    const { policy, queues, resource } = this.view;
    const sample = sampleAt(policy.series.times, time);
    const said = queues.slice(0, 4).map((queue, place) => {
      const [held, deserved] = ["allocated", "deserved"].map((what) => amount(resource, this.at(place, what, sample)));
      return `${queue} ${held}${this.values(place, "deserved") ? ` of ${deserved}` : ""}`;
    });
    const reach = ((this.span.to - this.span.from) / this.width) * 2;
    const evicted = policy.evictions.filter((each) => Math.abs(each - time) <= reach).length;
    const more = queues.length > 4 ? `, ${queues.length - 4} more` : "";
    return `${duration(time)}: ${resource.name} held of deserved: ${said.join(", ")}${more}${evicted ? `; ${count(evicted, "eviction")}` : ""}`;
  }
}
