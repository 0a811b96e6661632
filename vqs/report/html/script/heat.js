// How full each node was over time: a row each, the darker the fuller.

import { draw, make } from "./dom.js";
import { SHADES } from "./nodes.js";
import { ABSENT_NODE } from "./runs.js";
import { paint, TimeCanvas } from "./span.js";
import { duration, NEGLIGIBLE, percent } from "./units.js";

const HEAT = { top: 4, axis: 22, most: 440, least: 2, tall: 16, readable: 11 };

export class HeatMap extends TimeCanvas {
  constructor(host, view) {
    super(host, view.span, {
      label: "How full nodes were over time. Up and down arrow keys go from node to node",
      height: () => HEAT.top + this.row() * view.nodes.length + HEAT.axis,
      about: (time, y) => this.sentence(this.nodeAt(y), time ?? this.span.moment),
      keys: { ArrowUp: () => this.walk(-1), ArrowDown: () => this.walk(1) },
    });
    this.view = view;
    this.node = -1;
  }

  row() {
    return Math.max(Math.min(HEAT.tall, HEAT.most / this.view.nodes.length), 0.25);
  }

  nodeAt(y) {
    return Math.min(this.view.nodes.length - 1, Math.max(0, Math.floor((y - HEAT.top) / this.row())));
  }

  // A picture of one pixel for each node and each part of time, which the canvas stretches.
  picture() {
    const { heat } = this.view.policy;
    const levels = heat.levels(this.view.resource.name);
    const shades = Array.from({ length: SHADES + 1 }, (_, shade) => rgbOf(paint(`s${shade}`)));
    const missing = rgbOf(paint("paper"));
    const image = new ImageData(heat.bins, this.view.nodes.length);
    for (let at = 0; at < heat.bins * this.view.nodes.length; at += 1) {
      const level = levels ? levels[at] : ABSENT_NODE;
      const [red, green, blue] = level === ABSENT_NODE ? missing : shades[shadeOf(level)];
      image.data.set([red, green, blue, 255], at * 4);
    }
    const canvas = make("canvas", { width: heat.bins, height: this.view.nodes.length });
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }

  paintAll(height) {
    const bottom = height - HEAT.axis;
    this.axis(HEAT.top, bottom);
    const { heat, end } = this.view.policy;
    this.within(HEAT.top, bottom, (pen) => {
      const [left, right] = [this.x(0), this.x(heat.width * heat.bins)];
      pen.imageSmoothingEnabled = this.row() < 1;
      pen.beginPath();
      pen.rect(this.x(0), HEAT.top, this.x(end) - this.x(0), bottom - HEAT.top);
      pen.clip();
      pen.drawImage(this.picture(), left, HEAT.top, right - left, bottom - HEAT.top);
    });
    this.names();
    if (this.node >= 0) this.marked(this.node);
    this.cursor(HEAT.top, bottom);
  }

  names() {
    const { pen } = this;
    const row = this.row();
    const every = Math.ceil(HEAT.readable / row);
    pen.textAlign = "right";
    pen.fillStyle = paint("dim");
    for (let node = 0; node < this.view.nodes.length; node += every)
      pen.fillText(
        this.shortened(this.view.nodes[node], this.gutter - 12),
        this.gutter - 8,
        HEAT.top + (node + 0.5) * row + (every > 1 ? 4 : 0),
      );
  }

  marked(node) {
    const { pen } = this;
    pen.strokeStyle = paint("ink");
    pen.lineWidth = 1.5;
    const row = this.row();
    pen.strokeRect(this.gutter, HEAT.top + node * row, this.width - this.gutter - 1, Math.max(row, 3));
  }

  walk(by) {
    this.node = Math.min(Math.max(0, this.node + by), this.view.nodes.length - 1);
    this.say(this.sentence(this.node, this.span.moment));
    this.drawSoon();
  }

  chosen(time, y) {
    this.node = this.nodeAt(y);
    super.chosen(time, y);
  }

  sentence(node, time) {
    const { heat } = this.view.policy;
    const bin = Math.min(heat.bins - 1, Math.floor(time / heat.width));
    const level = heat.levels(this.view.resource.name)?.[node * heat.bins + bin] ?? ABSENT_NODE;
    const said = level === ABSENT_NODE ? "not there" : `${percent(level / 100)} of ${this.view.resource.name} used`;
    return `${this.view.nodes[node]} at ${duration(time)}: ${said}`;
  }
}

export function heatLegend() {
  const ramp = draw(
    "svg",
    { viewBox: `0 0 ${(SHADES + 1) * 12} 12`, class: "nodes ramp", "aria-hidden": "true" },
    Array.from({ length: SHADES + 1 }, (_, shade) => draw("rect", { class: `n s${shade}`, x: shade * 12, width: 12, height: 12 })),
  );
  return make("div", { class: "legend" }, make("span", { class: "sign" }, "empty", ramp, "full"));
}

// Levels are hundredths of what a node has.
const shadeOf = (level) => (level ? Math.max(1, Math.min(SHADES, Math.ceil((level / 100) * SHADES - NEGLIGIBLE))) : 0);

function rgbOf(color) {
  const pen = make("canvas", { width: 1, height: 1 }).getContext("2d");
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  return pen.getImageData(0, 0, 1, 1).data;
}
