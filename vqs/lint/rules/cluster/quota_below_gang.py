"""A ResourceQuota that is smaller than a gang of its namespace."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from msgspec.structs import replace

from vqs.lint.pod_groups import WAITING
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_MIN_MEMBER
from vqs.model.quantity import family, whole_number, written
from vqs.model.wording import count
from vqs.snapshot.apiserver.queue_sums import exact
from vqs.snapshot.controllers.quotas import counted_usage, in_scope
from vqs.snapshot.reading.diagnostics import Path


class _Gang(NamedTuple):
    """What makes a gang, its least number of pods, the pods that there are to be, and where the least number stands."""

    what: str
    namespace: str
    least: int
    pods: Sequence[tuple[k8s.PodSpec, int]]
    at: Place


def check(context: LintContext) -> Findings:
    """Compare each quota with the least that gangs need whose pods are made from templates."""
    gangs: dict[str, list[_Gang]] = {}
    for gang in _gangs(context) if context.manifests.resource_quotas else ():
        gangs.setdefault(gang.namespace, []).append(gang)
    for quota, place in context.objects("resource_quotas"):
        field = "spec" if quota.spec.hard else "status"
        hard = quota.spec.hard or quota.status.hard
        limits = exact(hard)
        for gang in gangs.get(quota.metadata.namespace, ()):
            # The least that a gang needs of what a quota limits: of each resource, what those pods do that need least.
            pods = [(k8s.Pod(spec=spec), number) for spec, number in gang.pods]
            usages = [(exact(counted_usage(pod)) if in_scope(quota, pod) else {}, number) for pod, number in pods]
            needed: dict[str, Fraction] = {}
            for resource in limits:
                left = gang.least
                for most, number in sorted((usage.get(resource, Fraction()), number) for usage, number in usages):
                    needed[resource] = needed.get(resource, Fraction()) + most * min(number, left)
                    left -= min(number, left)
            for name, amount in needed.items():
                if amount > limits[name]:
                    units = family(hard[name])
                    evidence = Evidence("the quota", place.at(field, "hard", name))
                    yield Finding(
                        f"{gang.what} needs {written(amount, units)} {name} for {count(gang.least, 'pod')} at least, "
                        f"and ResourceQuota {quota.metadata.key} allows {written(limits[name], units)}",
                        gang.at,
                        (evidence,),
                    )


def _gangs(context: LintContext) -> Iterator[_Gang]:
    for job, place in context.objects("volcano_jobs"):
        if job.status.state.phase in WAITING:
            own = job.spec.priority_class_name
            specs = [each.template.spec for each in job.spec.tasks]
            specs = [replace(each, priority_class_name=each.priority_class_name or own) for each in specs]
            pods = [(spec, each.replicas) for spec, each in zip(specs, job.spec.tasks, strict=True)]
            least = job.spec.min_available
            path: Path = ("spec", "minAvailable") if least else ("metadata", "name")
            at = place.at(*path)
            least = least or sum(number for _, number in pods)
            yield _Gang(f"Job {job.metadata.key}", job.metadata.namespace, least, pods, at)
    for list_name in ("deployments", "workloads", "jobs"):
        for each, place in context.objects(list_name):
            least = whole_number(each.metadata.annotations.get(GROUP_MIN_MEMBER, "")) or 0
            if least and not isinstance(each, k8s.ReplicationController):
                at = Place(list_name, place.index, ("metadata", "annotations", GROUP_MIN_MEMBER))
                what = f"{type(each).__name__} {each.metadata.key}"
                yield _Gang(what, each.metadata.namespace, least, [(each.spec.template.spec, least)], at)


RULE = Rule(
    code="quota-below-gang",
    severity=Severity.ERROR,
    title="a ResourceQuota is smaller than a gang of its namespace",
    meaning="The least pods that a Volcano Job (minAvailable) or a workload (scheduling.volcano.sh/group-min-member) "
    "needs to start together ask for more of a resource than a ResourceQuota of the namespace allows in all, or are "
    "more pods than it allows.",
    why="The API server refuses the pods beyond the quota, so the gang is never complete, even if nothing else is in "
    "the namespace. With the plugin resourcequota, the PodGroup of a Job is not even admitted.",
    fix="Raise the quota, make the gang or its requests smaller, or use another namespace.",
    source="pkg/scheduler/plugins/resourcequota/resourcequota.go; pkg/scheduler/plugins/gang/gang.go",
    check=check,
    looks_at=("volcano_jobs", "deployments", "workloads", "jobs", "resource_quotas"),
    example="hard: {requests.cpu: 8}, and a Job with minAvailable 4 and pods of 4 cpu",
)
