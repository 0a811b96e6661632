"""A node without allocatable resources."""

from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.quantity import parse

_NEEDED = ("cpu", "pods")


def check(context: LintContext) -> Findings:
    """Find nodes without cpu or pods in their allocatable."""
    for node, place in context.objects("nodes"):
        allocatable = node.status.allocatable
        missing = [name for name in _NEEDED if not parse(allocatable.get(name, 0))]
        if missing:
            what = (
                "nothing allocatable" if len(missing) == len(_NEEDED) else f"no {' and no '.join(missing)} allocatable"
            )
            at = place.at("status", "allocatable" if allocatable else "capacity")
            yield Finding(f"node {node.metadata.name} has {what}", at)


RULE = Rule(
    code="node-without-allocatable",
    severity=Severity.WARNING,
    title="a node has no allocatable resources",
    meaning="status.allocatable of the node has no cpu or no pods. status.capacity does not count instead.",
    why="The scheduler only uses allocatable. If pods is missing in it, the node accepts no pods.",
    fix="See why the kubelet does not report it. In a node that is written by hand, give status.allocatable cpu, "
    "memory and pods.",
    source="pkg/scheduler/api/node_info.go",
    check=check,
    looks_at=("nodes",),
    example="status: {allocatable: {cpu: 8, memory: 32Gi}}",
)
