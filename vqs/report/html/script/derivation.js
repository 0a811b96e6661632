// The page on queues: the tree, and how the deserved share of one of them is calculated.

import { queueDetails } from "./details.js";
import { showsDetails } from "./dialog.js";
import { bdi, byId, choice, draw, make } from "./dom.js";
import { openPage } from "./page.js";
import { BAR, barOf, QueueTree, sessionFigures } from "./queues.js";
import { readQueues } from "./session.js";
import { amount, change, NEGLIGIBLE } from "./units.js";

function showQueues(document) {
  const data = readQueues(document, document.tree);
  const { explained } = data;
  const side = {
    figures: sessionFigures,
    held: (queue, name) => queue.closed.allocated[name] ?? 0,
    reserved: (queue, name) => queue.closed.reserved?.[name] ?? 0,
    shown: (queue, resource, held) =>
      change(amount(resource, queue.opened.allocated[resource.name] ?? 0), amount(resource, held)),
  };
  if (byId("queues") && data.queues.length)
    new QueueTree(byId("queues"), { ...data, sides: [side], marked: explained?.name });
  showsDetails("queue", (name) => queueDetails({ data }, name));
  if (explained && byId("derivation")) showDerivation(byId("derivation"), data, explained);
  return { data };
}

function showDerivation(host, data, explained) {
  const { derivation } = explained;
  const resources = data.resources.filter(({ name }) => name !== "pods" && concernsDerivation(derivation, name));
  if (!resources.length) return;
  const chart = make("div", {});
  const show = (name) => {
    const resource = resources.find((each) => each.name === name);
    chart.replaceChildren(
      ...(derivation.plugin === "proportion" ? roundsChart : chainChart)(derivation, resource, explained.name),
    );
  };
  const { field } = choice(
    "Resource",
    resources.map(({ name }) => [name]),
    show,
  );
  host.append(make("div", { class: "tools" }, field), chart);
  show(resources[0].name);
}

function concernsDerivation(derivation, name) {
  if (derivation.plugin === "proportion")
    return derivation.rounds.some((round) => round.steps.some((step) => step.deserved[name]));
  return derivation.queues.some((each) => each.realCapability[name] || each.deserved[name]);
}

// A line for each queue, with a piece for what each round gave it; what a round took back is not drawn.
function roundsChart(derivation, resource, marked) {
  const { name } = resource;
  const pieces = new Map();
  derivation.rounds.forEach((round, at) =>
    round.steps.forEach((step) => {
      const mine = pieces.get(step.queue) ?? pieces.set(step.queue, []).get(step.queue);
      mine.push({ round: at + 1, from: step.before[name] ?? 0, to: step.deserved[name] ?? 0 });
    }),
  );
  const whole = Math.max(...[...pieces.values()].flat().map((piece) => piece.to), NEGLIGIBLE);
  const line = ([queue, mine]) =>
    chartLine(
      queue,
      queue === marked,
      amount(resource, mine.at(-1).to),
      mine
        .filter(({ from, to }) => to > from + NEGLIGIBLE)
        .map(({ round, from, to }) => ({
          from: from / whole,
          to: to / whole,
          shade: (round - 1) % 4,
          hint: `round ${round}: ${amount(resource, from)} → ${amount(resource, to)}`,
          label: String(round),
        })),
    );
  return [
    make(
      "p",
      { class: "dim" },
      `What each round gave of ${amount(resource, derivation.total[name] ?? 0)} ${name}; the number is the round's.`,
    ),
    make("div", { class: "chart" }, [...pieces].map(line)),
  ];
}

// A line for each queue from the root down: its limit, and in it what it deserves and is guaranteed.
function chainChart(derivation, resource, marked) {
  const { name } = resource;
  const total = derivation.total[name] ?? 0;
  const most = Math.max(
    total,
    ...derivation.queues.map((each) => Math.max(each.realCapability[name] ?? 0, each.deserved[name] ?? 0)),
    NEGLIGIBLE,
  );
  const line = (each) => {
    const limit = each.realCapability[name] === undefined ? 0 : each.realCapability[name];
    const [deserved, guarantee] = [each.deserved[name] ?? 0, each.guarantee[name] ?? 0];
    const pieces = [
      {
        from: 0,
        to: limit === null ? 1 : limit / most,
        shade: "limit",
        hint: `limit ${amount(resource, limit)}`,
        label: "",
      },
      {
        from: 0,
        to: deserved / most,
        shade: 0,
        hint: `deserves ${amount(resource, deserved)}`,
        label: deserved ? "deserves" : "",
      },
      { from: 0, to: guarantee / most, shade: 2, hint: `is guaranteed ${amount(resource, guarantee)}`, label: "" },
    ].filter(({ to }) => to > 0);
    return chartLine(
      each.queue,
      each.queue === marked,
      `${amount(resource, deserved)} of ${amount(resource, limit)}`,
      pieces,
    );
  };
  return [
    make(
      "p",
      { class: "dim" },
      `Of ${amount(resource, total)} ${name}, the limit (light) and the deserved share (dark) of each queue, the root first.`,
    ),
    make("div", { class: "chart" }, derivation.queues.map(line)),
  ];
}

function chartLine(name, marked, figure, pieces) {
  const part = (piece) => {
    const width = (piece.to - piece.from) * BAR.width;
    return draw(
      "rect",
      { class: `piece p${piece.shade}`, x: piece.from * BAR.width, width, height: 20 },
      draw("title", {}, piece.hint),
    );
  };
  const track = draw("rect", { class: "bar-track", width: BAR.width, height: 20 });
  const hints = pieces.map((piece) => piece.hint).join(", ");
  const svg = barOf(`${name}: ${hints}`, [track, ...pieces.map(part)], { height: 20, kind: "tall" });
  const labels = pieces
    .filter((piece) => piece.label && piece.to - piece.from > 0.06)
    .map((piece) => {
      const label = make("span", { class: `label l${piece.shade}`, "aria-hidden": "true" }, piece.label);
      label.style.left = `${((piece.from + piece.to) / 2) * 100}%`;
      return label;
    });
  return make(
    "div",
    { class: marked ? "line marked" : "line" },
    make("span", { class: "who" }, bdi(name)),
    make("span", { class: "track" }, svg, labels),
    make("span", { class: "numeric" }, figure),
  );
}

openPage(showQueues);
