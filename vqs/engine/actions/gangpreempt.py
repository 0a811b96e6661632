"""gangpreempt: make room for starving gangs by evicting tasks of jobs of lower priority in their own queue.

Victims are taken job by job, those that are served last first: first what jobs can spare, then whole gangs. No job is
served a second time.

Room is looked for in one HyperNode after another, or in the whole cluster where no topology limits the gang: victims
are evicted until all of the gang is promised room there; where that fails, they are put back.

Arguments, under the configuration of the action: `maxDomains` (default 8): how many HyperNodes are tried for a job that
a network topology limits; below 1, it is 8. `allowWholeBundle` (default true): gangs may be broken. From those of
allocate, `predicateErrorCacheEnable` (default true): in a try, a node that has refused a task of a role is not asked
for that role again.
Reference: pkg/scheduler/actions/gangpreempt/gangpreempt.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vqs.engine.actions.eviction.bundles import Bundle
from vqs.engine.actions.eviction.gangs import GangEviction
from vqs.engine.actions.eviction.order import is_preemptable
from vqs.engine.actions.eviction.votes import EVICTABLE
from vqs.engine.framework.points import EvictionKind
from vqs.engine.framework.trace import Scope
from vqs.engine.framework.votes import Refusal
from vqs.model.cluster import Queue
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, Task
from vqs.model.resource import Resource

NAME = "gangpreempt"


class GangPreempt(GangEviction):
    """Evict within the queue, by priority."""

    name = NAME
    kind = EvictionKind.GANG_PREEMPT
    scope = Scope.QUEUE
    statuses = EVICTABLE

    def excluded(self, queue: Queue) -> Refusal | None:
        """No refusal: every queue may help itself, and every job; but for what is proposed."""
        return None if is_preemptable(self.session, queue) else Refusal(EvictionCode.QUEUE_NOT_PREEMPTIVE)

    def refusal(self, queue: Queue, waiting: Sequence[Task]) -> Refusal | None:  # noqa: ARG002 - likewise every job
        """No refusal: every queue may help itself, and every job."""
        return None

    def gives_up_tasks(self, job: Job, preemptor: Job) -> bool:
        """True if a job is in the preemptor's queue and of lower priority."""
        return job.queue == preemptor.queue and job.priority < preemptor.priority

    def in_order(self, bundles: Iterable[Bundle], preemptor: Job, need: Resource) -> list[Bundle]:  # noqa: ARG002
        """What jobs can spare first, and of equal bundles those of the job that is served last."""
        by_job = sorted(bundles, key=lambda bundle: self.session.plugins.job_key(bundle.job), reverse=True)
        return sorted(by_job, key=lambda bundle: bundle.type)
