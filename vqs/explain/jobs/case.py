"""A job that is not placed: what a session says of it, and what stands around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from vqs.engine.actions import enqueue
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.votes import Refusal
from vqs.explain.jobs.manifest import Manifest, manifest_of
from vqs.explain.jobs.units import exact
from vqs.explain.verdicts import OF_NODES
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.resource import PODS, Resource
from vqs.model.task import Task, TaskStatus
from vqs.snapshot.cluster.build import own_queue
from vqs.snapshot.reading.manifests import Manifests

_OF_NODES = (*OF_NODES, VerdictCode.ROLE_FAILED)

_WAITING = (TaskStatus.Pending, TaskStatus.Pipelined, TaskStatus.Allocated)


@dataclass(frozen=True)
class Case:
    """A job that is not placed, the closed session that says so, and the manifests: as given, and completed."""

    session: FinishedSession
    job: Job
    given: Manifests
    completed: Manifests

    @cached_property
    def pending(self) -> list[Task]:
        """The tasks without a place, in the order of their names."""
        waiting = [task for status in _WAITING for task in self.job.having(status).values()]
        return sorted(waiting, key=lambda task: task.name)

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
        """How many more tasks the gang needs; at least one."""
        return max(self.job.min_available - self.job.ready + len(self.job.having(TaskStatus.Allocated)), 1)

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
