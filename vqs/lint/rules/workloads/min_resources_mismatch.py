"""minResources that are not what minMember pods of the PodGroup ask for."""

from __future__ import annotations

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Place, Severity
from vqs.lint.phrases import quantity
from vqs.lint.pod_groups import controller_made, least_request, most_request
from vqs.lint.rule import Need, Rule
from vqs.model.job import Job
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, EPSILON, MEMORY, PODS
from vqs.model.wording import count

_QUOTA_PREFIXES = ("requests.", "limits.")


def check(context: LintContext) -> Iterator[Finding]:
    """Compare minResources of hand-written PodGroups with their pods."""
    for group, place in context.objects("pod_groups"):
        job = context.session.jobs.get(group.metadata.key)
        if job is None or group.spec.min_resources is None or controller_made(group):
            continue
        if job.min_available and job.total >= job.min_available:
            yield from _judge(job, place)


def _judge(job: Job, place: Place) -> Iterator[Finding]:
    given, least, most = job.minimum(), least_request(job), most_request(job)
    minimum = count(job.min_available, "pod")
    for name in sorted({*given.names(), *least.names()}, key=_order):
        amount = given.get(name)
        if name == PODS or name.startswith(_QUOTA_PREFIXES):
            continue
        at = Place(place.list_name, place.index, ("spec", "minResources", name))
        asked = f"{job.display_name} has {quantity(name, amount)} in minResources"
        pods = Evidence(f"its gang needs {minimum}", Place(place.list_name, place.index, ("spec", "minMember")))
        if amount - most.get(name) >= EPSILON:
            yield Finding(f"{asked}, and {minimum} of it ask for {quantity(name, most.get(name))} at most", at, (pods,))
        elif least.get(name) - amount >= EPSILON:
            yield Finding(f"{asked}, and any {minimum} of it ask for {quantity(name, least.get(name))}", at, (pods,))


def _order(name: str) -> tuple[int, str]:
    known = (CPU, MEMORY, EPHEMERAL_STORAGE)
    return (known.index(name) if name in known else len(known), name)


RULE = Rule(
    code="min-resources-mismatch",
    severity=Severity.WARNING,
    title="minResources is not what minMember pods ask for",
    meaning="A PodGroup that somebody wrote by hand says in minResources another amount than the smallest number of "
    "its pods that can start asks for.",
    why="Volcano's controllers compute minResources as the sum over the first minMember pods. A job is let into its "
    "queue by its minResources alone, and while it is Inqueue, that is what it takes of the queue and of the cluster. "
    "Too much keeps it and others out; too little lets in jobs that then cannot be placed.",
    fix="Write the sum of the requests of minMember pods, with every resource that they ask for. If minResources is "
    "to stand for pods that come later, as those of Spark executors, silence this.",
    source="pkg/controllers/util/util.go",
    check=check,
    needs=Need.SESSION,
    example="minMember 4 and minResources cpu 4, with pods that request 4 cpu each",
)
