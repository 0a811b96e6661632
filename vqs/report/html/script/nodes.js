// The nodes as a map: a cell each, the darker the fuller. A few are drawn large enough to be read; of many, those of a
// group stand together under its name, and one group alone can be shown.

import { draw, make } from "./dom.js";
import { amount, count, grouped, NEGLIGIBLE, percent } from "./units.js";

export const SHADES = 10;
const TILE = { width: 104, height: 48, gap: 6, most: 60 };
const HEADING = 22;
const MAP_AREA = 420000;

export class NodeMap {
  // `figures(resource)` returns the arrays to draw: used and of, by node.
  constructor(host, { label, names, figures, note, pick, told, tall = undefined }) {
    this.host = host;
    this.names = names;
    this.figures = figures;
    this.note = note;
    this.pick = pick;
    this.told = told;
    this.tall = tall;
    this.order = Uint32Array.from(names.keys());
    this.cursor = 0;
    this.marked = new Set();
    this.readout = make("p", { class: "readout", "aria-live": "polite", id: `${host.id}-readout` });
    this.svg = draw("svg", {
      class: "nodes",
      tabindex: 0,
      role: "application",
      "aria-roledescription": "map of nodes",
      "aria-label": `${label}. Arrow keys go from node to node, Enter shows one.`,
      "aria-describedby": this.readout.id,
    });
    host.append(this.svg, this.readout);
    this.svg.addEventListener("pointermove", (event) => this.hovered(event));
    this.svg.addEventListener("pointerleave", () => this.say(""));
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.svg.addEventListener("focus", () => this.moveTo(this.cursor));
    this.svg.addEventListener("blur", () => this.cursorBox?.setAttribute("class", "cursor off"));
    new ResizeObserver(() => this.fit()).observe(host);
  }

  // Of the nodes, those in `order` are shown, in that order, by group where `groupOf` names one.
  show(resource, order, groupOf = null) {
    this.resource = resource;
    this.groupOf = groupOf;
    const { used, of } = this.figures(resource.name);
    this.used = used;
    this.of = of;
    if (order) this.order = order;
    this.lay();
  }

  fit() {
    if (Math.abs(this.host.clientWidth - (this.laidFor ?? 0)) > 1 && this.resource) this.lay();
  }

  lay() {
    const width = Math.max(200, this.host.clientWidth);
    this.laidFor = this.host.clientWidth;
    this.tiles = this.order.length <= TILE.most;
    this.size = this.tiles ? this.tileSize(width) : this.cellSize(width);
    const { x, y } = this.size;
    this.across = Math.max(1, Math.floor((width + this.size.gap) / x));
    this.cells = new Array(this.names.length);
    this.cursor = Math.min(this.cursor, this.order.length - 1);
    this.cursorBox = draw("rect", { class: "cursor off" });
    const drawn = [];
    let [top, inRow, group] = [0, 0, null];
    for (const node of this.order) {
      const its = this.groupOf?.(node) ?? null;
      if (inRow === this.across || (its !== group && inRow)) [top, inRow] = [top + y, 0];
      if (its !== group) {
        drawn.push(draw("text", { x: 0, y: top + HEADING - 7, class: "group" }, this.titleOf(its)));
        [group, top] = [its, top + HEADING];
      }
      drawn.push(this.cell(node, inRow * x, top));
      inRow += 1;
    }
    this.svg.setAttribute("viewBox", `0 0 ${width} ${top + y}`);
    this.svg.setAttribute("height", top + y);
    this.svg.replaceChildren(...drawn, this.cursorBox);
    this.update();
  }

  // A group, and how full it is.
  titleOf(group) {
    const its = [...this.order].filter((node) => this.groupOf(node) === group);
    const [used, of] = [this.used, this.of].map((column) => its.reduce((sum, node) => sum + column[node], 0));
    return `${group}: ${count(its.length, "node")}${of > 0 ? `, ${percent(used / of)} used` : ""}`;
  }

  tileSize(width) {
    const across = Math.max(1, Math.floor((width + TILE.gap) / (TILE.width + TILE.gap)));
    return {
      x: (width + TILE.gap) / Math.min(across, Math.max(this.order.length, 4)),
      y: TILE.height + TILE.gap,
      gap: TILE.gap,
    };
  }

  cellSize(width) {
    const size = Math.max(7, Math.min(28, Math.floor(Math.sqrt(Math.min(MAP_AREA, width * 560) / this.order.length))));
    return { x: size, y: size, gap: size > 9 ? 2 : 1 };
  }

  cell(node, left, top) {
    const { x, y, gap } = this.size;
    const rect = draw("rect", {
      x: left,
      y: top,
      width: x - gap,
      height: y - gap,
      rx: this.tiles ? 4 : 1,
      "data-node": node,
    });
    if (!this.tiles) {
      this.cells[node] = { rect };
      return rect;
    }
    const room = Math.floor((x - gap - 16) / 6.8);
    const name = this.names[node].length > room ? `${this.names[node].slice(0, room - 1)}…` : this.names[node];
    const level = draw("text", { x: left + 8, y: top + 33, class: "level" });
    const title = draw("text", { x: left + 8, y: top + 17 }, name);
    this.cells[node] = { rect, level };
    return draw("g", { "data-node": node }, rect, title, level);
  }

  // Draws how full nodes are now; `changed` are the nodes to look at, all where it is left out.
  update(changed) {
    for (const node of changed ?? this.names.keys()) this.redraw(node);
    this.summarize();
  }

  redraw(node) {
    if (!this.cells[node]) return;
    const { rect, level } = this.cells[node];
    const { absent, closed, reserved } = this.note?.(node) ?? {};
    const states = `${this.marked.has(node) ? " now" : ""}${closed ? " closed" : ""}${reserved ? " reserved" : ""}`;
    const made = `n ${this.shade(node)}${states}`;
    if (rect.getAttribute("class") !== made) rect.setAttribute("class", made);
    if (!level) return;
    const figure = this.of[node] > 0 ? percent(this.used[node] / this.of[node]) : absent ? "not there" : "none";
    level.textContent = reserved ? `${figure} +${reserved}` : figure;
  }

  shade(node) {
    const [used, of] = [this.used[node], this.of[node]];
    if (!(of > 0)) return used > NEGLIGIBLE ? "over" : "none";
    const part = used / of;
    if (part > 1 + NEGLIGIBLE) return "over";
    return `s${part > NEGLIGIBLE ? Math.max(1, Math.ceil(part * SHADES - NEGLIGIBLE)) : 0}`;
  }

  mark(nodes) {
    const before = this.marked;
    this.marked = nodes;
    for (const node of new Set([...before, ...nodes])) this.redraw(node);
  }

  summarize() {
    let [used, of, full, having] = [0, 0, 0, 0];
    for (const node of this.order) {
      if (!(this.of[node] > 0)) continue;
      used += this.used[node];
      of += this.of[node];
      having += 1;
      if (this.used[node] >= this.of[node] * (1 - NEGLIGIBLE)) full += 1;
    }
    this.told?.(
      having
        ? `${this.fullness(used, of)}; ${full ? grouped(full) : "no"} of ${count(having, "node")} full`
        : `no node has ${this.resource.name}`,
    );
  }

  fullness(used, of) {
    const { resource } = this;
    return `${amount(resource, used)} of ${amount(resource, of)} ${resource.name} used (${percent(used / of)})`;
  }

  nodeOf(event) {
    const cell = event.target.closest?.("[data-node]");
    return cell ? Number(cell.dataset.node) : -1;
  }

  hovered(event) {
    const node = this.nodeOf(event);
    if (node >= 0) this.say(this.sentence(node));
  }

  clicked(event) {
    const node = this.nodeOf(event);
    if (node >= 0) this.pick(this.names[node]);
  }

  sentence(node) {
    const { closed, absent, text } = this.note?.(node) ?? {};
    if (absent) return `${this.names[node]}: not there`;
    const has = this.of[node] > 0;
    const figures = has ? this.fullness(this.used[node], this.of[node]) : `has no ${this.resource.name}`;
    return [`${this.names[node]}: ${figures}`, closed && "unschedulable", text].filter(Boolean).join("; ");
  }

  say(text) {
    this.readout.textContent = text;
  }

  pressed(event) {
    const moves = {
      ArrowRight: () => this.cursor + 1,
      ArrowLeft: () => this.cursor - 1,
      ArrowDown: () => this.beside(1),
      ArrowUp: () => this.beside(-1),
      Home: () => 0,
      End: () => Infinity,
    };
    if (event.key in moves) {
      event.preventDefault();
      this.moveTo(moves[event.key]());
    } else if (event.key === "Enter") {
      this.pick(this.names[this.order[this.cursor]]);
    }
  }

  // The place in the next row down or up that stands in the same column, or is the last one of a shorter row.
  beside(by) {
    const side = (place, name) => Number(this.cells[this.order[place]].rect.getAttribute(name));
    const [left, top] = [side(this.cursor, "x"), side(this.cursor, "y")];
    let place = this.cursor;
    while (place in this.order && side(place, "y") === top) place += by;
    if (!(place in this.order)) return this.cursor;
    const row = side(place, "y");
    while (side(place, "x") > left) place -= 1;
    while (place + 1 in this.order && side(place + 1, "y") === row && side(place + 1, "x") <= left) place += 1;
    return place;
  }

  moveTo(place) {
    this.cursor = Math.min(Math.max(place, 0), this.order.length - 1);
    const node = this.order[this.cursor];
    const { rect } = this.cells[node];
    for (const name of ["x", "y", "width", "height"]) this.cursorBox.setAttribute(name, rect.getAttribute(name));
    this.cursorBox.setAttribute("class", "cursor");
    this.say(this.sentence(node));
    rect.scrollIntoView?.({ block: "nearest" });
  }
}

// All shades side by side, from light to dark.
export function shadeRamp() {
  return draw(
    "svg",
    { viewBox: `0 0 ${(SHADES + 1) * 12} 12`, class: "nodes ramp", "aria-hidden": "true" },
    Array.from({ length: SHADES + 1 }, (_, shade) =>
      draw("rect", { class: `n s${shade}`, x: shade * 12, width: 12, height: 12 }),
    ),
  );
}

export function shadeLegend() {
  const sign = (shade, word) =>
    make(
      "span",
      { class: "sign" },
      draw(
        "svg",
        { viewBox: "0 0 12 12", class: "nodes", "aria-hidden": "true" },
        draw("rect", { class: `n ${shade}`, x: 0.5, y: 0.5, width: 11, height: 11, rx: 1 }),
      ),
      word,
    );
  return make(
    "div",
    { class: "legend" },
    make("span", { class: "sign" }, "empty", shadeRamp(), "full"),
    sign("over", "beyond what it has"),
    sign("none", "has none"),
    sign("s0 closed", "unschedulable"),
    sign("s0 reserved", "room reserved (+)"),
  );
}
