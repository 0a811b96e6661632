"""The decisions that vqs predicts, compared with those of the cluster: how much agrees, and each difference.

A prediction is what a dump taken after some sessions would show. Pods that are bound in one session and evicted in a
later one would not be seen as either; a PodGroup's condition is the last one that was written.

What changed between two dumps that neither the scheduler nor a controller did for it explains some differences. Pods
end, people delete jobs and change queues, nodes come and go. A change explains a difference of what it touches: its
job, the queue of the job, or a node that pods of the job were bound to, by the cluster or by vqs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from vqs.explain.cycles import Cycle
from vqs.explain.outcome import Simulation
from vqs.model import kubernetes as k8s
from vqs.model.cluster import ROOT
from vqs.model.keys import DEFAULT_QUEUE, SCHEDULER_NAME
from vqs.verify.dumps import Decisions, Dumps, Fate, by_group
from vqs.verify.outcome import Aspect, Change, Difference, Explanation, Tallies, Tally

_PENDING = "Pending"
_BINDING = "Binding"
_RELEASING = "Releasing"


@dataclass(slots=True)
class Prediction:
    """What sessions decide.

    Attributes:
        decisions: as a later dump shows them.
        groups: the PodGroup of each pod that controllers make on the way, by namespace/name.
        ended: the pods that controllers delete, because their job ends or is started again.
        tied: the number of tasks for which nodes were tied.
    """

    decisions: Decisions = field(default_factory=Decisions)
    groups: dict[str, str] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    tied: int = 0


def predict(cycles: Sequence[Cycle], known: Collection[str]) -> Prediction:
    """Return what sessions come to; `known` are the pods that were there before the first."""
    found = Prediction()
    decisions = found.decisions
    made: set[str] = set()
    for cycle in cycles:
        jobs = cycle.simulation.jobs
        _add_tasks(found, cycle.simulation, made, known)
        decisions.phases = {f"{job.namespace}/{job.name}": job.phase for job in jobs}
        written = ((job, job.unschedulable) for job in jobs)
        decisions.conditions.update({f"{job.namespace}/{job.name}": text for job, text in written if text is not None})
        found.ended.update(key for key in cycle.gone if key not in decisions.evicted and key not in made)
        for key in cycle.gone:
            decisions.bound.pop(key, None)
        made.update(cycle.recreated)
    return found


def _add_tasks(found: Prediction, simulation: Simulation, made: Collection[str], known: Collection[str]) -> None:
    """Add what a session decides on pods; those that were made are not what they were before the first session."""
    decisions = found.decisions
    group_names = {(job.namespace, job.name): job.name for job in simulation.jobs}
    decisions.messages = {}
    for task in simulation.tasks:
        key = f"{task.namespace}/{task.name}"
        is_made = key in made or key not in known
        if is_made and task.job:
            found.groups[key] = f"{task.namespace}/{group_names.get((task.namespace, task.job), task.job)}"
        if task.status == _BINDING and task.status_before == _PENDING:
            decisions.bound[key] = task.node or ""
        elif task.status == _RELEASING != task.status_before and not is_made:
            decisions.evicted.add(key)
        decisions.messages[key] = task.message if task.pod_scheduled is None else task.pod_scheduled
        found.tied += bool(task.tied_nodes)


_NODE: Final = re.compile(r"(assigned to|on node) \S+")
_UNEXPLAINED: Final = "not explained"
_OR_DELETED: Final = "not explained; pods that are deleted by hand are replaced in the same way"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the cluster decided, as far as vqs could know, what vqs says, and how the two compare.

    Attributes:
        real: what the cluster decided.
        ours: what vqs says.
        groups: the PodGroup of each pod that either speaks of, by namespace/name.
        tallies: how much is the same.
        differences: what is not, without an explanation yet.
    """

    real: Decisions
    ours: Decisions
    groups: Mapping[str, str]
    tallies: Tallies
    differences: list[Difference]

    @property
    def agreement(self) -> float:
        """How much agrees, in per cent, rounded down to a tenth so that only everything is 100."""
        tallies: list[Tally] = [getattr(self.tallies, name) for name in Tallies.__struct_fields__]
        total = sum(tally.total for tally in tallies)
        return sum(tally.matching for tally in tallies) * 1000 // total / 10 if total else 100.0


def compare(dumps: Dumps, prediction: Prediction) -> Comparison:
    """Compare what a cluster did with what vqs says."""
    # New pods are compared where vqs makes pods of their PodGroup too. What is uncertain of a pod that is gone is
    # assumed to be what vqs predicts: that it was evicted, or ended with its job.
    real, new, ours = dumps.decisions(), dumps.decisions_on_new(), prediction.decisions
    made = set(prediction.groups.values())
    real.bound.update({key: node for key, node in new.bound.items() if dumps.groups.get(key) in made})
    real.messages.update({key: text for key, text in new.messages.items() if key in prediction.groups})
    real.evicted -= {key for key in prediction.ended if not dumps.was_evicted_by_scheduler(key)}
    real.evicted |= dumps.having(Fate.GONE, Fate.RESTARTED) & ours.evicted
    groups = {**prediction.groups, **dumps.groups}
    placed = {} if prediction.tied else {key: node for key, node in real.bound.items() if key in ours.bound}
    find = _Differences(dumps.owners, dumps.display_names, groups)
    bound = find.counted("bound", real.bound, ours.bound)
    evicted = find.counted("evicted", real.evicted, ours.evicted)
    phases = find.of_groups("phase", real.phases, ours.phases)
    conditions = find.of_groups("condition", real.conditions, ours.conditions)
    messages = find.of_pods("message", real.messages, ours.messages)
    nodes = find.of_pods("node", placed, ours.bound)
    tallies = Tallies(
        bound=_count_tally(real.bound, ours.bound, groups),
        evicted=_count_tally(real.evicted, ours.evicted, groups),
        phases=_text_tally(real.phases, ours.phases, phases),
        conditions=_text_tally(real.conditions, ours.conditions, conditions),
        messages=_text_tally(real.messages, ours.messages, messages),
        nodes=_text_tally(placed, ours.bound, nodes),
    )
    return Comparison(real, ours, groups, tallies, [*bound, *evicted, *phases, *conditions, *messages, *nodes])


def _without_node(message: object) -> str:
    """Return a message without the node that it names: ties may decide which one, and it is compared elsewhere."""
    return _NODE.sub(r"\1 NODE", str(message or ""))


class _Differences:
    """Names what differs."""

    def __init__(self, owners: Mapping[str, str], display_names: Mapping[str, str], groups: Mapping[str, str]) -> None:
        self.owners = owners
        self.display_names = display_names
        self.groups = groups

    def counted(self, aspect: Aspect, real: Collection[str], ours: Collection[str]) -> list[Difference]:
        """Return the PodGroups whose messages count other numbers of pods."""
        theirs, mine = by_group(real, self.groups), by_group(ours, self.groups)
        differ = (group for group in sorted(theirs | mine) if theirs[group] != mine[group])
        return [self._made(aspect, group, theirs[group], mine[group]) for group in differ]

    def of_groups(self, aspect: Aspect, real: Mapping[str, str], ours: Mapping[str, str]) -> list[Difference]:
        """Return the PodGroups on which vqs and the cluster disagree."""
        differ = (group for group in sorted(real) if real[group] != ours.get(group))
        return [self._made(aspect, group, real[group], ours.get(group)) for group in differ]

    def of_pods(self, aspect: Aspect, real: Mapping[str, str], ours: Mapping[str, str]) -> list[Difference]:
        """Return the pods on which vqs and the cluster disagree."""
        differ = (key for key in sorted(real) if _without_node(real[key]) != _without_node(ours.get(key)))
        return [self._made(aspect, self.groups.get(key, ""), real[key], ours.get(key), key) for key in differ]

    def _made(self, aspect: Aspect, group: str, real: int | str, ours: int | str | None, pod: str = "") -> Difference:
        more = isinstance(real, int) and isinstance(ours, int) and real > ours
        return Difference(
            aspect=aspect,
            pod_group=group,
            job=self.owners.get(group, ""),
            display_name=self.display_names.get(group, group),
            pod=pod,
            observed=real,
            predicted=ours,
            explanation=Explanation(kind="nothing", text=_OR_DELETED if aspect == "evicted" and more else _UNEXPLAINED),
        )


def _count_tally(real: Collection[str], ours: Collection[str], groups: Mapping[str, str]) -> Tally:
    theirs, mine = by_group(real, groups), by_group(ours, groups)
    right: Counter[str] = theirs & mine
    either: Counter[str] = theirs | mine
    return Tally(observed=len(real), predicted=len(ours), matching=right.total(), total=either.total())


def _text_tally(real: Mapping[str, str], ours: Mapping[str, str], differences: Sequence[Difference]) -> Tally:
    """Count where vqs says what the cluster does; what vqs says of others is not compared."""
    right = len(real) - len(differences)
    return Tally(observed=len(real), predicted=len(real.keys() & ours.keys()), matching=right, total=len(real))


# --- what changed between the dumps -----------------------------------------------------------------------------------

_NUMBERS: Final = re.compile(r"\d+")
_OF_PODS: Final = frozenset({"bound", "evicted", "phase", "node"})
_MADE_BY_THE_SCHEDULER: Final = (ROOT, DEFAULT_QUEUE)


_Kind = TypeVar("_Kind", k8s.Node, k8s.Queue)


@dataclass(slots=True)
class Changes:
    """What changed, in words, by PodGroup, node and queue; `configuration` is empty where it is the same.

    `left` is how many pods of a PodGroup ended, or were deleted; `display_names` are what jobs are called.
    """

    left: Counter[str] = field(default_factory=Counter)
    groups: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    queues: dict[str, str] = field(default_factory=dict)
    configuration: str = ""
    display_names: Mapping[str, str] = field(default_factory=dict)

    def listed(self) -> list[Change]:
        """Return them one by one."""
        whole = [Change(object="configuration", text=self.configuration)] if self.configuration else []
        groups = {self.display_names.get(name, name): text for name, text in self.groups.items()}
        kinds = {"queue": self.queues, "node": self.nodes, "job": groups}
        return whole + [
            Change(object=f"{kind} {name}", text=text)
            for kind, texts in kinds.items()
            for name, text in sorted(texts.items())
        ]


def find_changes(dumps: Dumps, comparison: Comparison) -> Changes:
    """Find what changed; what the scheduler evicted, or controllers did about it, is no change."""
    decided = comparison.real.evicted | comparison.ours.evicted
    left = dumps.having(Fate.ENDED, Fate.GONE, Fate.RESTARTED) - decided
    altered = dict(_altered_groups(dumps, left))
    counted = Counter(group for key in left if (group := dumps.groups.get(key, "")) not in altered)
    old, new = dumps.earlier.conf, dumps.later.conf
    ended = {name: f"{number} of its pods ended, or were deleted" for name, number in counted.items() if name}
    # That queues are there which the scheduler makes is no news.
    known = {*_MADE_BY_THE_SCHEDULER} - {queue.metadata.name for queue in dumps.earlier.queues}
    queues = _altered(dumps.earlier.queues, dumps.later.queues, lambda queue: (queue.spec, queue.status.state))
    return Changes(
        left=counted,
        groups={**ended, **altered},
        nodes=dict(_nodes(dumps, left, comparison.real.bound)),
        queues={name: text for name, text in queues if name not in known},
        display_names=dumps.display_names,
        configuration="it was changed" if old and new and old.text != new.text else "",
    )


class Explainer:
    """Says which change explains a difference."""

    def __init__(self, dumps: Dumps, comparison: Comparison, changes: Changes) -> None:
        self.queues = {name: group.spec.queue for name, group in dumps.before.groups.items()}
        self.changes = changes
        self.nodes: dict[str, set[str]] = {}
        """By PodGroup, the nodes to which only the cluster, or only vqs, binds a pod of it."""
        for key, node in comparison.real.bound.items() ^ comparison.ours.bound.items():
            self.nodes.setdefault(comparison.groups.get(key, ""), set()).add(node)

    def explained(self, difference: Difference) -> str:
        """Say which change explains a difference; empty where none does."""
        changes, name = self.changes, difference.pod_group
        queue = self.queues.get(name, "")
        if changes.configuration:
            return "the scheduler's configuration was changed between the dumps"
        left, real, ours = changes.left[name], difference.observed, difference.predicted
        # As many pods ended as make up for the difference; 0 is another change than that.
        is_enough = not left or not isinstance(real, int) or not isinstance(ours, int) or abs(real - ours) <= left
        if name in changes.groups and is_enough:
            return f"changed between the dumps: {changes.groups[name]}"
        if queue in changes.queues:
            return f"changed between the dumps: queue {queue} {changes.queues[queue]}"
        # Where the cluster, or vqs, binds what the other does not.
        nodes = {str(real), str(ours)} if difference.aspect == "node" else self.nodes.get(name, set())
        touched = changes.nodes.keys() & nodes
        if difference.aspect in _OF_PODS and touched:
            node = min(touched)
            return f"changed between the dumps: node {node} {changes.nodes[node]}"
        if changes.nodes and difference.aspect not in _OF_PODS and shape(real) == shape(ours):
            return "only figures differ, and nodes changed between the dumps"
        return ""


def shape(message: object) -> str:
    """Return what is left of a message without its figures."""
    return _NUMBERS.sub("", str(message))


# --- jobs -------------------------------------------------------------------------------------------------------------


def _altered_groups(dumps: Dumps, left: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the jobs that are not what they were; a dump without any PodGroup does not have the kind."""
    same = set(dumps.common_groups)
    restarted = {dumps.groups.get(key) for key in left if dumps.fates[key] is Fate.RESTARTED}
    called = dumps.display_names
    there = {called[name] for name in dumps.after.groups}
    for name, group in dumps.before.groups.items() if dumps.after.groups else ():
        if name not in dumps.after.groups:
            yield name, "it was deleted and created again" if called[name] in there else "it was deleted"
        elif name not in same:
            yield name, "it was deleted and created again"
        elif group.spec != dumps.after.groups[name].spec:
            yield name, "the spec of its PodGroup changed"
        elif name in restarted:
            yield name, "it was restarted"


# --- nodes and queues -------------------------------------------------------------------------------------------------


def _nodes(dumps: Dumps, left: Iterable[str], bound: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the nodes that are others than they were, and those on which room came free, or was taken, unforeseen."""
    # The nodes of the pods of other schedulers, by name and uid of the pods.
    earlier, later = (
        {
            (pod.metadata.key, pod.metadata.uid): pod.spec.node_name
            for pod in side.pods
            if pod.spec.node_name
            and pod.status.phase not in k8s.ENDED_PHASES
            and pod.spec.scheduler_name != SCHEDULER_NAME
        }
        for side in (dumps.earlier, dumps.later)
    )
    freed = {dumps.before.pods[key].spec.node_name for key in left}
    freed |= {node for pod, node in earlier.items() if pod not in later}
    taken = {pod.spec.node_name for key, pod in dumps.new.items() if key not in bound}
    taken |= {node for pod, node in later.items() if pod not in earlier}
    for node in sorted((freed | taken) - {""}):
        what = "room was freed" if node in freed else "room was taken"
        yield node, f"its pods changed: {what} by pods that vqs cannot predict"
    yield from _altered(
        dumps.earlier.nodes,
        dumps.later.nodes,
        lambda node: (node.spec, node.status.allocatable, node.metadata.labels),
    )


def _altered(
    earlier: Sequence[_Kind], later: Sequence[_Kind], content: Callable[[_Kind], object]
) -> Iterator[tuple[str, str]]:
    """Yield the objects that are new, gone or different; a dump without any of a kind does not have the kind."""
    old, new = ({each.metadata.name: each for each in side} for side in (earlier, later))
    if not new:
        return
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield name, "is gone"
        elif name not in old:
            yield name, "is new"
        elif content(old[name]) != content(new[name]):
            yield name, "was changed"
