// The runs of a replay as their document has them, with what is drawn of them found once.

import { byId } from "./dom.js";
import { IN_BYTES } from "./session.js";
import { NEGLIGIBLE } from "./units.js";

const QUANTILES = 101;
const FULL = 100;
export const ABSENT_NODE = 255;

// Of several seeds, the first run of each policy is drawn, and waits are those of all.
export function readRuns(data) {
  const every = data.runs ?? [data];
  const runs = (data.policies ?? [data.policy]).map((policy) => every.find((run) => run.policy === policy));
  const jobs = jobsOf(runs);
  const queues = queuesOf(runs);
  const resources = resourcesOfRuns(runs);
  const nodes = [...new Set(runs.flatMap((run) => run.nodes.map(({ name }) => name)))].sort();
  const commands = JSON.parse(byId("moment").dataset.commands);
  return {
    end: Math.max(...runs.map(({ end }) => end)),
    jobs,
    queues,
    resources,
    nodes,
    policies: runs.map((run, at) => policyOf(run, commands[at], { jobs, queues, resources, nodes })),
    waits: queues.map((queue) => ({ queue, policies: runs.map(({ policy }) => waitsOf(queue, policy, every)) })),
  };
}

const pathOf = ({ namespace, name }) => `${namespace}/${name}`;

// The jobs of all runs; `place` is the place of each in what a policy has by job.
function jobsOf(runs) {
  const jobs = new Map(runs.flatMap((run) => run.jobs.map((job) => [pathOf(job), job])));
  return [...jobs].map(([path, { queue, priority, arrival, minAvailable, pods }], place) => {
    return { path, place, queue, priority, arrival, minAvailable, pods };
  });
}

// The queues that jobs are in, those that hold the most first; then those without jobs that deserve something.
function queuesOf(runs) {
  const held = new Map();
  for (const job of runs.flatMap((run) => run.jobs)) held.set(job.queue, (held.get(job.queue) ?? 0) + job.work);
  const idle = runs.flatMap(({ queues, samples: [first] }) =>
    queues
      .map(({ name }) => name)
      .filter((name) => !queues.some(({ parent }) => parent === name) && !held.has(name))
      .filter((name) => Object.keys(first?.queues[name]?.deserved ?? {}).length),
  );
  const byWork = [...held.keys()].sort((one, other) => held.get(other) - held.get(one) || (one < other ? -1 : 1));
  return [...byWork, ...new Set(idle.sort())];
}

// The resources that nodes have, that of which most is used first; `total` is the most that nodes have at any time. There
// is always one, as something has to be chosen.
function resourcesOfRuns(runs) {
  const most = {};
  const total = {};
  for (const { queues, allocatable } of runs.flatMap(({ samples }) => samples)) {
    for (const name in allocatable) total[name] = Math.max(total[name] ?? 0, allocatable[name] ?? 0);
    const sums = {};
    for (const { allocated } of Object.values(queues))
      for (const name in allocated) sums[name] = (sums[name] ?? 0) + (allocated[name] ?? 0);
    for (const name in sums) most[name] = Math.max(most[name] ?? 0, sums[name]);
  }
  const found = [...new Set(runs.flatMap(({ resources }) => resources))]
    .filter((name) => total[name] > 0)
    .map((name) => ({ name, bytes: IN_BYTES.test(name), total: total[name], part: (most[name] ?? 0) / total[name] }))
    .sort((one, other) => other.part - one.part);
  return found.length ? found : [{ name: "cpu", bytes: false, total: 0 }];
}

function policyOf(run, command, { jobs, queues, resources, nodes }) {
  const place = new Map(jobs.map((job) => [job.path, job.place]));
  const records = Array.from(jobs, () => null);
  for (const job of run.jobs) records[place.get(pathOf(job))] = job;
  const lives = jobs.map(() => []);
  for (const pod of run.pods)
    if (pod.node) {
      const evictor = run.jobs[pod.evictorJob];
      lives[place.get(pathOf(run.jobs[pod.job]))].push({ ...pod, evictor: evictor && pathOf(evictor) });
    }
  return {
    name: run.policy,
    seed: run.seed,
    command,
    end: run.end,
    records,
    lives,
    series: seriesOf(run, queues, resources),
    heat: heatOf(run, nodes),
    evictions: run.pods
      .filter(({ outcome }) => outcome === "evicted")
      .map(({ ended }) => ended)
      .sort((one, other) => one - other),
  };
}

// What each queue holds, deserves and requests over time; what has no limit is all that there is.
function seriesOf({ samples }, queues, resources) {
  const seen = queues.map((queue) => samples.map((sample) => sample.queues[queue]));
  const amounts = (of, what) => {
    const drawn = resources.filter(({ name }) => of.some((each) => (each?.[what][name] ?? null) !== 0 && name in (each?.[what] ?? {})));
    return Object.fromEntries(
      drawn.map(({ name, total }) => {
        const value = (each) => (each === null ? total : Math.min(each ?? 0, 1000 * total));
        return [name, of.map((each) => value(each?.[what][name]))];
      }),
    );
  };
  return {
    times: samples.map(({ time }) => time),
    queues: seen.map((of) => ({
      allocated: amounts(of, "allocated"),
      deserved: amounts(of, "deserved"),
      request: amounts(of, "request"),
      counts: Object.fromEntries(
        ["pending", "running", "waitingJobs"].map((what) => [what, of.map((each) => Math.round(each?.[what] ?? 0))]),
      ),
    })),
  };
}

// How full nodes are: by resource a byte for each node and each stretch of time, in hundredths of what it has.
function heatOf({ nodeSamples, nodes: own, resources, end }, names) {
  const bins = nodeSamples.length;
  const places = new Map(names.map((name, at) => [name, at]));
  const levels = (resource) => {
    const at = resources.indexOf(resource);
    const bytes = new Uint8Array(names.length * bins).fill(ABSENT_NODE);
    own.forEach(({ name, allocatable, available }, column) => {
      if (!allocatable[resource]) return;
      nodeSamples.forEach(({ time, seconds, used }, bin) => {
        const isThere = available.some(([from, to]) => Math.min(time + seconds, to ?? end) > Math.max(time, from));
        if (isThere) bytes[places.get(name) * bins + bin] = Math.min(FULL + 1, Math.round(used[column][at] * FULL));
      });
    });
    return bytes;
  };
  const made = new Map();
  return {
    width: bins ? nodeSamples[0].seconds : end,
    bins: Math.max(1, bins),
    levels: (resource) => {
      if (bins && !made.has(resource)) made.set(resource, levels(resource));
      return made.get(resource);
    },
  };
}

// How the waits of a queue's jobs are spread under a policy, over all of its runs.
function waitsOf(queue, policy, every) {
  const jobs = every.filter((run) => run.policy === policy).flatMap((run) => run.jobs.filter((job) => job.queue === queue));
  const waits = jobs.filter(({ started }) => started !== null).map(({ started, arrival }) => started - arrival);
  waits.sort((one, other) => one - other);
  const quantile = (_, at) => waits[Math.max(0, Math.ceil((at / (QUANTILES - 1)) * waits.length - NEGLIGIBLE) - 1)];
  return {
    jobs: jobs.length,
    started: waits.length,
    quantiles: waits.length ? Array.from({ length: QUANTILES }, quantile) : [],
  };
}
