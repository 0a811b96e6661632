"""A queue that names a node group without nodes."""

from vqs.lint.amounts import near_names
from vqs.lint.queue_tree import groups_of_nodes, queue_tree, wanted_node_groups
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find such groups, if there are nodes in the input."""
    if not context.manifests.nodes:
        return
    known = groups_of_nodes(context)
    hint = near_names(known)
    for queue in queue_tree(context):
        for name, path in wanted_node_groups(queue.queue):
            if name not in known:
                message = f"queue {queue.name} names the node group {name}, which has no nodes"
                yield Finding(message, queue.at(*path), fix=hint(name))


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
