"""gangreclaim: make room for starving gangs by evicting tasks of other queues, as far as these are reclaimable.

Victims are taken queue by queue, in the order in which queues are reclaimed from: first what jobs can spare, then whole
gangs, those first that free most of what is needed for what they disrupt. No job is served a second time.

Room is looked for in one HyperNode after another, or in the whole cluster where no topology limits the gang: victims
are evicted until all of the gang is promised room there; where that fails, they are put back.

Arguments, under the configuration of the action: `maxDomains` (default 8): how many HyperNodes are tried for a job that
a network topology limits; below 1, it is 8. `allowWholeBundle` (default true): gangs may be broken. From those of
allocate, `predicateErrorCacheEnable` (default true): in a try, a node that has refused a task of a role is not asked
for that role again.
Reference: pkg/scheduler/actions/gangreclaim/gangreclaim.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vqs.engine.actions.eviction.bundles import Bundle, total_request
from vqs.engine.actions.eviction.gangs import GangEviction
from vqs.engine.framework.points import EvictionKind
from vqs.engine.framework.trace import Scope
from vqs.engine.framework.votes import Refusal
from vqs.model.cluster import Queue
from vqs.model.job import Job, Task, TaskStatus
from vqs.model.resource import Resource

NAME = "gangreclaim"


class GangReclaim(GangEviction):
    """Evict in other queues, by how queues are reclaimed from."""

    name = NAME
    kind = EvictionKind.GANG_RECLAIM
    scope = Scope.OTHER_QUEUES
    statuses = frozenset({TaskStatus.Running})

    def excluded(self, queue: Queue) -> Refusal | None:
        """Why a queue has enough already."""
        return self.session.plugins.overused(queue)

    def refusal(self, queue: Queue, waiting: Sequence[Task]) -> Refusal | None:
        """Why a queue may not reclaim for all waiting tasks of a job together."""
        return self.session.plugins.preemptive(queue, total_request(waiting))

    def gives_up_tasks(self, job: Job, preemptor: Job) -> bool:
        """True if a job is in another queue that may be reclaimed from."""
        return job.queue != preemptor.queue and self.session.queues[job.queue].reclaimable

    def in_order(self, bundles: Iterable[Bundle], preemptor: Job, need: Resource) -> list[Bundle]:
        """What jobs can spare first, then by queue, then those first that free most for what they disrupt."""
        plugins, queues = self.session.plugins, self.session.queues
        by_gain = sorted(bundles, key=lambda each: (-each.efficiency(need), each.job.uid))
        by_queue = sorted(by_gain, key=lambda each: plugins.queue_key(queues[each.job.queue]), reverse=True)
        own = queues[preemptor.queue]
        return sorted(by_queue, key=lambda each: (each.type, plugins.victim_queue_key(queues[each.job.queue], own)))
