// What nodes use and queues hold after any step of the trace, as the steps are done and undone one by one.
//
// A statement's steps are followed by one more: its end. Where it is discarded, all its steps are undone there.

import { parentsOf, PODS } from "./session.js";

// What is used of each resource on each node, when the session opens ("usedBefore") or closes ("used").
export function nodeColumns({ resources, nodes }, part) {
  const pods = part === "used" ? "pods" : "podsBefore";
  const column = ({ name }) =>
    Float64Array.from(nodes, (node) => (name === PODS ? node[pods] : (node[part][name] ?? 0)));
  return Object.fromEntries(resources.map((resource) => [resource.name, column(resource)]));
}

function queueColumns({ resources, queues }, amounts) {
  return Object.fromEntries(
    resources.map(({ name }) => [name, Float64Array.from(queues, (queue) => amounts(queue)?.[name] ?? 0)]),
  );
}

export class Replay {
  constructor(data) {
    this.data = data;
    this.parents = parentsOf(data.queues, data.isTree);
    this.used = nodeColumns(data, "usedBefore");
    this.held = queueColumns(data, ({ opened }) => opened.allocated);
    this.promised = queueColumns(data, () => ({}));
    this.closing = {
      used: nodeColumns(data, "used"),
      held: queueColumns(data, ({ closed }) => closed.allocated),
      promised: queueColumns(data, ({ closed }) => closed.reserved),
    };
    this.reserved = new Int32Array(data.nodes.length);
    this.leaving = new Int32Array(data.nodes.length);
    // Each step with its statement, and its operation, which there is none of at the end of the statement.
    this.moves = data.trace.flatMap((statement, place) => [
      ...statement.operations.map((operation) => ({ statement, place, operation })),
      { statement, place },
    ]);
    this.steps = this.moves.length;
    this.at = 0;
  }

  // Goes to the state after a number of steps; returns the nodes and queues that changed on the way.
  goTo(at) {
    this.changed = { nodes: new Set(), queues: new Set() };
    const target = Math.min(Math.max(at, 0), this.steps);
    while (this.at < target) this.take(this.at++, 1);
    while (this.at > target) this.take(--this.at, -1);
    return this.changed;
  }

  take(step, sign) {
    const { operation, statement } = this.moves[step];
    if (operation) this.apply(operation, sign);
    else if (statement.result === "discard") for (const each of statement.operations) this.apply(each, -sign);
  }

  apply(operation, sign) {
    const { op } = operation;
    const { node, queue, request } = this.placeOf(operation);
    if (node !== undefined) this.applyToNode(node, op, request, sign);
    if (queue !== undefined) this.applyToQueues(queue, request, op === "evict" ? -sign : sign, op === "pipeline");
  }

  // The node and the queue that a step is about, by their numbers, and what its task requests.
  placeOf({ task, node }) {
    const { request = {}, queue } = this.data.taskAt.get(task) ?? {};
    return { node: this.data.nodeAt.get(node), queue: this.data.queueAt.get(queue), request };
  }

  // What a task waits for is not used yet, and what is evicted still is. Pods are counted the other way.
  applyToNode(node, op, request, sign) {
    if (op === "allocate")
      for (const name in request) if (name !== PODS && this.used[name]) this.used[name][node] += sign * request[name];
    if (this.used[PODS]) this.used[PODS][node] += op === "evict" ? -sign : sign;
    if (op === "pipeline") this.reserved[node] += sign;
    if (op === "evict") this.leaving[node] += sign;
    this.changed.nodes.add(node);
  }

  applyToQueues(queue, request, sign, isReserved) {
    const changed = isReserved ? [this.held, this.promised] : [this.held];
    for (let at = queue; at >= 0; at = this.parents[at]) {
      for (const name in request)
        for (const columns of changed) if (columns[name]) columns[name][at] += sign * request[name];
      this.changed.queues.add(at);
    }
  }

  // At the end the session's own figures are shown, which sums of fractions may miss by a little.
  usedNow(name) {
    return (this.at === this.steps ? this.closing : this).used[name];
  }

  heldNow(name, queue) {
    return (this.at === this.steps ? this.closing : this).held[name][queue];
  }

  reservedNow(name, queue) {
    return (this.at === this.steps ? this.closing : this).promised[name][queue];
  }

  // The number of steps after which something has been done.
  stepOf(isIt) {
    return this.moves.findIndex(isIt) + 1;
  }
}
