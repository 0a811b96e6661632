"""minResources that are not what minMember pods of the PodGroup ask for."""

from vqs.lint.amounts import quantity
from vqs.lint.pod_groups import controller_made, gang_request
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.resource import CPU, EPHEMERAL_STORAGE, EPSILON, MEMORY, PODS
from vqs.model.wording import count

_QUOTA_PREFIXES = ("requests.", "limits.")


def check(context: LintContext) -> Findings:
    """Compare minResources of hand-written PodGroups with their pods."""
    for group, place in context.objects("pod_groups"):
        job = context.session.jobs.get(group.metadata.key)
        if job is None or group.spec.min_resources is None or controller_made(group):
            continue
        if job.min_available and job.total >= job.min_available:
            given, least, most = job.minimum(), gang_request(job), gang_request(job, largest=True)
            minimum = count(job.min_available, "pod")
            names = {*given.names(), *least.names()} - {PODS}
            first = [name for name in (CPU, MEMORY, EPHEMERAL_STORAGE) if name in names]
            for name in (*first, *sorted(names.difference(first))):
                amount = given.get(name)
                if name.startswith(_QUOTA_PREFIXES):
                    continue
                at = place.at("spec", "minResources", name)
                asked = f"{job.display_name} has {quantity(name, amount)} in minResources, and its gang of {minimum}"
                pods = Evidence(f"its gang needs {minimum}", place.at("spec", "minMember"))
                if amount - most.get(name) >= EPSILON:
                    yield Finding(f"{asked} requests at most {quantity(name, most.get(name))}", at, (pods,))
                elif least.get(name) - amount >= EPSILON:
                    yield Finding(f"{asked} requests at least {quantity(name, least.get(name))}", at, (pods,))


RULE = Rule(
    code="min-resources-mismatch",
    severity=Severity.WARNING,
    title="minResources does not match the requests of minMember pods",
    meaning="minResources of a PodGroup that no controller created differs from the requests of its smallest gang.",
    why="Volcano's controllers compute minResources as the sum over the first minMember pods. Only minResources "
    "decides whether a job is admitted, and while it is Inqueue, minResources is reserved in the queue and the "
    "cluster. Too much blocks this job and others; too little admits jobs that then cannot be placed.",
    fix="Set minResources to the sum of the requests of minMember pods, with every resource that they request. If it "
    "should cover pods that are created later, such as Spark executors, silence this.",
    source="pkg/controllers/util/util.go",
    check=check,
    needs=Need.SESSION,
    example="minMember 4 and minResources cpu 4, with pods that request 4 cpu each",
)
