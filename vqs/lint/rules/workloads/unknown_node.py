"""A pod on a node that is not there."""

from vqs.lint.amounts import near_names
from vqs.lint.rule import Finding, Findings, LintContext, Place, Rule, Severity
from vqs.model import kubernetes as k8s
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find names of nodes in pods that are not in the snapshot, if it has any nodes."""
    known = {node.metadata.name for node, _ in context.objects("nodes")}
    if not known:
        return
    missing: dict[str, list[tuple[str, Place]]] = {}
    for pod, place in context.objects("pods"):
        if pod.spec.node_name and pod.spec.node_name not in known and pod.status.phase not in k8s.ENDED_PHASES:
            missing.setdefault(pod.spec.node_name, []).append((pod.metadata.key, place))
    near = near_names(known)
    for node, pods in missing.items():
        name, place = min(pods, key=lambda pod: pod[0])
        hint = near(node)
        what = f"pod {name}" if len(pods) == 1 else f"pod {name} (and {len(pods) - 1} more)"
        message = f"{what} is on node {node}, which is not among the {count(len(known), 'node')}"
        at = place.at("spec", "nodeName")
        yield Finding(f"{message} ({hint})" if hint else message, at)


RULE = Rule(
    code="unknown-node",
    severity=Severity.WARNING,
    title="a pod is on a node that is not in the snapshot",
    meaning="spec.nodeName of a pod that has not finished names a node that is not in the snapshot.",
    why="Such a pod counts for its queue and its gang, but uses no resources of any node: its queue looks fuller than "
    "the cluster is.",
    fix="Take the snapshot with all nodes. If the node is gone, delete its pods.",
    source="pkg/scheduler/cache/event_handlers.go",
    check=check,
    looks_at=("pods", "nodes"),
    example="a pod with nodeName: gpu-9, in a snapshot of gpu-1 to gpu-8",
)
