"""The decisions that vqs predicts, compared with those of the cluster: how much agrees, and each difference.

A prediction is what a dump taken after some sessions would show. Pods that are bound in one session and evicted in a
later one would not be seen as either; a PodGroup's condition is the last one that was written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from vqs.explain.cycles import Cycle
from vqs.explain.outcome import Simulation, TaskResult
from vqs.verify.dumps import Decisions, Dumps, Fate, by_group
from vqs.verify.outcome import Aspect, Difference, Explanation, Tallies, Tally

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
    made: set[str] = set()
    for cycle in cycles:
        simulation = cycle.simulation
        _add_tasks(found, simulation, made | ({_key(task) for task in simulation.tasks} - set(known)))
        _add_jobs(found.decisions, simulation)
        found.ended.update(key for key in cycle.gone if key not in found.decisions.evicted and key not in made)
        for key in cycle.gone:
            found.decisions.bound.pop(key, None)
        made.update(cycle.recreated)
    return found


def _add_tasks(found: Prediction, simulation: Simulation, made: set[str]) -> None:
    """Add what a session decides on pods; those that were made are not what they were before the first session."""
    decisions = found.decisions
    group_names = {(job.namespace, job.name): job.name for job in simulation.jobs}
    decisions.messages = {}
    for task in simulation.tasks:
        key = _key(task)
        if key in made and task.job:
            found.groups[key] = f"{task.namespace}/{group_names.get((task.namespace, task.job), task.job)}"
        if task.status == _BINDING and task.status_before == _PENDING:
            decisions.bound[key] = task.node or ""
        elif task.status == _RELEASING != task.status_before and key not in made:
            decisions.evicted.add(key)
        decisions.messages[key] = _written_message(task)
        found.tied += bool(task.tied_nodes)


def _add_jobs(decisions: Decisions, simulation: Simulation) -> None:
    decisions.phases = {f"{job.namespace}/{job.name}": job.phase for job in simulation.jobs}
    written = ((job, job.unschedulable) for job in simulation.jobs)
    decisions.conditions.update({f"{job.namespace}/{job.name}": text for job, text in written if text is not None})


def _key(task: TaskResult) -> str:
    return f"{task.namespace}/{task.name}"


def _written_message(task: TaskResult) -> str:
    """Return the message of a pod's condition PodScheduled."""
    return task.message if task.pod_scheduled is None else task.pod_scheduled


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
        tallies = _all(self.tallies)
        total = sum(tally.total for tally in tallies)
        return sum(tally.matching for tally in tallies) * 1000 // total / 10 if total else 100.0


def compare(dumps: Dumps, prediction: Prediction) -> Comparison:
    """Compare what a cluster did with what vqs says."""
    real, ours = observed(dumps, prediction), prediction.decisions
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


def observed(dumps: Dumps, prediction: Prediction) -> Decisions:
    """Return the decisions of the cluster that vqs could know of.

    New pods are compared where vqs makes pods of their PodGroup too. What is uncertain of a pod that is gone is assumed
    to be what vqs predicts: that it was evicted, or ended with its job.
    """
    real, new = dumps.decisions(), dumps.decisions_on_new()
    made = set(prediction.groups.values())
    real.bound.update({key: node for key, node in new.bound.items() if dumps.groups.get(key) in made})
    real.messages.update({key: text for key, text in new.messages.items() if key in prediction.groups})
    ended = {key for key in prediction.ended if not dumps.was_evicted_by_scheduler(key)}
    real.evicted -= ended
    real.evicted |= dumps.having(Fate.GONE, Fate.RESTARTED) & prediction.decisions.evicted
    return real


def without_node(message: object) -> str:
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
        differ = (key for key in sorted(real) if without_node(real[key]) != without_node(ours.get(key)))
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
    return Tally(
        observed=len(real),
        predicted=len(real.keys() & ours.keys()),
        matching=len(real) - len(differences),
        total=len(real),
    )


def _all(tallies: Tallies) -> list[Tally]:
    return [tallies.bound, tallies.evicted, tallies.phases, tallies.conditions, tallies.messages, tallies.nodes]
