"""A node that is not ready, and counts as part of the cluster all the same."""

from vqs.engine.nodes.selectors import FORBIDDING
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity

_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def check(context: LintContext) -> Findings:
    """Find nodes whose condition Ready is not True."""
    for node, place in context.objects("nodes"):
        if not node.status.allocatable:
            continue
        for index, condition in enumerate(node.status.conditions):
            if condition.type == "Ready" and condition.status != "True":
                tainted = any(each.key in _TAINTS and each.effect in FORBIDDING for each in node.spec.taints)
                takes = (
                    "takes no new pods"
                    if tainted or node.spec.unschedulable
                    else "is given pods because it has no taint"
                )
                yield Finding(
                    f"node {node.metadata.name} is not ready; it counts as part of the cluster, and {takes}",
                    place.at("status", "conditions", index, "status"),
                )


RULE = Rule(
    code="not-ready-node-counted",
    severity=Severity.WARNING,
    title="a node that is not ready counts as part of the cluster",
    meaning="The condition Ready of the node is False or Unknown.",
    why="The scheduler does not check the conditions of nodes: the total that is divided among queues includes their "
    "allocatable resources, and only taints keep pods away. Kubernetes normally puts the taint "
    "node.kubernetes.io/not-ready or node.kubernetes.io/unreachable on such a node.",
    fix="Repair the node or delete it. If it has no taint, see whether the node lifecycle controller runs.",
    source="pkg/scheduler/api/node_info.go",
    check=check,
    looks_at=("nodes",),
    example="a node with the condition {type: Ready, status: Unknown}",
)
