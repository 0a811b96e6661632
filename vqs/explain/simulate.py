"""Runs one session on a snapshot, and says what about the cluster keeps it from doing what its user may expect."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain
from typing import Final

import numpy as np

from vqs.config.known_plugins import VENDORS, Vendor, vendors_of_plugins
from vqs.config.scheduler_conf import BUILT_IN, PluginField, SchedulerConfiguration, unread_fields
from vqs.engine import scheduler
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import ExtenderUse, Session, SessionOptions
from vqs.engine.framework.tally import Tally
from vqs.engine.framework.trace import Op, StatementResult
from vqs.engine.nodes.sampling import ProcessState
from vqs.engine.plugins import network_topology_aware
from vqs.explain.affected import lost_in
from vqs.explain.assemble import assemble, ignored_jobs, node_results, note_requests
from vqs.explain.expectations import check_expectations, refuse_unknown_verdicts
from vqs.explain.outcome import Simulation, Timing, in_words
from vqs.explain.pods_of_others import left_to_others
from vqs.explain.words import tell_of_jobs
from vqs.model import kubernetes as k8s
from vqs.model.codes import MISSING_KIND, NO_NODE_SHARD
from vqs.model.job import COMPLETED_STATUSES, Task, TaskStatus
from vqs.model.keys import DEFAULT_SCHEDULER, pod_group_of
from vqs.model.resource import CPU, EPSILON, MEMORY, PODS, Resource
from vqs.model.scheduler_flags import NodeSample
from vqs.model.sharding import ShardingMode
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.controllers.complete import TaintEviction, complete, taint_evictions, written
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.configuration.text import OF_AGENTS
from vqs.snapshot.reading.kinds import CONFIGURATION, how_to_add
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import WaitingPods, missing_kinds

_BELOW_DESERVED: Final = (
    "reclaim may take tasks from a queue that holds more than it deserves of one resource; a guarantee, or "
    "reclaimable: false on the queue, protects it"
)

_SHARDING_FLAGS: Final = (
    "if the scheduler is started with --scheduler-sharding-mode and --scheduler-sharding-name, give the same options"
)

VENDOR_BUILD: Final = "vendor-build"
PLACED_BY_VENDOR: Final = "placed-by-vendor"
_FEW_PODS: Final = 3
"""The number of pods placed by a vendor's build that are named."""

AGENT_SCHEDULER: Final = "agent-scheduler"
"""The schedulerName of pods for Volcano's scheduler for agents, and the name of its NodeShard, by default."""
_OF_SHARDS: Final = "sharding.yaml"
"""The key that the ConfigMap of the sharding controller has."""
_MANY: Final = 10
"""The number of pods evicted by Kubernetes that are named."""


def notice_gaps(session: Session) -> None:
    """Add notices about the input of a session that was just opened."""
    nodes = session.nodes.nodes
    if not nodes:
        session.warn("no-nodes", "the snapshot has no nodes, so nothing can be placed")
    empty = [node.name for node in nodes if node.allocatable.is_empty()]
    if empty:
        session.warn("empty-nodes", f"{_some(empty, 'node has', 'nodes have')} no allocatable resources")
    _unknown_nodes(session)
    idle = session.nodes.idle
    overcommitted = [session.nodes.names[column] for column in np.flatnonzero((idle <= -EPSILON).any(axis=0))]
    if overcommitted:
        who = f"{_some(overcommitted, 'node is', 'nodes are')} overcommitted"
        session.warn("overcommitted-nodes", f"{who}: pods request more than is allocatable")
    text = session.cluster.noted_of_others("told", partial(_told_of, session.cluster.other_tasks))
    if text:
        session.note("strangers", text)
    others = [f"{pod}: {scheduler or DEFAULT_SCHEDULER}" for pod, scheduler in session.cluster.left_to_others.items()]
    if others:
        text = f"{_some(others, 'pending pod is', 'pending pods are')} left to other schedulers"
        session.note("other-scheduler", text, jobs=session.cluster.left_to_others)
    if without := session.cluster.without_queue:
        who = _some(sorted(map(session.cluster.display_name, without)), "job names", "jobs name")
        message = f"{who} a queue that does not exist; the scheduler ignores {'it' if len(without) == 1 else 'them'}"
        session.warn("unknown-queue", message, jobs=without)
    _fields_without_plugin(session)
    unknown: dict[str, str] = {}
    known = session.topology.tier_by_name
    for job in session.jobs.values() if session.conf.plugin(network_topology_aware.NAME) else ():
        for each in (job.topology, *(part.topology for part in job.sub_jobs.values())):
            if each is not None and each.hard and each.limit is None and each.tier_name not in ("", *known):
                unknown.setdefault(job.uid, each.tier_name)
    if unknown:
        who = _some([*map(session.cluster.display_name, unknown)], "job asks", "jobs ask")
        names = " or ".join(dict.fromkeys(unknown.values()))
        text = f"{who} for no tier above {names}, which is the tierName of no HyperNode: there is no limit"
        session.warn("unknown-tier-name", text, jobs=unknown)
    _shard(session)


def notice_missing_kinds(session: Session, given: Manifests, completed: Manifests, waiting: WaitingPods) -> None:
    """Note each kind that something that waits hangs on, and that the snapshot has nothing of."""
    for kind, hanging, jobs in missing_kinds(given, completed, waiting):
        verb = "depends" if len(hanging) == 1 else "depend"
        what = f"{first_names(hanging, 1)} {verb} on a {kind.kind.name}, and the snapshot has none"
        help_, without = how_to_add([kind]), kind.without
        if kind == CONFIGURATION:
            what = "the snapshot has no ConfigMap with volcano-scheduler.conf"
            command = "kubectl get configmap volcano-scheduler-configmap -n volcano-system -o json > conf.json"
            help_ = f"run {command}, and read conf.json beside the snapshot, or give the file with --conf"
        elif kind.kind.name == "ResourceQuota":
            if session.conf.plugin("resourcequota") is None:
                continue  # nothing reads them
            what = f"quotas decide whether {first_names(hanging, 1)} can be admitted, and the snapshot has none"
        elif kind.kind.name == "PodGroup" and completed.pod_groups:
            without = "those that controllers would create are used, as if no session had admitted any of them yet"
        unknown = [f"objects of kind {kind.kind.name}"]
        session.note(MISSING_KIND, f"{what}: {without}", help=help_, unknown=unknown, jobs=jobs)


def notice_agents(session: Session, manifests: Manifests) -> None:
    """Note what is of Volcano's scheduler for agents, whose decisions are not modelled, and what divides the nodes.

    Its pods are told, the nodes that it uses or should use, and its configuration.
    """
    pods = sorted(pod for pod, name in session.cluster.left_to_others.items() if name == AGENT_SCHEDULER)
    placed = [each for each in session.cluster.other_tasks if each.pod.spec.scheduler_name == AGENT_SCHEDULER]
    shards = [each for each in manifests.node_shards if each.metadata.name == AGENT_SCHEDULER]
    nodes = sorted(chain.from_iterable(each.status.nodes_in_use for each in shards))
    coming = sorted({*chain.from_iterable(each.spec.nodes_desired for each in shards)}.difference(nodes))
    said = [_some(pods, "pending pod is", "pending pods are") + " left to it"] if pods else []
    said += [_some(sorted(map(_placed, placed)), "pod was", "pods were") + " placed by it"] if placed else []
    said += [_some(nodes, "node is", "nodes are") + f" in its NodeShard {AGENT_SCHEDULER}"] if nodes else []
    said += [_some(coming, "node is", "nodes are") + " to be"] if coming else []
    said += [
        f"its configuration, ConfigMap {each.metadata.key}, is not read"
        for each in manifests.config_maps
        if OF_AGENTS in each.data
    ]
    if said:
        text = f"Volcano's scheduler for agents is not modelled: {'; '.join(said)}"
        session.note("agent-scheduler", text, unknown=["what the scheduler for agents places"])
    for name in (f"ConfigMap {each.metadata.key}" for each in manifests.config_maps if _OF_SHARDS in each.data):
        text = (
            f"which nodes the sharding controller gives to whom by {name} is not modelled: NodeShards count as they are"
        )
        session.note("sharding-controller", text, unknown=["which nodes schedulers are given"])


def _placed(task: Task) -> str:
    return f"{task.namespace}/{task.name} on {task.node}"


def notice_reclaim(session: FinishedSession) -> None:
    """Warn of queues that reclaim leaves with less than they deserve of what it takes from them."""
    for queue, tasks in sorted(_reclaimed(session).items()):
        held, deserved = session.closed_queues[queue].allocated, session.closed_queues[queue].deserved
        left = [
            f"{in_words(name, held.get(name))} of {in_words(name, deserved.get(name))} {name}"
            for name in sorted({name for task in tasks for name in task.request.names() if name != PODS})
            if deserved.get(name) - held.get(name) >= EPSILON
        ]
        if left:
            text = f"reclaim takes {count(len(tasks), 'task')} from queue {queue} and leaves it less than it deserves"
            of = [task.job for task in tasks]
            message = f"{text}: {listed_names(left)}"
            session.warn("reclaim-below-deserved", message, help=_BELOW_DESERVED, jobs=of, queues=[queue])


def _reclaimed(session: FinishedSession) -> dict[str, list[Task]]:
    """Return the tasks that reclaim evicts, by the queue that loses them."""
    taken: dict[str, list[Task]] = {}
    for record in session.trace.statements:
        if record.action == "reclaim" and record.result is not StatementResult.DISCARD:
            for step in record.operations:
                name = session.jobs[step.task.job].queue
                if step.op is Op.EVICT and name in session.closed_queues:
                    taken.setdefault(name, []).append(step.task)
    return taken


def _leaving(eviction: TaintEviction) -> str:
    pod, taint, seconds = eviction
    group = pod_group_of(pod.metadata)
    of_job = f" of {group}" if group else ""
    later = f", {seconds:,} s later" if seconds else ""
    return f"{pod.metadata.key}{of_job} on {pod.spec.node_name} ({written(taint)}{later})"


def _unknown_nodes(session: Session) -> None:
    nodes, others = session.nodes, session.cluster.other_tasks
    found = [
        job.noted("lost", partial(_lost, job.tasks.values(), nodes.index), of=nodes.likeness)
        for job in session.jobs.values()
    ]
    lost = [*chain.from_iterable(found), *_lost(others, nodes.index)]
    if lost:
        session.warn("unknown-node", f"{_some(lost, 'pod runs', 'pods run')} on a node that is not in the snapshot")


def _lost(tasks: Iterable[Task], known: Container[str]) -> list[str]:
    return [f"{task.namespace}/{task.name} on {task.node}" for task in tasks if task.node and task.node not in known]


def _told_of(others: Sequence[Task]) -> str:
    placed = [task for task in others if task.node and task.status not in COMPLETED_STATUSES]
    if not placed:
        return ""
    held = Resource.total(task.request for task in placed)
    amounts = " and ".join(f"{in_words(name, held.get(name))} {name}" for name in (CPU, MEMORY))
    text = f"{_some(_names(placed), 'pod belongs', 'pods belong')} to no job"
    return f"{text} and {'holds' if len(placed) == 1 else 'hold'} {amounts} of the nodes"


def _fields_without_plugin(session: Session) -> None:
    """Warn of what waiting jobs say to a plugin that is not used: nothing else reads it."""
    unread = unread_fields(session.conf)
    saying: dict[PluginField, dict[str, None]] = {}
    for job in session.jobs.values():
        alike = {(task.role, task.shape): task for task in job.having(TaskStatus.Pending).values()}
        group = job.pod_group
        has_topology = group.spec.network_topology or any(each.network_topology for each in group.spec.sub_group_policy)
        said: list[tuple[KeysView[str], list[str]]] = [(group.metadata.annotations.keys(), [])]
        said += [(task.pod.metadata.annotations.keys(), task.request.names()) for task in alike.values()]
        for read in unread if alike else ():
            if (read.in_spec and has_topology) or any(
                not (read.annotations.isdisjoint(own) and read.resources.isdisjoint(names)) for own, names in said
            ):
                saying.setdefault(read, {})[job.uid] = None
    for read, jobs in saying.items():
        who = _some([*map(session.cluster.display_name, jobs)], "job sets", "jobs set")
        text = f"which only the plugin {read.plugin} reads, and the configuration does not have it: {read.without}"
        session.warn("field-without-plugin", f"{who} {read.what}, {text}", jobs=jobs)


def _shard(session: Session) -> None:
    """Tell where NodeShards and the scheduler's flags do not go together."""
    shard = session.cluster.shard
    sharding, known = shard.sharding, listed_names(list(shard.others))
    if sharding.mode is not ShardingMode.NONE and not shard.is_defined:
        effect = "no node is used" if sharding.mode is ShardingMode.HARD else "no node is preferred"
        text = f"scheduler-sharding-mode is {sharding.mode}, and there is no NodeShard {sharding.name}: {effect}"
        session.warn(NO_NODE_SHARD, text, help=f"--scheduler-sharding-name takes one of {known}" if known else "")
    elif sharding.mode is ShardingMode.NONE and (shard.is_defined or known):
        text = "the snapshot has NodeShards, and scheduler-sharding-mode is none: all nodes are used alike"
        session.note("sharding-off", text, help=_SHARDING_FLAGS)
    unknown = sorted(name for name in shard.nodes if name not in session.nodes.index)
    if unknown:
        text = f"NodeShard {sharding.name} names {_some(unknown, 'node that is', 'nodes that are')} not in the snapshot"
        session.note("unknown-shard-node", text)


def _names(tasks: Sequence[Task]) -> list[str]:
    return [f"{task.namespace}/{task.name}" for task in tasks]


def _some(names: Sequence[str], one: str, many: str) -> str:
    """Count things, say of them what a noun and its verb say, and name the first.

    >>> _some(["a"], "node has", "nodes have"), _some(["a", "b"], "node has", "nodes have")
    ('1 node (a) has', '2 nodes (such as a) have')
    """
    noun, _, verb = (one if len(names) == 1 else many).rpartition(" ")
    return f"{len(names):,} {noun} ({'' if len(names) == 1 else 'such as '}{names[0]}) {verb}"


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SimulateOptions:
    """How to simulate.

    Attributes:
        now: the time the session takes it to be; where it is None, a scenario's, else the snapshot's newest timestamp.
        seed: draws what the reference leaves to chance; None takes the lowest name everywhere.
        scenario: what the result calls the snapshot.
        timing: add the seconds each part took.
        watch: the tasks, by namespace/name, of which every node's reasons and scores are kept.
        nodes: add what every node has and how much of it is used, and what every task asks for.
        progress: told the running action and how many of its jobs are done.
        gates: keep the accounts that are drawn up when jobs ask to enter their queues.
        follow: the jobs, by namespace/name, whose story is kept.
        opened: called with the session before its first action.
        tally: counts what each plugin answers.
        process: what the sessions before have left in the scheduler's process; without any, it has just started.
        sample: how many nodes that fit a task are enough; None examines all nodes.
        allow_extender: let the plugin extender send its requests.
        extender: what these sessions have in common of that.
        cache: what several sessions on nearly the same objects have in common; see `Finished.release`.
    """

    now: datetime | None = None
    seed: int | None = None
    scenario: str = ""
    timing: bool = False
    watch: frozenset[str] = frozenset()
    nodes: bool = False
    progress: Callable[[str, int, int], None] | None = None
    gates: bool = False
    follow: frozenset[str] = frozenset()
    opened: Callable[[Session], None] | None = None
    tally: Tally | None = None
    process: ProcessState | None = None
    sample: NodeSample | None = None
    allow_extender: bool = False
    extender: ExtenderUse = field(default_factory=ExtenderUse)
    cache: SessionCache | None = None


def simulate(manifests: Manifests, options: SimulateOptions) -> Simulation:
    """Run one session.

    Raises:
        InputErrors: the scheduler's configuration is one that Volcano refuses, or something is expected of a verdict
            that there is not.
    """
    with paused_collector():
        return simulation_of(run_session(manifests, options), manifests, options)


@dataclass(frozen=True, slots=True)
class Opened:
    """A session before its first action, what it was opened on, and how long that took."""

    session: Session
    manifests: Manifests
    load: float
    open: float
    cache: SessionCache | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A session that is over, what it was opened on, and how long each part took."""

    session: FinishedSession
    manifests: Manifests
    timing: Timing
    cache: SessionCache | None = None

    def release(self) -> None:
        """Leave the cluster to the next session that is run with the same cache; this one is gone then.

        What was made of the session stays: a `Simulation`, decisions, verdicts, names, manifests.
        """
        if self.cache is not None:
            self.session.classes.forget()
            self.cache.returned = self.session.cluster
        vars(self.session).clear()


def simulation_of(finished: Finished, manifests: Manifests, options: SimulateOptions) -> Simulation:
    """Return what a session decided, with what its options ask for, and what the manifests expect of it."""
    session = finished.session
    result = assemble(session, finished.manifests, options.scenario)
    result.jobs += ignored_jobs(session)
    result.losses = lost_in(session, finished.manifests)
    result.left_to_others = left_to_others(finished.manifests) if session.cluster.left_to_others else []
    if options.nodes:
        result.nodes = node_results(session)
        note_requests(session, result.tasks)
    result.expectations = check_expectations(result, manifests.expectations)
    if options.timing:
        result.timing = finished.timing
    return tell_of_jobs(result)


def run_session(manifests: Manifests, options: SimulateOptions) -> Finished:
    """Open a session on what controllers make of some manifests, run its actions and close it.

    Raises:
        InputErrors: as for `simulate`.
    """
    opened = open_session(manifests, options)
    if options.opened is not None:
        options.opened(opened.session)
    return finish_session(opened)


def run_bare_session(completed: Manifests, options: SimulateOptions) -> Finished:
    """Run a session on objects of which nothing is left for controllers to make, with no notices about these.

    Raises:
        InputErrors: as for `simulate`.
    """
    return finish_session(_opened(completed, completed.scheduler, options, time.perf_counter()))


def open_session(manifests: Manifests, options: SimulateOptions) -> Opened:
    """Open a session on what controllers make of some manifests.

    Raises:
        InputErrors: as for `simulate`.
    """
    started = time.perf_counter()
    conf = manifests.scheduler
    refuse_unknown_verdicts(manifests.expectations)
    cache = SessionCache() if options.cache is None else options.cache
    completed = complete(manifests, cache.known_pods)
    opened = _opened(completed, conf, options, started)
    noticing = time.perf_counter()
    notice_gaps(opened.session)
    waiting = cache.made_of(completed.pods, "waiting", WaitingPods)
    notice_missing_kinds(opened.session, manifests, completed, waiting)
    found = [_leaving(each) for each in taint_evictions(completed)]
    if found:
        text = f"Kubernetes, not Volcano, evicts {count(len(found), 'pod')} for NoExecute taints of their nodes"
        opened.session.note("taint-evictions", f"{text}, after this session: {first_names(found, _MANY)}")
    notice_agents(opened.session, completed)
    labels = cache.made_of(completed.nodes, "vendor labels", vendor_labels)
    notice_vendors(opened.session, completed.shipped_by, labels)
    return replace(opened, open=opened.open + time.perf_counter() - noticing)


def _opened(completed: Manifests, conf: SchedulerConfiguration, options: SimulateOptions, started: float) -> Opened:
    """Open a session on objects that are complete; the time since it was started to prepare it counts as loading."""
    cluster = build_cluster(completed, options.cache)
    loaded = time.perf_counter()
    session = scheduler.open_session(
        cluster,
        conf,
        SessionOptions(
            now=options.now or completed.now or EPOCH,
            seed=options.seed,
            turn=completed.sessions,
            watch=options.watch,
            progress=options.progress,
            gates=options.gates,
            follow=options.follow,
            tally=options.tally,
            process=ProcessState() if options.process is None else replace(options.process),
            sample=options.sample or completed.flags.sample,
            allow_extender=options.allow_extender,
            extender=options.extender,
            profile=completed.profile,
        ),
    )
    return Opened(session, completed, loaded - started, time.perf_counter() - loaded, options.cache)


def finish_session(opened: Opened) -> Finished:
    """Run the actions of a session and close it."""
    session = scheduler.run_actions(opened.session)
    notice_reclaim(session)
    timing = Timing(
        parse=0.0,
        load=opened.load,
        open=opened.open,
        actions=session.seconds,
        session=opened.open + sum(session.seconds.values()),
        report=0.0,
    )
    return Finished(session, opened.manifests, timing, opened.cache)


# --- builds of vendors ------------------------------------------------------------------------------------------------


def vendor_labels(nodes: Iterable[k8s.Node]) -> dict[str, str]:
    """The first label of a node that a vendor gives to nodes, by the name of the vendor."""
    found: dict[str, str] = {}
    for node in nodes:
        for name, vendor in VENDORS.items():
            if name not in found:
                found.update(
                    (name, f"label {each} of node {node.metadata.name}") for each in vendor.labels(node.metadata.labels)
                )
    return found


def notice_vendors(session: Session, image_of: str, labels: Mapping[str, str]) -> None:
    """Note the vendors whose builds run the scheduler, and warn of the pods that they place."""
    asked, conf = session.profile.build.vendor, session.conf
    plugins = vendors_of_plugins(option.name for option in conf.plugins)
    for name, vendor in VENDORS.items():
        evidence = [f"plugin {plugin}" for plugin in plugins.get(name, ())[:1]]
        evidence += ["its image"] if image_of == name else []
        if not evidence and conf.source == BUILT_IN:
            # Nodes have a vendor's labels for whatever scheduler: they tell it where nothing else is known of that, and
            # where it matters.
            evidence = [labels[name]] if name in labels and _asking(session, vendor) else []
        if not evidence and asked != name:
            continue
        release = session.profile.release
        told = f"this looks like a cluster of {vendor.title}, by {listed_names(evidence)}: " if evidence else ""
        text = f"{told}Volcano {release} is modelled, without what {vendor.title} adds"
        session.note(VENDOR_BUILD, text, help="" if asked == name else f"name it with --volcano {release}+{name}")
        asking = _asking(session, vendor)
        if asking:
            pods = sorted(set().union(*asking.values()))
            verb, them = ("asks", "it") if len(pods) == 1 else ("ask", "them")
            session.warn(
                PLACED_BY_VENDOR,
                f"{first_names(pods, _FEW_PODS)} {verb} for {listed_names(sorted(asking))}: which nodes and devices "
                f"take {them} is decided by {vendor.title}, and not modelled; what a node has of that counts as any "
                "other resource",
                unknown=[f"the nodes that {vendor.title} chooses"],
            )


def _asking(session: Session, vendor: Vendor) -> dict[str, set[str]]:
    """The waiting pods that ask for what the vendor hands out, by resource; none where vqs models that."""
    options = ((session.conf.plugin(plugin), names) for plugin, names in vendor.modelled_by.items())
    if any(option is not None and option.arguments.bool(name) for option, names in options for name in names):
        return {}
    asking: dict[str, set[str]] = {}
    for task in session.tasks(TaskStatus.Pending):
        for name in filter(vendor.places, task.request.names()):
            asking.setdefault(name, set()).add(f"{task.namespace}/{task.name}")
    return asking
