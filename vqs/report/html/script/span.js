// The part of time that is shown, and the moment that is looked at; all drawings of a workload share them.

import { make } from "./dom.js";
import { narrow } from "./table.js";
import { NEGLIGIBLE, tidy, timeIn } from "./units.js";

export const NARROWEST = 2000;
const TICKS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800,
  604800, 1209600, 2592000,
];

export class Span {
  constructor(end) {
    this.end = end;
    this.from = 0;
    this.to = end;
    this.moment = 0;
    this.listeners = [];
  }

  listen(act) {
    this.listeners.push(act);
  }

  tell() {
    for (const act of this.listeners) act();
  }

  show(from, to) {
    const length = Math.min(this.end, Math.max(to - from, this.end / NARROWEST));
    this.from = Math.max(0, Math.min(from, this.end - length));
    this.to = this.from + length;
    this.tell();
  }

  zoom(factor, around = this.moment) {
    const held = Math.min(Math.max(around, this.from), this.to);
    this.show(held - (held - this.from) * factor, held + (this.to - held) * factor);
  }

  move(part) {
    const by = (this.to - this.from) * part;
    this.show(this.from + by, this.to + by);
  }

  // Goes to a moment, and shows it.
  goTo(moment) {
    this.moment = Math.min(Math.max(moment, 0), this.end);
    const length = this.to - this.from;
    if (this.moment < this.from) this.show(this.moment, this.moment + length);
    else if (this.moment > this.to) this.show(this.moment - length, this.moment);
    else this.tell();
  }
}

// The colours of the page's style as a canvas takes them, which follow the theme.
const paints = new Map();

export function paint(name) {
  if (!paints.has(name)) {
    const probe = make("i", { hidden: true });
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    paints.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return paints.get(name);
}

function onTheme(act) {
  const again = () => {
    paints.clear();
    act();
  };
  new MutationObserver(again).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
}

const KEYS_OF_SPAN = {
  ArrowLeft: (span) => span.goTo(span.moment - (span.to - span.from) / 100),
  ArrowRight: (span) => span.goTo(span.moment + (span.to - span.from) / 100),
  PageUp: (span) => span.move(-0.8),
  PageDown: (span) => span.move(0.8),
  Home: (span) => span.goTo(0),
  End: (span) => span.goTo(span.end),
  "+": (span) => span.zoom(0.5),
  "=": (span) => span.zoom(0.5),
  "-": (span) => span.zoom(2),
  0: (span) => span.show(0, span.end),
};

// A canvas with time from left to right, drawn when it is in view. A click chooses the moment, a drag what is shown.
export class TimeCanvas {
  constructor(host, span, { label, height, about, keys = {} }) {
    this.host = host;
    this.span = span;
    this.height = height;
    this.about = about;
    this.keys = keys;
    this.canvas = make("canvas", {
      class: "time",
      tabindex: 0,
      role: "application",
      "aria-label": `${label}. Left and right arrow keys change the moment, plus and minus the zoom.`,
      on: {
        pointerdown: (event) => this.pressed(event),
        pointermove: (event) => this.hovered(event),
        pointerup: (event) => this.released(event),
        pointercancel: () => this.dropped(),
        pointerleave: () => this.say(""),
        keydown: (event) => this.typed(event),
        wheel: (event) => this.wheeled(event),
      },
    });
    this.readout = make("p", { class: "readout", "aria-live": "polite" });
    host.append(this.canvas, this.readout);
    span.listen(() => this.drawSoon());
    onTheme(() => this.drawSoon());
    new ResizeObserver(() => this.drawSoon()).observe(host);
    new IntersectionObserver(([entry]) => this.seen(entry.isIntersecting), { rootMargin: "200px" }).observe(this.canvas);
    addEventListener("beforeprint", () => this.draw());
  }

  seen(isInView) {
    this.isInView = isInView;
    if (isInView) this.drawSoon();
  }

  drawSoon() {
    if (this.isInView) this.waiting ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    this.waiting = undefined;
    const width = Math.max(200, this.host.clientWidth);
    const height = this.height();
    const sharp = Math.max(1, globalThis.devicePixelRatio ?? 1);
    Object.assign(this.canvas, { width: Math.round(width * sharp), height: Math.round(height * sharp) });
    this.canvas.style.height = `${height}px`;
    this.width = width;
    this.gutter = narrow.matches ? 78 : 150;
    this.pen = this.canvas.getContext("2d");
    this.pen.scale(sharp, sharp);
    this.pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    this.pen.textBaseline = "middle";
    this.paintAll(height);
    this.canvas.dataset.drawn = String(Number(this.canvas.dataset.drawn ?? 0) + 1);
  }

  // Paints the canvas, whose height is in pixels: each kind of canvas has its own way.
  paintAll(_height) {}

  x(time) {
    const { from, to } = this.span;
    return this.gutter + ((time - from) / (to - from)) * (this.width - this.gutter - 6);
  }

  timeAt(x) {
    const { from, to } = this.span;
    const part = (x - this.gutter) / (this.width - this.gutter - 6);
    return from + Math.min(1, Math.max(0, part)) * (to - from);
  }

  // Ticks with their times below, and lines up to the top.
  axis(top, bottom) {
    const { pen, span } = this;
    const wanted = (span.to - span.from) / Math.max(2, (this.width - this.gutter) / 95);
    const step = TICKS.find((each) => each >= wanted) ?? Math.ceil(wanted / 2592000) * 2592000;
    pen.textAlign = "center";
    for (let at = Math.ceil(span.from / step); at * step <= span.to + NEGLIGIBLE; at += 1) {
      const x = Math.round(this.x(at * step)) + 0.5;
      this.line(x, top, x, bottom, "line");
      pen.fillStyle = paint("dim");
      const text = timeIn(tidy(at * step * 10) / 10, " ");
      pen.textAlign = x + pen.measureText(text).width / 2 > this.width ? "right" : "center";
      pen.fillText(text, pen.textAlign === "right" ? this.width - 2 : x, bottom + 11);
    }
  }

  line(x, y, toX, toY, name, width = 1) {
    const { pen } = this;
    pen.strokeStyle = paint(name);
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(toX, toY);
    pen.stroke();
  }

  cursor(top, bottom) {
    const x = this.x(this.span.moment);
    if (x >= this.gutter - 0.5 && x <= this.width) this.line(x, top, x, bottom, "ink", 1.5);
    if (this.dragged === undefined) return;
    const { pen } = this;
    pen.globalAlpha = 0.18;
    pen.fillStyle = paint("accent");
    pen.fillRect(Math.min(this.dragged, this.pointer.x), top, Math.abs(this.pointer.x - this.dragged), bottom - top);
    pen.globalAlpha = 1;
  }

  // Cuts the drawing at the edges of the time that is shown.
  within(top, bottom, act) {
    const { pen } = this;
    pen.save();
    pen.beginPath();
    pen.rect(this.gutter, top, this.width - this.gutter, bottom - top);
    pen.clip();
    act(pen);
    pen.restore();
  }

  shortened(text, room) {
    const { pen } = this;
    if (pen.measureText(text).width <= room) return text;
    const keep = Math.max(1, Math.floor((text.length * room) / pen.measureText(text).width) - 1);
    return `…${text.slice(text.length - keep)}`;
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  pressed(event) {
    if (event.button !== 0 || event.pointerType === "touch") return;
    this.pointer = this.place(event);
    if (this.pointer.x < this.gutter) return;
    this.dragged = this.pointer.x;
    this.canvas.setPointerCapture(event.pointerId);
  }

  hovered(event) {
    this.pointer = this.place(event);
    if (this.dragged !== undefined) this.drawSoon();
    else this.say(this.about(this.pointer.x >= this.gutter ? this.timeAt(this.pointer.x) : null, this.pointer.y));
  }

  released(event) {
    const { x, y } = this.place(event);
    const [from, to] = [this.timeAt(this.dragged ?? x), this.timeAt(x)];
    const isDrag = this.dragged !== undefined && Math.abs(x - this.dragged) > 6;
    this.dropped();
    if (isDrag) this.span.show(Math.min(from, to), Math.max(from, to));
    else this.chosen(x >= this.gutter ? to : null, y);
  }

  dropped() {
    this.dragged = undefined;
    this.drawSoon();
  }

  chosen(time, _y) {
    if (time !== null) this.span.goTo(time);
  }

  typed(event) {
    const act = this.keys[event.key] ?? KEYS_OF_SPAN[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(this.span);
  }

  // With Ctrl, as on maps: without it the wheel scrolls the page.
  wheeled(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    if (event.shiftKey) this.span.move(Math.sign(event.deltaY || event.deltaX) / 10);
    else this.span.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.timeAt(this.place(event).x));
  }

  say(text) {
    this.readout.textContent = text;
  }
}
