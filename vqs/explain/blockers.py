"""Everything that keeps a job from being placed: each resource, rule and limit that would if all others were lifted.

What is impossible comes first: no node has the resource, no node is large enough, the gang asks for more than the
cluster, or its queue, can ever have. It is found by holding what the job asks for against nodes that are empty, and
against limits of queues that are unused. Then comes what an owner has to change, then what time changes; these are what
the session ran into, and the limits that are exceeded when it is over. The first blocker is the headline of a job.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from vqs.engine.actions import allocate, preempt, reclaim
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.pods import pod_terms
from vqs.engine.nodes.shortage import could_hold, standing_refusals
from vqs.engine.nodes.table import Floats, Integers, Masks
from vqs.engine.plugins.predicates.plugin import PredicatesPlugin
from vqs.explain.outcome import NEARLY_UNLIMITED, Blocker, Verdict, figure, in_words
from vqs.explain.rollouts import daemons_in_words, held_by_daemons, not_offered_in_words, replaces_older
from vqs.explain.texts.node_reasons import in_a_sentence, of_tasks
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.explain.verdicts import (
    OF_NODES,
    free_together,
    ignored_verdict,
    is_left_to_others,
    job_verdict,
    lacking_pods,
    left_to_others,
    refusal_verdict,
    told_apart,
    verdict,
)
from vqs.model.cluster import ROOT, Queue
from vqs.model.codes import VerdictCode
from vqs.model.job import VALID_STATUSES, WAITING_STATUSES, Job, Task, TaskStatus
from vqs.model.resource import EPSILON, PODS, Resource
from vqs.model.wording import count, first_names, listed_names, written

_RANKS: Final = ("job", "queue", "cluster", "time")
"""Who can lift a blocker, in the order in which they are named."""

_OF_A_LIMIT: Final = (
    VerdictCode.QUEUE_LIMIT,
    VerdictCode.QUEUE_CAPABILITY,
    VerdictCode.QUEUE_OVERUSED,
    VerdictCode.CLUSTER_FULL,
)
_OF_QUEUES: Final = (
    VerdictCode.GANG_EXCEEDS_QUEUE,
    VerdictCode.NOT_ENQUEUED_CAPABILITY,
    VerdictCode.QUEUE_CAPABILITY,
    VerdictCode.QUEUE_LIMIT,
    VerdictCode.QUEUE_OVERUSED,
)
"""Blockers that are limits of a queue."""
_OF_WHAT_IS_DESERVED: Final = (VerdictCode.QUEUE_LIMIT, VerdictCode.QUEUE_OVERUSED)
_OF_THE_NODES: Final = (
    *OF_NODES,
    VerdictCode.RESOURCE_ON_NO_NODE,
    VerdictCode.GANG_EXCEEDS_CLUSTER,
    VerdictCode.CLUSTER_FULL,
)
"""Blockers with which the nodes have too little."""
_OF_OTHER_NODES: Final = (VerdictCode.ROLE_FAILED, VerdictCode.PRE_PREDICATE_FAILED, VerdictCode.NO_HYPER_NODE)
"""Verdicts on a task for which nodes were asked, though not all of them, or another task was tried on them."""
_HOSTNAME: Final = "kubernetes.io/hostname"
_NO_BLOCKER: Final = (VerdictCode.EVICTED, VerdictCode.WAITS_FOR_RELEASE, VerdictCode.PODS_NOT_CREATED)


def blockers(session: FinishedSession, job: Job, verdicts: Iterable[Verdict]) -> list[Blocker]:
    """What keeps a job, or some of its tasks, from being placed; the first is the headline."""
    if job.uid not in session.jobs:
        made = _blocker(VerdictCode.UNKNOWN_QUEUE, impossible=False, queue=job.queue)
        made.text = ignored_verdict(session, job).text
        return [made]
    demand = _Demand(session, job)
    verdicts = [each for each in verdicts if each.code not in _NO_BLOCKER]
    if (lacks := lacking_pods(session, job)) is not None:  # it is why the gang is too small
        verdicts = [lacks, *(each for each in verdicts if each.code not in (lacks.code, VerdictCode.GANG_TOO_SMALL))]
    if not (demand.waiting or demand.awaited or verdicts):
        return []
    met = [
        *(
            _blocker(VerdictCode.OTHER_SCHEDULER, text, impossible=False, tasks=pods)
            for text, pods in left_to_others(session, job)
        ),
        *_impossible(demand),
        *_met(demand, verdicts),
        *_limits_at_the_end(demand),
        *demand.short_on_nodes,
        *_reserved_not_bound(demand),
    ]
    nodes_were_asked = any(each.code in (*OF_NODES, *_OF_OTHER_NODES) for each in verdicts)
    later = [] if nodes_were_asked or not met else [*_closed_to_it(demand)]
    found: dict[tuple[str, str, str], Blocker] = {}
    for each in (*met, *later):
        known = found.setdefault((_kind(each), each.resource, each.queue), each)
        # What a queue holds at the end is what one can look up.
        if known is not each and each.code == known.code in _OF_A_LIMIT:
            known.text, known.need, known.have = _of_the_gang(demand, each), each.need, each.have
    impossible = {each.resource for each in found.values() if each.impossible}
    full = {each.resource for each in found.values() if each.code == VerdictCode.CLUSTER_FULL and each.resource}
    # What says no more than that a resource is short of which there is never enough, or is none left, is left out.
    told: dict[str, set[str]] = {
        code: impossible | full if code in OF_NODES else impossible for code in (*OF_NODES, *_OF_A_LIMIT)
    }
    left = [each for each in found.values() if each.impossible or each.resource not in told.get(each.code, ())]
    left.sort(key=lambda each: (not each.impossible, each in later, _RANKS.index(each.owner)))
    limits = {(each.queue, each.resource): each for each in reversed(left) if each.code in _OF_QUEUES}
    for each in limits.values():
        each.text += _of_its_capability(session, each) or _guaranteed_to_others(session, each)
    if left:
        first = left[0]
        beyond = _held_beyond_deserved(session, job, first.resource) if first.code in OF_NODES else ""
        if not beyond and not first.impossible and first.code in (*OF_NODES, VerdictCode.CLUSTER_FULL):
            beyond = _held_by_lower_priority(demand, first.resource)
        rollout = replaces_older(session, job, demand.shapes, first, demand.could_hold)
        first.text = f"{rollout and f'{rollout}, and '}{first.text}{beyond}{_not_offered(demand, first)}"
    return left


def blockers_of(session: FinishedSession, job: Job) -> list[Blocker]:
    """What keeps a job from being placed, where no verdicts on its tasks are at hand."""
    unplaced = [task for task in job.unplaced() if task.status is not TaskStatus.Pipelined]  # nothing blocks the others
    verdicts = [each for task in unplaced if (each := verdict(session, job, task)) is not None]
    of_job = [] if verdicts or job.waiting else [job_verdict(session, job)]
    return blockers(session, job, [*verdicts, *(each for each in of_job if each is not None)])


def _kind(blocker: Blocker) -> str:
    """What blockers have in common of which one is enough: nodes are one kind, as are limits of a queue."""
    if blocker.impossible:
        return blocker.code
    if blocker.code in (*_OF_A_LIMIT, VerdictCode.NOT_ENQUEUED_CAPABILITY):
        return "limit"
    return "nodes" if blocker.code in OF_NODES else blocker.code


# --- what a job asks for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Demand:
    """What a job asks for, in a session that is over."""

    session: FinishedSession
    job: Job

    @cached_property
    def waiting(self) -> list[Task]:
        """Its tasks that have no node yet, by name."""
        return self.job.unplaced()

    def having(self, status: TaskStatus) -> list[Task]:
        """Its tasks of a status, by name."""
        return [task for task in self.waiting if task.status is status]

    def could_hold(self, task: Task) -> Masks:
        """Which nodes could hold a task once others have left them, (nodes,); worked out once for each class."""
        fit = self.session.fit(task)
        number = fit.task_class.number
        if number not in self._holding:
            self._holding[number] = could_hold(fit, self.session.reasons)
        return self._holding[number]

    @cached_property
    def _holding(self) -> dict[int, Masks]:
        return {}

    @cached_property
    def shapes(self) -> list[Task]:
        """A pending task of each shape, but for those that wait for their scheduling gates."""
        pending = (task for task in self.having(TaskStatus.Pending) if not task.scheduling_gated)
        return list({task.shape: task for task in pending}.values())

    @cached_property
    def short_on_nodes(self) -> list[Blocker]:
        """The resources of which no node that could hold a task has enough, now or once what leaves it is gone."""
        session, found = self.session, list[Blocker]()
        told: set[str] = set()
        for task in self.shapes:
            nodes: Integers = np.flatnonzero(self.could_hold(task))
            names = [name for name in task.request.dimensions() if name not in told]
            for name in names if len(nodes) else ():
                free = session.nodes.future_idle[session.nodes.row[name]][nodes]
                need, at = task.request.get(name), int(free.argmax())
                if need - free[at] >= EPSILON:
                    told.add(name)
                    have = max(float(free[at]), 0.0)
                    rule, node = VERDICT_RULES[VerdictCode.NO_NODE_FITS], session.nodes.names[nodes[at]]
                    most = rule.said("more than free", have=in_words(name, have), node=node) if have else "any free"
                    found.append(
                        _blocker(
                            VerdictCode.NO_NODE_FITS,
                            rule.said("no pod more")
                            if name == PODS
                            else rule.said("too little free", need=in_words(name, need), resource=name, most=most),
                            impossible=False,
                            resource=name,
                            need=need,
                            have=have,
                        )
                    )
        return found

    @cached_property
    def awaited(self) -> list[tuple[Resource, int]]:
        """What its pods ask for that do not exist yet, and how many ask for that."""
        pods = self.session.cluster.awaited.get(self.job.uid)
        return [(role.request, len(role.names)) for role in pods.roles] if pods else []

    @cached_property
    def missing(self) -> list[tuple[Resource, int]]:
        """What those without a node ask for, and how many ask for that."""
        return [*_alike(self.waiting), *self.awaited]

    @cached_property
    def all(self) -> list[tuple[Resource, int]]:
        """What all of its tasks ask for that count for its gang, and how many ask for that."""
        return [*_alike(self.members), *self.awaited]

    @cached_property
    def members(self) -> list[Task]:
        """All of its tasks that count for its gang."""
        return [task for status in VALID_STATUSES for task in self.job.having(status).values()]

    @property
    def minimum(self) -> int:
        """How many of its tasks have to be placed at once."""
        return max(self.job.min_available, 1)

    def gang(self, resource: str) -> float:
        """The least that as many of its tasks as its gang needs ask for of a resource."""
        least, missing = 0.0, self.minimum
        for amount, number in sorted((request.get(resource), number) for request, number in self.all):
            taken = min(number, missing)
            least, missing = least + taken * amount, missing - taken
        return 0.0 if missing else least

    def stops_minimum(self, resource: str, most: float) -> bool:
        """True if the tasks that request at most `most` of a resource are too few for the job to start."""
        left = Counter(
            task.role
            for task in self.members
            if task.status not in WAITING_STATUSES or task.request.get(resource) - most < EPSILON
        )
        awaited = sum(number for request, number in self.awaited if request.get(resource) - most < EPSILON)
        counts_roles = not awaited and self.job.min_available >= self.job.min_task_total
        roles = self.job.min_task_member if counts_roles else {}
        return left.total() + awaited < self.minimum or any(left[role] < need for role, need in roles.items())

    @cached_property
    def resources(self) -> list[str]:
        """The resources that those without a node ask for, cpu and memory first."""
        names = dict.fromkeys(
            name for request, _ in self.missing for name in request.dimensions() if name != PODS and request.get(name)
        )
        return list(names)

    @property
    def who(self) -> str:
        """The job's gang, or its task, as the subject of a sentence about what they request."""
        if self.minimum == 1:
            return "its task requests"
        return f"its gang needs {count(self.minimum, 'task')}, which together request"


def _alike(tasks: Iterable[Task]) -> Iterator[tuple[Resource, int]]:
    """Yield what tasks ask for, and how many ask for that."""
    found: dict[int, tuple[Resource, int]] = {}
    for task in tasks:
        request, number = found.get(task.shape, (task.request, 0))
        found[task.shape] = request, number + 1
    yield from found.values()


# --- the impossible ---------------------------------------------------------------------------------------------------


def _impossible(demand: _Demand) -> Iterator[Blocker]:
    """Yield what stops the job even if nothing else ran."""
    if not len(demand.session.nodes):
        return
    nowhere = list(_on_no_node(demand))
    yield from nowhere
    large = list(_too_large(demand, {each.resource for each in nowhere}))
    yield from large
    known = {each.resource for each in (*nowhere, *large)}
    if not known:
        yield from _more_than_the_cluster(demand)
    session, ledger = demand.session, demand.session.queue_ledger
    if ledger is None or session.standstill:
        return
    least = demand.job.min_resources
    for queue in ledger.line(demand.job.queue):
        limit = session.closed_queues[queue].real_capability
        for name in (each for each in demand.resources if each not in known):
            need, have = max(demand.gang(name), least.get(name) if least else 0.0), limit.get(name)
            if have >= NEARLY_UNLIMITED or need - have < EPSILON or _is_whole(session, name, have):
                continue
            yield _blocker(
                VerdictCode.GANG_EXCEEDS_QUEUE,
                demand.who,
                resource=name,
                need=need,
                have=have,
                queue=queue,
                tasks=demand.minimum,
            )


def _on_no_node(demand: _Demand) -> Iterator[Blocker]:
    for name in demand.resources:
        if demand.session.total_resource.get(name) < EPSILON:
            asking = [(request.get(name), number) for request, number in demand.missing if request.get(name)]
            tasks, need = sum(number for _, number in asking), max(each for each, _ in asking)
            case = "one task" if tasks == 1 else "several tasks"
            who = VERDICT_RULES[VerdictCode.RESOURCE_ON_NO_NODE].said(case, tasks=f"{tasks:,}")
            yield _blocker(
                VerdictCode.RESOURCE_ON_NO_NODE,
                who,
                stops_minimum=demand.stops_minimum(name, 0.0),
                resource=name,
                need=need,
                have=0.0,
                tasks=tasks,
            )


def _too_large(demand: _Demand, without: set[str]) -> Iterator[Blocker]:
    """Yield for each resource the task that asks for more of it than any node has; or for more together.

    What daemons take of a node, the task never has.
    """
    nodes = demand.session.nodes
    told, rule = set(without), VERDICT_RULES[VerdictCode.LARGER_THAN_ANY_NODE]
    for request, number in demand.missing:
        names = [name for name in request.dimensions() if name in nodes.row and name not in without]
        rows = [nodes.row[name] for name in names]
        have = nodes.allocatable[rows] - held_by_daemons(demand.session)[rows]
        need = np.array([request.get(name) for name in names])[:, None]
        if (need - have < EPSILON).all(axis=0).any() or not names:
            continue
        beyond = [name for at, name in enumerate(names) if not (need[at] - have[at] < EPSILON).any()]
        if not beyond:
            fits_alone = (need - nodes.allocatable[rows] < EPSILON).all(axis=0).any()
            beside = rule.said("beside daemons") if fits_alone else ""
            yield _blocker(
                VerdictCode.LARGER_THAN_ANY_NODE,
                f"{rule.said('all at once', request=_written(request))}{beside}",
                stops_minimum=sum(each for _, each in demand.all) - number < demand.minimum,
                tasks=number,
            )
        for name in (each for each in beyond if each not in told):
            told.add(name)
            largest = float(have[names.index(name)].max())
            yield _blocker(
                VerdictCode.LARGER_THAN_ANY_NODE,
                rule.said("any", why=_more_than_the_largest(demand, name, request.get(name))),
                stops_minimum=demand.stops_minimum(name, largest),
                resource=name,
                need=request.get(name),
                have=largest,
                tasks=number,
            )


def _more_than_the_largest(demand: _Demand, name: str, need: float) -> str:
    """Say that a task requests more than the largest node has; or than daemons leave of it, where it has as much."""
    nodes, row = demand.session.nodes, demand.session.nodes.row[name]
    has, held = nodes.allocatable[row], held_by_daemons(demand.session)[row]
    rule = VERDICT_RULES[VerdictCode.LARGER_THAN_ANY_NODE]
    if not (need - has < EPSILON).any():
        asked, most = told_apart(name, need, float(has.max()))
        return rule.said("largest", need=asked, resource=name, have=most)
    at = int((has - held).argmax())
    node = "the largest node" if has[at] == has.max() else f"node {nodes.names[at]}, which comes closest,"
    kinds = daemons_in_words(demand.session, nodes.names[at])
    whose = " and ".join(each for each in ("DaemonSet", "static") if each in kinds) + " pods"
    most = in_words(name, float(has[at]))
    if name == PODS:
        return rule.said("pods of daemons", node=node, pods=count(int(has[at]), "pod"), whose=whose)
    asked, taken = in_words(name, need), in_words(name, float(held[at]))
    return rule.said("taken by daemons", need=asked, resource=name, node=node, have=most, whose=whose, taken=taken)


def _more_than_the_cluster(demand: _Demand) -> Iterator[Blocker]:
    """Yield what the gang asks for that all nodes together do not have, or have no room for, when they are empty."""
    session, minimum = demand.session, demand.minimum
    short = [name for name in demand.resources if demand.gang(name) - session.total_resource.get(name) >= EPSILON]
    for name in short:
        need, have = demand.gang(name), session.total_resource.get(name)
        yield _blocker(VerdictCode.GANG_EXCEEDS_CLUSTER, demand.who, resource=name, need=need, have=have, tasks=minimum)
    gang = demand.members
    if short or minimum <= 1 or demand.awaited or len(demand.all) != 1 or len(gang) < minimum or not demand.waiting:
        return
    ever = _Room(session, demand.waiting[0], everywhere=True)
    room = ever if ever.places(gang) < minimum else _Room(session, demand.waiting[0], everywhere=False)
    fits = room.places(gang)
    if fits < minimum and (fits or room is ever):
        made = _blocker(
            VerdictCode.GANG_EXCEEDS_CLUSTER,
            impossible=room is ever,
            need=float(minimum),
            have=float(fits),
            tasks=minimum,
        )
        key, refusals, rule = room.kept_apart(gang)[0], room.refusals, VERDICT_RULES[VerdictCode.GANG_EXCEEDS_CLUSTER]
        made.text = rule.said(
            ("apart on nodes" if key == _HOSTNAME else "apart elsewhere") if key else "no room",
            tasks=f"{minimum:,}",
            key=key,
            request=_written(gang[0].request),
            nodes="the nodes" if room.everywhere else "the nodes that they may use",
            fits=f"{fits:,}",
        )
        made.text += rule.said("others", refusals=refusals) if refusals else ""
        yield made


class _Room:
    """The nodes when they are empty, for tasks like one."""

    def __init__(self, session: FinishedSession, task: Task, *, everywhere: bool) -> None:
        """Take the nodes that are large enough, or `everywhere` is false, those of them that the task may use."""
        nodes = session.nodes
        self.session = session
        self.task = task
        self.everywhere = everywhere
        usable = np.ones(len(nodes), np.bool_) if everywhere else could_hold(session.fit(task), session.reasons)
        names = [name for name in task.request.dimensions() if task.request.get(name) and name in nodes.row]
        need: Floats = np.array([task.request.get(name) for name in names])[:, None]
        have = nodes.allocatable[[nodes.row[name] for name in names]]
        fits = np.floor((have + EPSILON) / need).min(axis=0) if names else np.full(len(nodes), np.inf)
        self.fits: Floats = np.where(usable, np.minimum(fits, nodes.max_tasks), 0.0)

    @property
    def refusals(self) -> str:
        """Why the task may not use the other nodes, in words; empty where all are taken."""
        if self.everywhere:
            return ""
        refused = standing_refusals(self.session.fit(self.task), self.session.reasons)
        reasons = self.session.reasons.fit_errors(refused).reasons
        return ", ".join(f"{number:,} {in_a_sentence(reason, number)}" for reason, number in sorted(reasons.items()))

    def places(self, tasks: Sequence[Task]) -> int:
        """How many of some tasks like the one have room at once."""
        return int(min(float(self.fits.sum()), self.kept_apart(tasks)[1], len(tasks)))

    def kept_apart(self, tasks: Sequence[Task]) -> tuple[str, float]:
        """The node label whose values tell apart where tasks have to go, and how many have room then.

        Empty, and no limit, where they may be together, or the scheduler does not look at that.
        """
        plugins = (each for each in self.session.node_plugins.predicates if isinstance(each, PredicatesPlugin))
        plugin = next(plugins, None)
        affinity, namespace = self.task.pod.spec.affinity, self.task.namespace
        if plugin is None or not plugin.pod_affinity or affinity is None:
            return "", np.inf
        found = [
            (self._domains(term.topology_key), term.topology_key)
            for term in pod_terms(affinity, namespace).anti_affinity
            if all(term.selects(namespace, {}, task.pod.metadata.labels) for task in tasks)
        ]
        places, key = min(found, default=(np.inf, ""))
        return (key, places) if places < self.fits.sum() else ("", np.inf)

    def _domains(self, key: str) -> float:
        """How many tasks have room where each value of a label takes one; nodes without the label are no domain."""
        domains: dict[str, float] = {}
        without = 0.0
        for fits, node in zip(self.fits.tolist(), self.session.nodes.nodes, strict=True):
            value = node.object.metadata.labels.get(key)
            if value is None:
                without += fits
            else:
                domains[value] = max(domains.get(value, 0.0), min(fits, 1.0))
        return without + sum(domains.values())


def _of_its_capability(session: FinishedSession, blocker: Blocker) -> str:
    """Say that a queue deserves no more, as its capability is no larger; empty where that is not so."""
    name, queue = blocker.resource, session.queues.get(blocker.queue)
    if queue is None or queue.capability is None or blocker.code not in _OF_WHAT_IS_DESERVED:
        return ""
    capability = queue.capability.get(name)
    deserved = session.closed_queues[queue.name].deserved.get(name)
    if not capability or capability - deserved >= EPSILON:
        return ""
    return f"; its capability is {in_words(name, capability)}"


def _not_offered(demand: _Demand, blocker: Blocker) -> str:
    """Say which nodes have more of what is short than they offer; empty where none has."""
    if blocker.code not in _OF_THE_NODES:
        return ""
    session, names = demand.session, [blocker.resource] if blocker.resource else []
    if blocker.code == VerdictCode.GANG_EXCEEDS_CLUSTER:  # so many tasks have no room, whichever resource it is
        names = names or demand.resources

    def said(name: str) -> str:
        nodes = (node.object for node in session.nodes.nodes)
        return session.noted(f"not offered: {name}", lambda: not_offered_in_words(nodes, name))

    return next((f"; {each}" for each in map(said, names) if each), "")


def _guaranteed_to_others(session: FinishedSession, blocker: Blocker) -> str:
    """Say what is guaranteed to other queues, where that is what a queue's limit is due to; empty where it is not."""
    name, ledger = blocker.resource, session.queue_ledger
    if (
        ledger is None
        or blocker.have is None
        or blocker.queue not in ledger.accounts
        or blocker.code == VerdictCode.QUEUE_OVERUSED
    ):
        return ""
    limit = session.closed_queues[blocker.queue].real_capability.get(name)
    if in_words(name, limit) != written(name, blocker.have):
        return ""
    if blocker.code == VerdictCode.QUEUE_LIMIT:  # its weight alone may give it just that
        weights = sum(session.queues[each].weight for each in ledger.accounts)
        part = session.total_resource.get(name) * session.queues[blocker.queue].weight / max(weights, 1)
        if abs(part - limit) < EPSILON:
            return ""
    line, others = ledger.line(blocker.queue), list[Queue]()
    for queue in (session.queues[each] for each in line if each in session.queues):
        own = None if queue.capability is None else queue.capability.get(name)
        if own and own - session.closed_queues[queue.name].real_capability.get(name) < EPSILON:
            break
        beside = (each for each in session.queues.values() if len(line) == 1 or each.parent == queue.parent)
        others += [each for each in beside if each is not queue and each.guarantee.get(name)]
    if not others:
        return ""
    kept = Resource.total(each.guarantee for each in others).get(name)
    names = [each.name for each in sorted(others, key=lambda each: (-each.guarantee.get(name), each.name))]
    who = f"queue {names[0]} is" if len(names) == 1 else f"queues {first_names(names)} are together"
    return f"; {who} guaranteed {in_words(name, kept)} {name}"


def _held_beyond_deserved(session: FinishedSession, job: Job, resource: str) -> str:
    """Say which queue holds most beyond what it deserves of what a job's queue deserves and lacks; empty for none."""
    ledger, figures = session.queue_ledger, session.closed_queues
    if ledger is None or not resource or job.queue not in figures:
        return ""
    own, line = figures[job.queue], ledger.line(job.queue)
    if own.deserved.get(resource) - own.allocated.get(resource) < EPSILON:
        return ""
    holders = session.noted(f"beyond deserved: {resource}", lambda: _beyond_deserved(session, resource))
    most, amount = next((each for each in holders if each[0] not in line), ("", 0.0))
    if not most:
        return ""
    why = ""
    if reclaim.NAME not in session.conf.actions:
        why = ", and the action reclaim is not configured"
    elif not session.queues[most].reclaimable:
        why = ", and reclaim may take nothing from it (reclaimable: false)"
    return f"; queue {most} holds {in_words(resource, amount)} {resource} beyond what it deserves{why}"


def _held_by_lower_priority(demand: _Demand, resource: str) -> str:
    """Say which jobs of a lower priority hold, in a job's queue and on its nodes, what it lacks and preempt could take.

    Empty where none does, or the action preempt is configured.
    """
    session, job = demand.session, demand.job
    if preempt.NAME in session.conf.actions or not demand.shapes:
        return ""
    usable = np.logical_or.reduce([demand.could_hold(task) for task in demand.shapes])

    def holds_it(task: Task) -> bool:
        is_usable = task.node in session.nodes.index and usable[session.nodes.index[task.node]]
        return bool(is_usable and task.preemptable and (not resource or task.request.get(resource)))

    lower = [
        each
        for each in session.jobs.values()
        if each.queue == job.queue
        and each.priority < job.priority
        and any(map(holds_it, each.having(TaskStatus.Running).values()))
    ]
    if not lower:
        return ""
    lower.sort(key=lambda each: (each.priority, each.display_name))
    names, verb = first_names([each.display_name for each in lower], 2), "runs" if len(lower) == 1 else "run"
    return f"; {names} of a lower priority {verb} in its queue, and the action preempt is not configured"


def _beyond_deserved(session: FinishedSession, resource: str) -> list[tuple[str, float]]:
    """The queues without others below them that hold more of a resource than they deserve, those with most first."""
    above = {each.parent for each in session.queues.values()} | {ROOT}
    beyond = {
        name: each.allocated.get(resource) - each.deserved.get(resource)
        for name, each in session.closed_queues.items()
        if name not in above
    }
    for name, reserved in session.reserved_in_queues.items():
        if name in beyond:
            beyond[name] -= reserved.get(resource)
    return sorted(((name, amount) for name, amount in beyond.items() if amount >= EPSILON), key=lambda each: -each[1])


def _is_whole(session: FinishedSession, resource: str, limit: float) -> bool:
    """True if a limit is all that the nodes have: what is short then is the cluster, not the queue's part of it."""
    return session.total_resource.get(resource) - limit < EPSILON


# --- what the session ran into ----------------------------------------------------------------------------------------


def _met(demand: _Demand, verdicts: Iterable[Verdict]) -> Iterator[Blocker]:
    """Yield what the verdicts say, and what allocate said of tasks for which an action reserved nodes after that."""
    session, job = demand.session, demand.job
    before = ((task, session.trace.before_place.get(task.uid)) for task in demand.having(TaskStatus.Pipelined))
    refused = [refusal_verdict(session, job, task, *said, errors=None) for task, said in before if said is not None]
    told = [each for each in (*verdicts, *refused) if each.code not in _NO_BLOCKER]
    if not demand.waiting:  # what is left to others is a blocker of its own
        told = [
            each
            for each in told
            if each.code != VerdictCode.OTHER_SCHEDULER and not is_left_to_others(session, job, each)
        ]
    causes = [each for each in told if not VERDICT_RULES[each.code].follows] or told
    tasks = Counter(each.text for each in causes)
    for text, cause in {each.text: each for each in causes}.items():
        made = _of_verdict(demand, cause, tasks[text])
        if made.code in OF_NODES and not made.resource and made.owner == "time" and demand.short_on_nodes:
            short = demand.short_on_nodes[0]
            made.resource, made.need, made.have, made.text = short.resource, short.need, short.have, short.text
        if made.code in (*OF_NODES, *_OF_A_LIMIT):
            made.text = _of_the_gang(demand, made)
        yield made


def _of_verdict(demand: _Demand, verdict: Verdict, tasks: int) -> Blocker:
    rule = VERDICT_RULES[verdict.code]
    made = Blocker(
        code=verdict.code,
        owner=rule.owner,
        resource=verdict.resource,
        need=verdict.need,
        have=verdict.have,
        queue=verdict.queue if rule.owner == "queue" else "",
        node=verdict.node,
        tasks=tasks,
        text=of_tasks(verdict, tasks),
    )
    if verdict.code in OF_NODES and not any(
        demand.could_hold(task).any() for task in demand.having(TaskStatus.Pending)
    ):
        made.owner = "job"
    if verdict.code in _OF_A_LIMIT and verdict.resource:
        limit = demand.session.closed_queues[verdict.queue or demand.job.queue]
        most = limit.deserved if verdict.code != VerdictCode.QUEUE_CAPABILITY else limit.real_capability
        if _is_whole(demand.session, verdict.resource, most.get(verdict.resource)):
            made.code, made.owner, made.queue = VerdictCode.CLUSTER_FULL.value, "cluster", ""
            name = verdict.resource
            pending = (task.request.get(name) for task in demand.having(TaskStatus.Pending))
            least = min((each for each in pending if each), default=0.0)
            is_full = limit.allocated.get(name) + least - most.get(name) >= EPSILON
            need, have, of = written(name, verdict.need), in_words(name, most.get(name)), VERDICT_RULES[made.code]
            case = "alone" if verdict.code == VerdictCode.QUEUE_OVERUSED else "with one more"
            holds = of.said(case, queue=verdict.queue, need=need, resource=name, have=have)
            made.text = of.said("now" if is_full else "then", holds=holds)
    return made


_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _of_the_gang(demand: _Demand, blocker: Blocker) -> str:
    """Say for how many tasks of the gang a node was found, where it was for some, and what the others met.

    They found it, and do not have it any more, where the gang was rolled back.
    """
    lack = demand.session.gang(demand.job).shortfall
    if lack.role or lack.need is None or not lack.have or lack.have >= lack.need:
        return blocker.text
    need, have = int(lack.need), int(lack.have)
    left = need - have
    rest = f"the {_ORDINALS[have]}" if left == 1 and need <= len(_ORDINALS) else f"the other {left:,}"
    why = blocker.text
    if blocker.code in OF_NODES and blocker.resource and blocker.node:
        has, asks = (written(blocker.resource, each) for each in (blocker.have, blocker.need))
        free = f"{has} is free on node {blocker.node}, which comes closest"
        if blocker.have == 0:
            example = ", for example," if len(demand.session.nodes) > 1 else ""
            free = f"node {blocker.node}{example} has none free"
        why = f"{blocker.resource} is short: a task requests {asks}, and {free}{_free_in_parts(demand, blocker)}"
    rolled_back = any(task.last_transaction is not None for task in demand.having(TaskStatus.Pending))
    verb = "found" if rolled_back else "has" if have == 1 else "have"
    return f"{have:,} of the {need:,} tasks that its gang needs {verb} a node; for {rest}, {why}"


def _free_in_parts(demand: _Demand, blocker: Blocker) -> str:
    """Say how much of a resource is free in parts that are each too small; empty where that is not what is short."""
    if blocker.code != VerdictCode.FRAGMENTED:
        return ""
    name, asked = blocker.resource, written(blocker.resource, blocker.need)
    asking = (each for each in demand.having(TaskStatus.Pending) if in_words(name, each.request.get(name)) == asked)
    task = next(asking, None)
    if task is None:
        return ""
    together = in_words(name, free_together(demand.session, task, name))
    return f"; at the end of the session, the nodes that may take it have {together} free together (fragmented)"


def _limits_at_the_end(demand: _Demand) -> Iterator[Blocker]:
    """Yield the limits of the queue, and of those above it, that leave no room for one more task at the end."""
    session, ledger = demand.session, demand.session.queue_ledger
    pending = [task.request for task in demand.having(TaskStatus.Pending) if not task.scheduling_gated]
    if ledger is None or session.standstill:
        return
    code = VerdictCode.QUEUE_CAPABILITY if ledger.plugin == "capacity" else VerdictCode.QUEUE_LIMIT
    for queue in ledger.line(demand.job.queue):
        held, limit = session.closed_queues[queue].allocated, ledger.accounts[queue].limit
        for name in demand.resources:
            need = min((request.get(name) for request in pending if request.get(name)), default=0.0)
            have = limit.get(name)
            if need and have < NEARLY_UNLIMITED and held.get(name) + need - have >= EPSILON:
                yield _at_the_limit(demand, code, queue, name, held=held.get(name), need=need, have=have)


def _closed_to_it(demand: _Demand) -> Iterator[Blocker]:
    """Yield why no node takes a task that was not tried on any, where all that are large enough refuse it for good."""
    session, told = demand.session, set[str]()
    for task in demand.shapes:
        if demand.could_hold(task).any():
            continue
        errors = session.reasons.fit_errors(standing_refusals(session.fit(task), session.reasons))
        if not errors.nodes:  # none is large enough
            continue
        number, reasons = errors.nodes, sorted(errors.reasons.items(), key=lambda each: (-each[1], each[0]))
        parts = [f"{'' if each == number else f'{each:,} '}{in_a_sentence(why, each)}" for why, each in reasons]
        every = "the only node that is" if number == 1 else f"all {number:,} nodes that are"
        text = f"{every} large enough for a task {' and '.join(parts)}"
        if any(each != number for _, each in reasons):
            text = f"of the {number:,} nodes that are large enough for a task, {'; '.join(parts)}"
        if text not in told:
            told.add(text)
            made = _blocker(VerdictCode.NO_NODE_FITS, text, impossible=False)
            made.owner = "job"
            yield made


def _at_the_limit(
    demand: _Demand, code: VerdictCode, queue: str, resource: str, *, held: float, need: float, have: float
) -> Blocker:
    """A limit that leaves no room for one more task; of what is held, what is reserved for the job is told apart."""
    reserved = sum(task.request.get(resource) for task in demand.having(TaskStatus.Pipelined))
    held -= reserved
    limit, full = VERDICT_RULES[code], VERDICT_RULES[VerdictCode.CLUSTER_FULL]
    # How many tasks the gang needs beside those that have a node, and the least that as many request.
    missing = demand.minimum - (len(demand.members) - len(demand.waiting))
    gang = sum(sorted(task.request.get(resource) for task in demand.waiting)[: max(missing, 0)])
    of_the_gang = reserved > 0 and missing > 1 and held + gang - have >= EPSILON
    need = gang if of_the_gang else reserved + need
    then, most = told_apart(resource, held + need, have)
    holds = in_words(resource, held)
    words = {
        "queue": queue,
        "resource": resource,
        "part": f"{'the' if most == '1' else 'all'} {most}" if holds == most else f"{holds} of the {most}",
        "held": holds,
        "have": most,
        "may_hold": "deserves" if code == VerdictCode.QUEUE_LIMIT else "may hold",
    }
    text = limit.said("above the limit" if held - have >= EPSILON else "at the limit", **words)
    asks = limit.said("one task waits", need=in_words(resource, need - reserved))
    if of_the_gang:
        asks = limit.said("gang waits", tasks=f"{missing:,}", need=in_words(resource, gang))
    elif reserved:
        case = "one reserved" if reserved == 1 else "some reserved"
        asks = limit.said(case, reserved=in_words(resource, reserved)) + asks
    elif in_words(resource, held + need) == in_words(resource, have):
        asks = limit.said("one more task", then=then)
    whole = _is_whole(demand.session, resource, have)
    if whole and have < EPSILON:
        text = full.said("none" if len(demand.session.nodes) else "no nodes", resource=resource)
        asks = full.said("requests", need=in_words(resource, need))
    elif not reserved and need - have >= EPSILON:
        asked, words["have"] = told_apart(resource, need, have)
        text = limit.said("requests", need=asked, resource=resource)
        asks = (full if whole else limit).said("too large", **words)
    elif whole:
        text = full.said("at the limit", **words)
    made = _blocker(
        VerdictCode.CLUSTER_FULL if whole else code,
        impossible=False,
        resource=resource,
        need=held + need,
        have=have,
        queue="" if whole else queue,
    )
    made.text = f"{text}{asks}"
    return made


def _reserved_not_bound(demand: _Demand) -> Iterator[Blocker]:
    """Yield an action that reserves a node where allocate never places the task.

    Either allocate is not configured, or it comes later and finds no pending task, though the node has room already.
    """
    session, actions = demand.session, list(demand.session.conf.actions)
    for task in demand.having(TaskStatus.Pipelined):
        search = session.searches_by_preemptor.get(task.uid)
        if search is None:
            continue
        case = ""
        if allocate.NAME not in actions:
            case = "no allocate"
        elif (
            actions.index(search.action) < actions.index(allocate.NAME)
            and not search.victims
            and not session.leaving_before(task)
        ):
            case = "before allocate"
        if case:
            rule = VERDICT_RULES[VerdictCode.RESERVED_NOT_BOUND]
            text = rule.said(case, action=search.action, node=task.node, task=task.name)
            yield _blocker(VerdictCode.RESERVED_NOT_BOUND, text, impossible=False)
            return


def _blocker(
    code: VerdictCode,
    text: str = "",
    *,
    impossible: bool = True,
    stops_minimum: bool = True,
    resource: str = "",
    need: float | None = None,
    have: float | None = None,
    queue: str = "",
    tasks: int = 0,
) -> Blocker:
    """A blocker whose sentence is that of its rule; `text` is what this leaves to the case."""
    rule, (asked, there) = VERDICT_RULES[code], told_apart(resource, need, have)
    return Blocker(
        code=code.value,
        impossible=impossible,
        blocks_min_available=impossible and stops_minimum,
        owner=rule.owner,
        resource=resource,
        need=figure(resource, need),
        have=figure(resource, have),
        queue=queue,
        tasks=tasks,
        text=rule.sentence.format(
            text=text, resource=resource, need=asked, have=there, queue=queue, the_task="one more task"
        ),
    )


def _written(request: Resource) -> str:
    """What a task requests, as one would write it."""
    names = [name for name in request.dimensions() if name != PODS and request.get(name)]
    return listed_names([f"{in_words(name, request.get(name))} {name}" for name in names]) or "no resources"
