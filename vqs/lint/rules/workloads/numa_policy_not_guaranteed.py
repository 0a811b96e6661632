"""A topology policy for pods that are not Guaranteed."""

from vqs.lint.pod_sources import LISTS, asking
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.kubernetes import Pod
from vqs.model.requests import is_guaranteed


def check(context: LintContext) -> Findings:
    """Find pods and templates with a policy that are not Guaranteed; of pods made alike, the first."""
    seen = set()
    for source, policy, place in asking(context):
        if source.family not in seen and not is_guaranteed(source.pod or Pod(spec=source.spec)):
            seen.add(source.family)
            yield Finding(f"{source.what} asks for the topology policy {policy}, and is not Guaranteed", place)


RULE = Rule(
    code="numa-policy-not-guaranteed",
    severity=Severity.WARNING,
    title="pods ask for a topology policy, and are not Guaranteed",
    meaning="A pod names a topology policy, and the limits of its containers for cpu and memory are missing, or are "
    "not equal to its requests.",
    why="The plugin numa-aware and the kubelet's CPU manager give CPUs only to containers of Guaranteed pods. Others "
    "share the remaining CPUs of any node.",
    fix="Set limits for cpu and memory that are equal to the requests, in all containers, or remove the policy.",
    source="pkg/scheduler/plugins/numaaware/numaaware.go",
    check=check,
    looks_at=LISTS,
    example="volcano.sh/numa-topology-policy: restricted, and containers without limits",
)
