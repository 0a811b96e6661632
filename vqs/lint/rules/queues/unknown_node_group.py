"""A queue that names a node group without nodes."""

from typing import Final

from vqs.lint.amounts import near_names
from vqs.lint.queue_tree import groups_of_nodes, queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.model.kubernetes import PREFERRED, REQUIRED

_AFFINITY: Final = ("spec", "affinity", "nodeGroupAffinity")


def check(context: LintContext) -> Findings:
    """Find such groups, if there are nodes in the input."""
    if not context.manifests.nodes:
        return
    known = groups_of_nodes(context)
    hint = near_names(known)
    for queue in queue_tree(context):
        affinity = queue.queue.spec.affinity
        terms = affinity.node_group_affinity if affinity is not None else None
        for key, names in ((REQUIRED, terms.required), (PREFERRED, terms.preferred)) if terms is not None else ():
            for index, name in enumerate(names):
                if name not in known:
                    message = f"queue {queue.name} names the node group {name}, which has no nodes"
                    yield Finding(message, queue.at(*_AFFINITY, key, index), fix=hint(name))


RULE = Rule(
    code="unknown-node-group",
    severity=Severity.WARNING,
    title="a queue names a node group without nodes",
    meaning="nodeGroupAffinity of a queue names a group, and no node in the input has it as its label "
    "volcano.sh/nodegroup-name.",
    why="The plugin nodegroup places pods of a queue only on nodes of the groups that it names. If none of them "
    "has nodes, the pods stay Pending.",
    fix="Correct the name, or label the nodes.",
    source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    check=check,
    example="requiredDuringSchedulingIgnoredDuringExecution: [gpu-nodes], where the nodes have the label gpu",
)
