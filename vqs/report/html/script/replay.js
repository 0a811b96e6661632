// What nodes use and queues hold after any step of the trace, as the steps are done and undone one by one.
//
// A statement's steps are followed by one more: its end. Where it is discarded, all its steps are undone there.

const PODS = "pods";

// What is used of each resource on each node, when the session opens ("before") or closes ("used").
function nodeColumns({ resources, requests, nodes }, part) {
  const column = ({ name }) =>
    name === PODS
      ? Float64Array.from(nodes[part === "before" ? "podsBefore" : "pods"])
      : Float64Array.from(nodes[part], (at) => requests[at]?.[name] ?? 0);
  return Object.fromEntries(resources.map((resource) => [resource.name, column(resource)]));
}

function queueColumns({ resources, queues }, side) {
  return Object.fromEntries(
    resources.map(({ name }) => [name, Float64Array.from(queues, (queue) => side(queue).allocated[name] ?? 0)]),
  );
}

class Replay {
  constructor(data) {
    const { trace, tasks, nodes, queues, requests } = data;
    Object.assign(this, { data, trace, tasks, requests });
    this.parents = parentsOf(queues, data.isTree);
    this.used = nodeColumns(data, "before");
    this.held = queueColumns(data, (queue) => queue.opened);
    this.promised = queueColumns(data, () => ({ allocated: {} }));
    this.closing = {
      used: nodeColumns(data, "used"),
      held: queueColumns(data, (queue) => queue.closed),
      promised: queueColumns(data, (queue) => ({ allocated: queue.closed.reserved ?? {} })),
    };
    this.reserved = new Int32Array(nodes.name.length);
    this.leaving = new Int32Array(nodes.name.length);
    this.layOut();
    this.at = 0;
  }

  // For each step its operation, -1 where it is an end, and the statement it belongs to.
  layOut() {
    const { length, op } = this.trace;
    this.steps = length.length + op.length;
    this.operation = new Int32Array(this.steps);
    this.statement = new Int32Array(this.steps);
    this.firsts = new Int32Array(length.length);
    let [step, operation] = [0, 0];
    length.forEach((some, statement) => {
      this.firsts[statement] = operation;
      for (let each = 0; each <= some; each += 1, step += 1) {
        this.statement[step] = statement;
        this.operation[step] = each < some ? operation++ : -1;
      }
    });
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
    const operation = this.operation[step];
    if (operation >= 0) this.apply(operation, sign);
    else if (this.isDiscarded(this.statement[step]))
      this.eachOf(this.statement[step], (each) => this.apply(each, -sign));
  }

  isDiscarded(statement) {
    return this.data.texts[this.trace.result[statement]] === "discard";
  }

  eachOf(statement, act) {
    const first = this.firsts[statement];
    for (let operation = first; operation < first + this.trace.length[statement]; operation += 1) act(operation);
  }

  apply(operation, sign) {
    const op = this.trace.op[operation];
    const task = this.trace.task[operation];
    const node = this.data.nodeOf[this.trace.node[operation]];
    const request = this.requests[this.tasks.request[task]] ?? {};
    if (node >= 0) this.applyToNode(node, op, request, sign);
    const queue = this.data.queueAt.get(this.data.texts[this.tasks.queue[task]]);
    if (queue !== undefined) this.applyToQueues(queue, request, op === EVICT ? -sign : sign, op === PIPELINE);
  }

  // What a task waits for is not used yet, and what is evicted still is. Pods are counted the other way.
  applyToNode(node, op, request, sign) {
    if (op === ALLOCATE)
      for (const name in request) if (name !== PODS && this.used[name]) this.used[name][node] += sign * request[name];
    if (this.used[PODS]) this.used[PODS][node] += op === EVICT ? -sign : sign;
    if (op === PIPELINE) this.reserved[node] += sign;
    if (op === EVICT) this.leaving[node] += sign;
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

  // The number of steps after which a statement has begun.
  stepOf(statement) {
    return this.statement.indexOf(statement) + 1;
  }
}
