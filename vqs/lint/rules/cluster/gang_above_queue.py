"""A gang that is larger than the limit of its queue."""

from collections.abc import Iterator, Sequence

from vqs.engine.framework.ledger import QueueLedger
from vqs.lint.amounts import quantity
from vqs.lint.plugins import is_given
from vqs.lint.pod_groups import GroupPlaces, gang_request, waiting_jobs
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT
from vqs.model.job import PENDING, Job
from vqs.model.resource import EPSILON, PODS, Resource, maximum
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find gangs above the real capability of their queue, or of one above it, and not above the cluster."""
    ledger = context.session.queue_ledger
    if ledger is None or context.session.standstill or not context.session.nodes.nodes:
        return
    places = GroupPlaces(context)
    known = ledger.at_open
    for job in waiting_jobs(context):
        line = ledger.line(job.queue) if job.queue in known else ()
        found = (_judge(context, job, queue, ledger, places) for queue in line)
        yield from [finding for finding in found if finding is not None][:1]


def _judge(context: LintContext, job: Job, queue: str, ledger: QueueLedger, places: GroupPlaces) -> Finding | None:
    figures, line = ledger.at_open[queue], ledger.line(job.queue)
    total, real = context.session.total_resource, figures.real_capability
    # proportion lets a queue have what it is guaranteed, even above its capability
    needs = [(gang_request(job), maximum(real, figures.guarantee), "minMember")]
    if "enqueue" in context.conf.actions and job.phase in (PENDING, ""):
        needs.append((job.minimum(), real, "minResources"))
    for need, limit, field in needs:
        names = [name for name in need.names() if name != PODS]
        above = [name for name in names if limit.get(name) + EPSILON <= need.get(name) <= total.get(name)]
        if above:
            name, place = above[0], places.at(job.uid, "spec", field)
            if place.path == ("spec", "minResources"):
                place = place.at(name)
            whose = f"its queue {queue}" if queue == job.queue else f"queue {queue} above its queue {job.queue}"
            minimum = f"minimum of {count(job.min_available, 'pod')}" if field == "minMember" else field
            message = (
                f"{job.display_name} needs {quantity(name, need.get(name))} for its {minimum}, and {whose} "
                f"may hold at most {quantity(name, limit.get(name)) if limit.get(name) else f'0 {name}'}"
            )
            return Finding(message, place, (_limit(context, line, name, limit), *_reclaim(context, job, ledger)))
    return None


def _reclaim(context: LintContext, job: Job, ledger: QueueLedger) -> Iterator[Evidence]:
    """Warn of useless evictions, where the job may be admitted."""
    actions, known, least = context.conf.actions, ledger.at_open, job.minimum()
    asks = "enqueue" in actions and job.phase in (PENDING, "")
    is_refused = asks and any(least.exceeding(known[name].real_capability, least) for name in ledger.line(job.queue))
    if "reclaim" in actions and not is_refused:
        yield Evidence(
            "the action reclaim does not check this limit: it may evict pods of other queues for this gang, which "
            "does not start even then",
            ConfPlace(("actions", actions.index("reclaim"))) if is_given(context.conf) else None,
        )


def _limit(context: LintContext, line: Sequence[str], name: str, limit: Resource) -> Evidence:
    """Say where the limit of the queue comes from."""
    for queue, place in context.objects("queues"):
        own = Resource.from_quantities(queue.spec.capability if queue.metadata.name in line else None)
        if 0 < own.get(name) <= limit.get(name) + EPSILON:
            at = place.at("spec", "capability", name)
            return Evidence(f"the capability of queue {queue.metadata.name} is {quantity(name, own.get(name))}", at)
    for queue, place in context.objects("queues"):
        # v1.14.4 takes what the capability of root leaves out for nothing
        if queue.metadata.name == ROOT and queue.spec.capability and name not in queue.spec.capability:
            at = place.at("spec", "capability")
            return Evidence(f"the capability of queue {ROOT} leaves out {name}: its limit is 0 then, not unlimited", at)
    total = context.session.total_resource.get(name)
    return Evidence(f"the cluster has {quantity(name, total)}, reduced by other queues' limits and guarantees")


RULE = Rule(
    code="gang-above-queue",
    severity=Severity.ERROR,
    title="a gang is larger than the limit of its queue",
    meaning="The pods that the gang needs to start, or its minResources, are above the real capability of its queue: "
    "the queue's capability, or what the guarantees of other queues leave of the cluster where that is less.",
    why="The queue plugin only admits a job if its minResources fit into the real capability, and allocate and preempt "
    "place nothing beyond it. So the gang never starts, even in an idle cluster. reclaim does not check that limit: it "
    "may evict pods of other queues for this gang, which then does not start.",
    fix="Raise the capability of the queue, lower guarantees of other queues, use another queue, or make the gang "
    "smaller.",
    source="pkg/scheduler/plugins/proportion/proportion.go; pkg/scheduler/actions/reclaim/reclaim.go",
    check=check,
    needs=Need.SESSION,
    example="minMember 4 with pods of 10 cpu, in a queue with capability cpu 32",
)
