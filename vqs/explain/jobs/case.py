"""A job that is not placed: what a session says of it, the parameters around it, and what queues are promised.

A parameter is a number or a choice of the snapshot that may be changed, in steps. What queues are promised has to be
raised together for the webhook to accept it: a guarantee goes with a deserved amount that is no less, and that with a
capability that is no less, where there is one. What the children of a queue are promised together, the queue itself has
to be promised; the root is not asked.
Reference: pkg/webhooks/admission/queues/validate/validate_queue.go in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final, NamedTuple

from vqs.engine.actions import enqueue
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.votes import Refusal
from vqs.explain.jobs.manifest import Manifest, exact, manifest_of
from vqs.explain.rollouts import rollout_of
from vqs.explain.verdicts import OF_NODES
from vqs.model import kubernetes as k8s
from vqs.model.cluster import ROOT, QueueTree, parent_name
from vqs.model.codes import VerdictCode
from vqs.model.job import Job, Task, TaskStatus
from vqs.model.quantity import QuantityError, parse
from vqs.model.resource import PODS, Resource
from vqs.model.rollout import Rollout
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import Edit, SetValue

Value = int | str
"""A number, a quantity, or a name."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number or a choice, and its steps; step 0 is what it is now.

    Attributes:
        what: which kind of parameter, such as weight.
        of: what it belongs to: ``queue/b``, ``podgroup/ns/train``, ``node/n1``.
        resource: of which resource it is an amount; empty where it is none.
        owner: who controls what it belongs to, and would write it anew; empty where nothing does.
        named: what people call what it belongs to, where that is not its name; else empty.
        recreate: the object to delete and create again, as the field cannot be changed after creation; else empty.
        most: the last step.
        guess: the step to try first.
        value: what it is at a step.
        edits: what has to be done for it.
        as_written: the edits that people write, where these are others: none of a state that a controller brings about,
            as that a node is ready or a claim bound, and of an object that is created again what changes in it.
        parts: the changes that it stands for, each with one step, where they are several.
        daemons: the pods that each new node runs, too, in words; empty where it runs none.
        in_all: how much of the resource the job as a whole asks for at a step; None where that is not known.
    """

    what: str
    of: str
    most: int
    guess: int
    value: Callable[[int], Value]
    edits: Callable[[int], list[Edit]]
    resource: str = ""
    owner: str = ""
    recreate: str = ""
    named: str = ""
    as_written: Callable[[int], list[Edit]] | None = None
    parts: tuple[Parameter, ...] = ()
    daemons: str = ""
    in_all: Callable[[int], Value] | None = None

    @property
    def name(self) -> str:
        """What the parameter is called, for people."""
        return " ".join(part for part in (self.what, self.resource, "of", self.of) if part)

    def written(self, step: int) -> list[Edit]:
        """Return the edits that people write for a step."""
        return (self.as_written or self.edits)(step)


def set_value(kind: str, name: str, path: Path, value: Any) -> SetValue:
    """Return the edit that gives a field of an object a value; its name may begin with its namespace."""
    namespace, _, name = name.rpartition("/")
    return SetValue(kind, namespace, name, path, value)


def choice(
    what: str,
    of: str,
    before: str,
    after: str,
    edits: Sequence[Edit],
    *,
    owner: str = "",
    recreate: str = "",
    states: Sequence[Edit] = (),
) -> Parameter:
    """Return a parameter with one step, which takes edits and, after them, states that no user writes."""
    return Parameter(
        what,
        of,
        1,
        1,
        lambda step: after if step else before,
        lambda _: [*edits, *states],
        owner=owner,
        recreate=recreate,
        as_written=(lambda _: [*edits]) if states else None,
    )


CAPABILITY: Final = "capability"
GUARANTEE: Final = "guarantee"
DESERVED: Final = "deserved"
NODES: Final = "nodes"
READY: Final = "ready"
DEVICES: Final = "devices"
BOUND: Final = "bound"
SCALE_DOWN: Final = "scale-down"

_NOTHING: Final = Fraction(0)


class Raise(NamedTuple):
    """A queue is promised more: how much it deserves, or how much is kept for it."""

    queue: str
    what: str
    amount: Fraction


class Promises:
    """What queues are promised of one resource, and how much of it they may have."""

    def __init__(self, queues: Iterable[k8s.Queue], resource: str) -> None:
        specs = {each.metadata.name: each.spec for each in queues}
        self.resource = resource
        self.tree = QueueTree((name, parent_name(name, spec.parent)) for name, spec in specs.items())
        self.guaranteed = {name: amount_of(spec.guarantee.resource, resource) for name, spec in specs.items()}
        self.deserved = {name: amount_of(spec.deserved, resource) for name, spec in specs.items()}
        self.capable = {
            name: amount_of(spec.capability, resource) for name, spec in specs.items() if resource in spec.capability
        }

    def above(self, queue: str) -> list[str]:
        """Return a queue and those above it, but for the root."""
        return [name for name in dict.fromkeys((queue, *self.tree.above(queue))) if name != ROOT]

    def limit(self, queue: str) -> Fraction | None:
        """Return the capability that the one of a queue must not be above: that of the nearest queue that has one."""
        limits = (self.capable.get(name, _NOTHING) for name in self.above(queue)[1:])
        return next(filter(None, limits), None)

    def raised(
        self, queue: str, *, guarantee: Fraction = _NOTHING, deserved: Fraction = _NOTHING
    ) -> list[Raise] | None:
        """Return what has to be raised for a queue to be promised so much, in an order in which each step gets in.

        None where a capability is in the way.
        """
        line = self.above(queue)
        kept = self._up(line, self.guaranteed, {queue: guarantee})
        wanted = {**kept, queue: max(kept[queue], deserved)}
        due = self._up(line, self.deserved, wanted)
        if any(due[name] > self.capable.get(name, due[name]) for name in line):
            return None
        return [
            *(
                Raise(name, DESERVED, due[name])
                for name in reversed(line)
                if due[name] > self.deserved.get(name, _NOTHING)
            ),
            *(
                Raise(name, GUARANTEE, kept[name])
                for name in reversed(line)
                if kept[name] > self.guaranteed.get(name, _NOTHING)
            ),
        ]

    def kept(self, queue: str, guarantee: Fraction) -> Fraction:
        """Return what all queues together are guaranteed, where one of them is guaranteed so much."""
        line = self.above(queue)
        top = line[-1]
        others = (name for name in self.tree.child_names(ROOT) if name != top)
        own = self._up(line, self.guaranteed, {queue: guarantee})[top]
        return own + sum((self.guaranteed[name] for name in others), _NOTHING)

    def _up(
        self, line: Sequence[str], promised: Mapping[str, Fraction], wanted: Mapping[str, Fraction]
    ) -> dict[str, Fraction]:
        """Return what the queues of a line have to be promised, the lowest first, for each to have what it wants."""
        found: dict[str, Fraction] = {}
        for name in line:
            children = self.tree.child_names(name)
            below = sum((found.get(child, promised.get(child, _NOTHING)) for child in children), _NOTHING)
            found[name] = max(promised.get(name, _NOTHING), wanted.get(name, _NOTHING), below if found else _NOTHING)
        return found


def field_of(spec: k8s.QueueSpec, what: str) -> tuple[Path, Mapping[str, k8s.Quantity]]:
    """Return where amounts of a kind stand in a queue, and which are there."""
    if what == GUARANTEE:
        return ("spec", what, "resource"), spec.guarantee.resource
    return ("spec", what), spec.capability if what == CAPABILITY else spec.deserved


def amount_of(amounts: Mapping[str, k8s.Quantity], resource: str) -> Fraction:
    """Return how much of a resource is named; none where that cannot be read."""
    try:
        return parse(amounts[resource]) if resource in amounts else _NOTHING
    except QuantityError:
        return _NOTHING


def counted(name: str) -> str:
    """Return the resource that a name in a quota stands for."""
    return name.removeprefix("requests.").removeprefix("limits.")


OF_LIMITS: Final = (VerdictCode.NOT_ENQUEUED_CAPABILITY, VerdictCode.QUEUE_CAPABILITY, VerdictCode.QUEUE_LIMIT)
"""The verdicts that name a queue's limit, which a smaller job would keep to."""

_OF_NODES = (*OF_NODES, VerdictCode.ROLE_FAILED)


@dataclass(frozen=True)
class Case:
    """A job that is not placed, the closed session that says so, and the manifests: as given, and completed.

    `is_left` says that it is no job yet, as all of its pods ask for another scheduler.
    """

    session: FinishedSession
    job: Job
    given: Manifests
    completed: Manifests
    is_left: bool = False

    @cached_property
    def pending(self) -> list[Task]:
        """The tasks without a place, in the order of their names."""
        if not self.is_ignored:
            return self.job.unplaced()
        tasks = [each.task for each in self.session.cluster.orphans if each.task.job == self.job.uid]
        return sorted(tasks, key=lambda task: task.name)

    @property
    def is_ignored(self) -> bool:
        """Whether the scheduler ignores the job, as its queue does not exist or its pods are for another one."""
        return self.job.uid not in self.session.jobs

    @property
    def running(self) -> int:
        """How many pods of the job had a node before the session, and have not ended."""
        pods = [task.pod for task in self.job.tasks.values() if task.pod.spec.node_name]
        return sum(pod.status.phase not in k8s.ENDED_PHASES for pod in pods)

    @cached_property
    def wanted(self) -> list[Resource]:
        """What is asked for without having a place: by tasks, in the order of their names, and by pods yet to come."""
        awaited = self.session.cluster.awaited.get(self.job.uid)
        wanted = [task.request for task in self.pending]
        for role in awaited.roles if awaited else ():
            wanted += [role.request] * len(role.names)
        return wanted

    @property
    def missing(self) -> int:
        """How many more tasks the gang needs; all that wait where it has its minimum."""
        missing = self.job.min_available - self.job.ready + len(self.job.having(TaskStatus.Allocated))
        return missing if missing > 0 else max(len(self.wanted), 1)

    @cached_property
    def refusal(self) -> Refusal | None:
        """What was said of the job, of a task of it, or of its queue; the first that holds."""
        trace, uid = self.session.trace, self.job.uid
        if uid in trace.jobs and (uid in self.session.not_enqueued or trace.jobs[uid][0] != enqueue.NAME):
            return trace.jobs[uid][1]
        said = [trace.tasks[task.uid][1] for task in self.pending if task.uid in trace.tasks]
        of_tasks = sorted(said, key=lambda refusal: refusal.code == VerdictCode.ROLE_FAILED)
        of_queue = [trace.queues[self.job.queue][1]] if self.job.queue in trace.queues else []
        return next(iter((*of_tasks, *of_queue)), None)

    @property
    def rollout(self) -> Rollout | None:
        """What makes the job, in place of older pods of a Deployment; None where it replaces none."""
        return rollout_of(self.session, self.job)

    @cached_property
    def is_refused_by_nodes_alone(self) -> bool:
        """Whether no queue keeps anything from the job: it is admitted, and all its refusals are those of nodes."""
        trace = self.session.trace
        refusals = [trace.tasks[task.uid][1] for task in self.pending if task.uid in trace.tasks]
        others = self.job.uid in trace.jobs or self.job.queue in trace.queues
        return bool(refusals) and not others and all(each.code in _OF_NODES for each in refusals)

    @cached_property
    def resources(self) -> list[str]:
        """The resources that may be short: the one that was named, else all that the tasks without a place ask for."""
        if self.refusal is not None and self.refusal.resource:
            return [self.refusal.resource]
        asked = {name for request in self.wanted for name in request.names() if name != PODS}
        return sorted(asked, key=lambda name: (name not in ("cpu", "memory"), name))

    @cached_property
    def too_large(self) -> tuple[str, Fraction, Fraction] | None:
        """The first resource of which a task asks for more than any node has: the most asked for, and the most there.

        None where there are no nodes, or each amount is on some node.
        """
        nodes = self.session.nodes.nodes
        for name in sorted({name for request in self.wanted for name in request.names()}) if nodes else ():
            asked = max(self.requests(name))
            largest = max(exact(name, node.allocatable.get(name)) or Fraction(0) for node in nodes)
            if asked > largest:
                return name, asked, largest
        return None

    def owns(self, of: str) -> bool:
        """Tell whether who runs the job may change an object: its PodGroup, what makes that, or a Deployment."""
        reference = self.manifest.reference
        own = of in (f"podgroup/{self.job.uid}", reference) or of.startswith(f"{reference}:")
        return own or of.startswith("deployment/")  # the one that rolls the job out

    @property
    def line(self) -> Sequence[str]:
        """The job's queue, and the queues above it whose limits apply to the job."""
        ledger = self.session.queue_ledger
        return [self.job.queue] if ledger is None else ledger.line(self.job.queue)

    @property
    def queue_plugin(self) -> str:
        """The plugin that divides the cluster among queues; empty where none does."""
        return "" if self.session.queue_ledger is None else self.session.queue_ledger.plugin

    def queue(self, name: str) -> k8s.Queue:
        """Return a queue as it is written, or as the scheduler makes it."""
        return self._queues.get(name) or own_queue(name)

    @cached_property
    def _queues(self) -> dict[str, k8s.Queue]:
        return {each.metadata.name: each for each in reversed(self.given.queues)}

    def requests(self, resource: str) -> list[Fraction]:
        """Return what the tasks without a place ask for of a resource."""
        return [exact(resource, request.get(resource)) or Fraction(0) for request in self.wanted]

    def spared(self, code: str) -> list[tuple[Task, Refusal]]:
        """Return the tasks that a vote with this code spared in searches for victims for the job, each once."""
        victim_searches = [search for search in self.session.trace.victim_searches if search.task.job == self.job.uid]
        polls = [decision for search in victim_searches for decision in search.decisions.values()]
        votes = [(task, no) for decision in polls for task in decision.candidates for _, no in decision.votes_on(task)]
        return list({task.uid: (task, no) for task, no in votes if no is not None and no.code == code}.values())

    def of(self, job: str) -> Case:
        """Return the case of another job in the same session."""
        return replace(self, job=self.session.jobs[job])

    @cached_property
    def manifest(self) -> Manifest:
        """Where its minimum and its priority are written."""
        return manifest_of(self.job, self.given, self.completed)
