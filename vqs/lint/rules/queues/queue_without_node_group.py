"""A queue whose pods no node accepts, as it names no node group."""

from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_tree import groups_of_nodes, names_node_groups, queue_tree
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find such queues that have workloads."""
    nodegroup = context.conf.plugin("nodegroup")
    nodes = len(context.manifests.nodes)
    if nodegroup is None or not nodes:
        return
    # Nodes in a group never take pods without an affinity, and strictly, no node does.
    if not nodegroup.arguments.bool("strict") and sum(groups_of_nodes(context).values()) != nodes:
        return
    tree = queue_tree(context)
    inherits = has_hierarchy(context.conf, "nodegroup")
    used = {user.queue for user in queue_users(context) if not user.ended}
    for queue in tree:
        asked = queue
        if inherits and queue.queue.spec.affinity is None:  # else even an empty one counts, and not an ancestor's
            above = (each for each in tree.ancestors(queue.name) if each.queue.spec.affinity is not None)
            asked = next(above, queue)
        if queue.name in used and not names_node_groups(asked.queue):
            yield Finding(
                f"queue {queue.name} has no affinity to a node group, and without one no node accepts its pods",
                queue.at("metadata", "name"),
                (Evidence("the plugin nodegroup is used", ConfPlace((*nodegroup.path, "name"))),),
            )


RULE = Rule(
    code="queue-without-node-group",
    severity=Severity.WARNING,
    title="a queue names no node group, so no node accepts its pods",
    meaning="The plugin nodegroup is used, and a queue with workloads has no spec.affinity, nor an ancestor to inherit "
    "it from where nodegroup has enableHierarchy.",
    why="Nodes in a group only accept pods of queues that name the group. Nodes without a group accept no pods, unless "
    "the argument strict is false: then they accept pods of queues without affinity.",
    fix="Give the queue an affinity, or set the argument strict to false and leave some nodes without a group.",
    source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: nodegroup, and a queue default without affinity",
)
