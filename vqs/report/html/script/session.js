// A session as its document has it, with what is asked for again and again found once.

const PLACED = ["Allocated", "Binding", "Bound"];
export const PODS = "pods";
const OFTEN = ["cpu", "memory"];
const RARE = /^(?:hugepages-|ephemeral-storage$)/;
export const IN_BYTES = /^(?:memory$|hugepages-|ephemeral-storage$)/;

// What became of a task.
function outcomeOf({ status, statusBefore }) {
  if (PLACED.includes(status) && statusBefore === "Pending") return "placed";
  if (status === "Releasing" && statusBefore !== "Releasing") return "evicted";
  return { Pending: "pending", Pipelined: "reserved" }[status] ?? "unchanged";
}

// The code of the first thing that keeps a job or a task waiting.
const codeOf = ({ verdict, blockers: [first] = [] }) => (first ?? verdict)?.code ?? "";

export function readSession(data) {
  const { jobs, tasks } = data;
  data.nodes ??= [];
  data.jobAt = new Map();
  for (const job of jobs) {
    const uid = `${job.namespace}/${job.name}`;
    const { displayName: path = uid, decision, says = decision, reason = "" } = job;
    Object.assign(job, { path, says, reason, code: codeOf(job), own: [], statements: [] });
    data.jobAt.set(uid, job).set(job.path, job);
  }
  data.taskAt = new Map();
  for (const task of tasks) {
    const job = data.jobAt.get(`${task.namespace}/${task.job}`);
    task.path = `${task.namespace}/${task.name}`;
    task.jobName = job?.path ?? (task.job && `${task.namespace}/${task.job}`);
    task.outcome = outcomeOf(task);
    task.code = codeOf(task);
    task.reason = task.verdict ? `${task.code}: ${task.verdict.text}` : "";
    job?.own.push(task);
    data.taskAt.set(task.path, task);
  }
  for (const statement of data.trace) data.jobAt.get(statement.job)?.statements.push(statement);
  data.nodeAt = new Map(data.nodes.map(({ name }, at) => [name, at]));
  return readQueues(data, data.queues.some(({ name }) => name === "root"));
}

// Adds to the queues of a document what is said of each, and to the document the resources that there are.
export function readQueues(data, isTree) {
  const { queues, session } = data;
  data.isTree = isTree && !session.standstill;
  data.queueAt = new Map(queues.map(({ name }, at) => [name, at]));
  for (const queue of queues) queue.facts = (queue.facts ?? []).join(" · ");
  const amounts = queues.flatMap(({ opened, closed }) => [opened.deserved, opened.request, closed.allocated]);
  const requests = queues.length
    ? requestsOf(queues, ({ opened }) => opened.request)
    : (data.tasks ?? []).map(({ request }) => request);
  data.resources = resourcesOf([session.totalResource, ...amounts], session.totalResource, requests);
  return data;
}

// --- queues and resources --------------------------------------------------------------------------------------------

// What is requested in the queues that have none below them.
export function requestsOf(queues, request) {
  const parents = new Set(queues.map(({ parent }) => parent));
  return queues.filter(({ name }) => !parents.has(name)).map(request);
}

// The resources that there are, the scarcest first, the number of pods last. The scarcest is the one of which the
// largest part of what the nodes have is requested; where that is equal, cpu and memory come first. Hugepages and
// ephemeral-storage, which every node reports, are there only where something requests them.
export function resourcesOf(amounts, total, requests) {
  const requested = {};
  for (const each of requests)
    for (const name in each) requested[name] = (requested[name] ?? 0) + (each[name] ?? 0);
  const names = new Set(amounts.flatMap((each) => Object.keys(each).filter((name) => each[name] !== 0)));
  const rank = (name) => {
    const [most, wanted] = [total[name] ?? 0, requested[name] ?? 0];
    const part = most > 0 ? wanted / most : wanted > 0 ? Infinity : 0;
    return [name === PODS ? 1 : 0, -part, OFTEN.includes(name) ? 0 : 1, name];
  };
  return [...names]
    .filter((name) => requested[name] > 0 || !RARE.test(name))
    .map((name) => ({ name, bytes: IN_BYTES.test(name), rank: rank(name) }))
    .sort((one, other) => {
      const at = one.rank.findIndex((each, place) => each !== other.rank[place]);
      return at < 0 ? 0 : one.rank[at] < other.rank[at] ? -1 : 1;
    });
}

// The queue above each; -1 is none: above the root, and wherever queues are a list rather than a tree.
export function parentsOf(queues, isTree) {
  const at = new Map(queues.map((queue, place) => [queue.name, place]));
  return queues.map((queue) => (isTree && queue.name !== "root" ? (at.get(queue.parent || "root") ?? -1) : -1));
}
