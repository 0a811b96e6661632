"""overcommit: admit no more jobs to the queues than the cluster, somewhat enlarged, has room for.

Arguments: `overcommit-factor` (number, default 1.2): by how much the cluster is enlarged; below 1 the default is taken.
It is proposed, and no release has it, that a queue may have a factor of its own: see the behaviour queue-overcommit.
Reference: pkg/scheduler/plugins/overcommit/overcommit.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf
from typing import Final

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.framework import points
from vqs.engine.framework.ledger import Gate
from vqs.engine.framework.session import Plugin, Session
from vqs.engine.framework.trace import Trace
from vqs.engine.framework.votes import Refusal, Vote
from vqs.engine.plugins.queue_account import flat_limits, inqueue_of
from vqs.model.cluster import Queue, QueueTree
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.resource import EPSILON, Resource, exceeded_part

NAME = "overcommit"

FACTOR = "overcommit-factor"


class OvercommitPlugin(Plugin):
    """Keep the sum of what the jobs in the queues still wait for below what is idle in the enlarged cluster."""

    refusals = (VerdictCode.NOT_ENQUEUED_CAPABILITY, VerdictCode.NOT_ENQUEUED_OVERCOMMIT)

    def __init__(self, option: PluginOption) -> None:
        super().__init__(option)
        self.factor: float
        self.idle = Resource()
        self.inqueue = Resource()
        self.trace: Trace
        self.budgets: QueueBudgets | None = None

    def on_session_open(self, session: Session) -> None:
        """Sum up what is idle and what the jobs that are in already will take."""
        self.trace = session.trace
        used = session.nodes.resource(session.nodes.used.sum(axis=1))
        self.factor = self.option.arguments.float(FACTOR)
        if not self.factor >= 1:
            default = self.option.arguments.default(FACTOR)
            text = f"{FACTOR} {self.factor:g} is below 1, so {default} is used, as in Volcano"
            session.warn("argument-out-of-range", f"plugin {NAME}: {text}")
            self.factor = float(default)
        self.idle = session.total_resource.clone().multiply(self.factor).sub(used)
        for job in session.jobs.values():
            if job.min_resources is not None:
                self.inqueue.add(job.noted(NAME, partial(inqueue_of, session, job)))
        if session.profile.overcommit.queue_overcommit == "limits":
            self.budgets = QueueBudgets(session, self.option, self.factor)
        session.plugins.add(points.JOB_ENQUEUEABLE, NAME, self.enqueueable)
        session.plugins.add(points.JOB_ENQUEUED, NAME, self.enqueued)
        if session.profile.enqueue.inqueue_jobs == "leave-to-others":
            session.plugins.add(points.JOB_LEFT_QUEUE, NAME, lambda job: self.left(session, job))

    def enqueueable(self, job: Job) -> Vote | Refusal:
        """Permit a job for which there is room, in each resource it asks for."""
        minimum = job.minimum()
        exceeding = self.inqueue.exceeding_with(minimum, self.idle)
        self.trace.pass_gates(job.uid, self._gates(minimum, exceeding))
        if not exceeding:
            return (self.budgets and self.budgets.refusal(job)) or Vote.PERMIT
        name = exceeding[0]
        need = self.inqueue.get(name) + minimum.get(name)
        return Refusal(
            VerdictCode.NOT_ENQUEUED_OVERCOMMIT, NAME, name, need, self.idle.get(name), text=f"{self.factor:g}"
        )

    def _gates(self, minimum: Resource, exceeding: list[str]) -> Iterator[Gate]:
        """Yield the account of a job that asks to enter."""
        nothing = Resource()
        yield Gate(NAME, "", minimum, nothing, self.inqueue.clone(), nothing, self.idle, tuple(exceeding))

    def enqueued(self, job: Job) -> None:
        """Count what a job that was admitted will take."""
        if job.min_resources is not None:
            self.inqueue.add(job.without_gated(job.minimum()))
            if self.budgets is not None:
                self.budgets.add(job.queue, job.without_gated(job.minimum()))

    def left(self, session: Session, job: Job) -> None:
        """Count no more what a job will take that was in its queue when the session opened."""
        if job.min_resources is not None:
            promised = job.noted(NAME, partial(inqueue_of, session, job))
            self.inqueue.sub(promised)
            if self.budgets is not None:
                self.budgets.add(job.queue, Resource().sub(promised))


# --- a factor of a queue's own: proposed, docs/design/queue-scoped-overcommit.md of volcano-sh/volcano ----------------


_QUEUE_FACTOR: Final = "volcano.sh/overcommit-factor"
_MOST: Final = "max-queue-overcommit-factor"


class QueueBudgets:
    """What the jobs of queues with a factor of their own may hold and be admitted for.

    The limit of a queue is taken as that of one below no other, also where queues are a tree.
    """

    def __init__(self, session: Session, option: PluginOption, factor: float) -> None:
        most = option.arguments.get(_MOST, factor)
        self._most = float(most) if isinstance(most, int | float) and most >= 1 else factor
        self._queues = session.queues
        parents = ((each.name, each.parent) for each in session.queues.values())
        self._tree = QueueTree(parents if option.enabled("enableHierarchy") else ())
        self._taken: dict[str, Resource] = {}
        self._unguaranteed = session.total_resource.clone()
        for queue in session.queues.values():
            self._unguaranteed = exceeded_part(self._unguaranteed, queue.guarantee)
        for job in session.jobs.values():
            self.add(job.queue, job.allocated.clone())
            if job.min_resources is not None:
                self.add(job.queue, inqueue_of(session, job))

    def add(self, name: str, amount: Resource) -> None:
        """Count something for a queue and those above it."""
        for queue in self._with_ancestors(name):
            self._taken.setdefault(queue.name, Resource()).add(amount)

    def refusal(self, job: Job) -> Refusal | None:
        """Why the queue of a job, or one above it, does not admit it; None where they do."""
        for queue in self._with_ancestors(job.queue):
            text = queue.object.metadata.annotations.get(_QUEUE_FACTOR)
            if text is None:
                continue
            # A factor that is none admits nothing.
            factor = min(_factor(text), self._most)
            deserved = queue.deserved or Resource()
            _, limit = flat_limits(queue, self._unguaranteed)
            budget = {
                name: min(limit.get(name), max(deserved.get(name), queue.guarantee.get(name)) * factor)
                for name in deserved.names()
                if deserved.get(name) > 0
            }
            taken = self._taken.get(queue.name, Resource())
            asked = job.minimum()
            for name in asked.names():
                need = taken.get(name) + asked.get(name)
                if name in budget and asked.get(name) > 0 and need >= budget[name] + EPSILON:
                    code = VerdictCode.NOT_ENQUEUED_CAPABILITY
                    return Refusal(code, NAME, name, need, budget[name], queue=queue.name)
        return None

    def _with_ancestors(self, name: str) -> Iterator[Queue]:
        names = dict.fromkeys((name, *self._tree.above(name)))
        return (self._queues[each] for each in names if each in self._queues)


def _factor(text: str) -> float:
    """The factor that an annotation gives; 0 where it gives none that counts."""
    try:
        factor = float(text)
    except ValueError:
        return 0
    return factor if 1 <= factor < inf else 0
