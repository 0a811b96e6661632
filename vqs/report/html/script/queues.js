// Queues as a tree: of each resource a bar with what is held, deserved and requested.

import { byId, choice, draw, link, make } from "./dom.js";
import { parentsOf } from "./session.js";
import { amount, tidy } from "./units.js";

const MANY = 12;
export const BAR = { width: 1000, height: 12 };

// A bar as wide as there is room, of pieces that are drawn on BAR.width; without a label it is not spoken of.
export function barOf(label, pieces, { height = BAR.height, kind = "" } = {}) {
  const said = label === "" ? { "aria-hidden": "true" } : { role: "img", "aria-label": label };
  const box = { viewBox: `0 0 ${BAR.width} ${height}`, preserveAspectRatio: "none" };
  return draw("svg", { class: `bar ${kind}`.trim(), ...box, ...said }, pieces);
}

// The columns of tables of queues: the title of each, the field of it in the document, and when it is shown.
export const queueFigures = () => JSON.parse(byId("queues").dataset.figures);

export class QueueTree {
  // `sides` are the figures to draw below each other, each with a word for it and held(queue, resource).
  constructor(host, { queues, isTree, resources, sides, marked = undefined, only = undefined }) {
    this.host = host;
    this.queues = queues;
    this.sides = sides;
    this.marked = marked;
    this.parents = parentsOf(queues, isTree);
    this.resources = resources.filter((resource) => resource.name !== "pods");
    this.columns = queueFigures().filter((column) => this.hasRoomFor(column));
    this.bars = [];
    this.order = this.walked().filter(([at]) => !only || only.includes(queues[at].name));
    this.list = make("div", { class: "queues" });
    const few = queues.length * this.resources.length <= 24;
    const all = [["", "all"], ...this.resources.map(({ name }) => [name])];
    const { field, select } = choice("Resource", all, (name) => this.show(name));
    select.value = few && this.resources.length > 1 ? "" : (this.resources[0]?.name ?? "");
    host.append(make("div", { class: "tools" }, this.resources.length > 1 && field, this.legend()), this.list);
    this.show(select.value);
  }

  // What is held is drawn in a cell of its own.
  hasRoomFor({ field, shown }) {
    const some = (queue) => this.sides.some((side) => Object.values(side.figures(queue)?.[field] ?? {}).some(Boolean));
    if (field === "allocated" || shown === "with everything") return false;
    return shown !== "where there is any" || this.queues.some(some);
  }

  // The queues in the order of the tree, each with its depth.
  walked() {
    const below = this.queues.map(() => []);
    const tops = [];
    this.parents.forEach((parent, at) => (parent >= 0 && parent !== at ? below[parent] : tops).push(at));
    const found = [];
    const seen = new Set();
    const walk = (at, depth) => {
      if (seen.has(at)) return;
      seen.add(at);
      found.push([at, depth]);
      below[at].forEach((child) => walk(child, depth + 1));
    };
    tops.forEach((top) => walk(top, 0));
    this.queues.forEach((_, at) => walk(at, 0)); // What is left stands in a circle of parents.
    return found;
  }

  legend() {
    const sign = (name, word) => {
      const width = { mark: 3, limit: 2 }[name] ?? 20;
      const drawn = draw(
        "svg",
        { viewBox: `0 0 ${width} 12`, width, height: 12, "aria-hidden": "true" },
        draw("rect", { class: `bar-${name}`, width, height: 12 }),
      );
      return make("span", { class: "sign" }, drawn, word);
    };
    return make(
      "div",
      { class: "legend" },
      sign("held", "held"),
      sign("over", "held beyond deserved"),
      sign("reserved", "reserved but not held yet"),
      sign("asked", "requested"),
      sign("mark", "deserved"),
      sign("limit", "limit"),
    );
  }

  // All resources of each queue, or one of all queues, as the lines of one table.
  show(name) {
    this.bars = [];
    this.sections = new Map();
    const resource = this.resources.find((each) => each.name === name);
    this.list.classList.toggle("long", this.order.length > MANY);
    this.list.replaceChildren(
      ...(resource ? [this.single(resource)] : this.order.map(([at, depth]) => this.queue(at, depth))),
    );
    if (this.order.length > MANY)
      Object.entries({ tabindex: 0, role: "region", "aria-label": "queues" }).forEach(([key, value]) =>
        this.list.setAttribute(key, value),
      );
    this.update();
  }

  single(resource) {
    const rows = this.order.flatMap(([at, depth]) =>
      this.sides.map((side, place) => {
        const queue = this.queues[at];
        const row = this.line(
          at,
          resource,
          side,
          place ? [] : [link("queue", queue.name), make("small", {}, queue.facts)],
        );
        row.style.setProperty("--depth", depth);
        row.classList.add("queue-line");
        if (place) row.classList.add("other-side");
        if (queue.name === this.marked) row.classList.add("marked");
        this.sections.set(at, [...(this.sections.get(at) ?? []), row]);
        return row;
      }),
    );
    return make("table", { class: "figures single" }, this.head("Queue"), make("tbody", {}, rows));
  }

  queue(at, depth) {
    const queue = this.queues[at];
    const resources = this.resources.filter((resource) => this.concerns(queue, resource));
    const title = make("h3", {}, link("queue", queue.name), make("small", {}, queue.facts));
    const made = make(
      "section",
      { class: `queue${queue.name === this.marked ? " marked" : ""}`, "aria-label": `queue ${queue.name}` },
      title,
      this.figures(at, resources),
    );
    made.style.setProperty("--depth", depth);
    this.sections.set(at, [made]);
    return made;
  }

  head(first) {
    const titles = [first, "", "held", ...this.columns.map(({ title }) => title)];
    const cell = (title, place) =>
      make(
        "th",
        { scope: "col", class: place > 1 && "numeric" },
        title ? title[0].toUpperCase() + title.slice(1) : make("span", { class: "unseen" }, "Bar"),
      );
    return make("thead", {}, make("tr", {}, titles.map(cell)));
  }

  concerns(queue, { name }) {
    return this.sides.some((side) => {
      const figures = side.figures(queue);
      return (
        figures &&
        [figures.deserved, figures.request, figures.guarantee, figures.allocated, figures.before].some(
          (amounts) => amounts?.[name],
        )
      );
    });
  }

  figures(at, resources) {
    if (!resources.length) return make("p", { class: "dim" }, "deserves, holds and requests nothing");
    const lines = resources.flatMap((resource) =>
      this.sides.map((side) => this.line(at, resource, side, [resource.name])),
    );
    return make("table", { class: "figures" }, this.head("Resource"), make("tbody", {}, lines));
  }

  line(at, resource, side, title) {
    const figures = side.figures(this.queues[at]);
    const word = make("th", { scope: "row" }, title, side.word && make("small", { class: "side" }, side.word));
    if (!figures)
      return make("tr", { class: "absent" }, word, make("td", { colspan: this.columns.length + 2, class: "dim" }, "there is no such queue"));
    const bar = this.bar(at, resource, side, figures);
    const cells = this.columns.map(({ title, field }) =>
      make("td", { class: "numeric", "data-title": title }, amount(resource, figures[field]?.[resource.name])),
    );
    return make("tr", {}, word, make("td", { class: "bar-cell" }, bar.svg), bar.cell, cells);
  }

  // A bar with what is asked for, what is held and reserved over that, and marks where it reaches what is deserved, and
  // the limit.
  bar(at, resource, side, figures) {
    const { deserved, request, limit } = this.amounts(figures, resource.name);
    const whole = this.scale(at, resource.name);
    const x = (value) => (whole > 0 ? Math.min(1, value / whole) * BAR.width : 0);
    const piece = (name, place) => draw("rect", { class: `bar-${name}`, height: BAR.height, ...place });
    const mark = (name, value, width) => value > 0 && piece(name, { x: Math.max(0, x(value) - width), width });
    const [inner, outer, promised] = [piece("held"), piece("over"), piece("reserved")];
    const asked = piece("asked", { width: x(Math.min(request, limit)) });
    const marks = [mark("mark", deserved, 8), limit <= whole && mark("limit", limit, 4)];
    // What is held, and said of it, comes with `redraw`.
    const svg = barOf(resource.name, [piece("track", { width: BAR.width }), asked, inner, outer, promised, ...marks]);
    const cell = make("td", { class: "numeric held", "data-title": "held" });
    const bar = { at, resource, side, svg, inner, outer, promised, x, deserved: figures.deserved && deserved, cell };
    this.bars.push(bar);
    return bar;
  }

  // A queue's amounts of one resource; what is missing is nothing, but for the limit, which then is none.
  amounts(figures, name) {
    const of = (part) => figures[part]?.[name] ?? 0;
    const held = Math.max(of("before"), of("allocated"));
    return { deserved: of("deserved"), request: of("request"), held, limit: figures.realCapability?.[name] ?? Infinity };
  }

  // Both sides of a comparison are drawn to one scale.
  scale(at, name) {
    const sides = this.sides.map((side) => side.figures(this.queues[at])).filter(Boolean);
    const values = sides.flatMap((figures) => {
      const { deserved, request, held, limit } = this.amounts(figures, name);
      return [deserved, held, Math.min(request, limit)];
    });
    return Math.max(0, ...values);
  }

  // Draws what is held now; `changed` are the queues to look at, all where it is left out.
  update(changed) {
    for (const bar of this.bars) if (!changed || changed.has(bar.at)) this.redraw(bar);
  }

  redraw({ at, resource, side, svg, inner, outer, promised, x, deserved, cell }) {
    const queue = this.queues[at];
    const allocated = tidy(side.held(queue, resource.name, at));
    const reserved = Math.min(tidy(side.reserved(queue, resource.name, at)), Math.max(allocated, 0));
    const held = tidy(allocated - reserved);
    const within = x(Math.min(held, deserved ?? Infinity)); // an unknown deserved share limits nothing
    inner.setAttribute("width", within);
    outer.setAttribute("x", within);
    outer.setAttribute("width", Math.max(0, x(held) - within));
    promised.setAttribute("x", x(held));
    promised.setAttribute("width", Math.max(0, x(allocated) - x(held)));
    const more = reserved > 0 ? ` (and ${amount(resource, reserved)} reserved)` : "";
    const said = (side.shown?.(queue, resource, held) ?? amount(resource, held)) + more;
    if (cell.textContent !== said) cell.textContent = said;
    const share = deserved === undefined ? "what it deserves is not known" : `deserved ${amount(resource, deserved)}`;
    svg.setAttribute("aria-label", `${resource.name}: held ${said}, ${share}`);
  }

  // Marks the queues that a step is about.
  point(names) {
    for (const [at, elements] of this.sections)
      elements.forEach((element) => element.classList.toggle("now", names.has(at)));
  }
}

// The figures of a queue in a session's result.
export const sessionFigures = ({ opened, closed }) => ({ ...opened, ...closed, before: opened.allocated });
