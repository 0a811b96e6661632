"""Node groups for queues, without the plugin for them."""

from vqs.lint.plugins import uses
from vqs.lint.queue_tree import names_node_groups, queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find queues with an affinity that no plugin reads."""
    if uses(context.conf, "nodegroup"):
        return
    for queue in queue_tree(context):
        if names_node_groups(queue.queue):
            message = f"queue {queue.name} has an affinity, and the plugin nodegroup is not used"
            yield Finding(message, queue.at("spec", "affinity"))


RULE = Rule(
    code="affinity-ignored",
    severity=Severity.WARNING,
    title="queues have an affinity to node groups, and no plugin reads it",
    meaning="spec.affinity of queues names node groups, and the plugin nodegroup is not in the configuration.",
    why="Only the plugin nodegroup reads it; pods of these queues go to any node.",
    fix="Add the plugin nodegroup, or remove spec.affinity.",
    source="pkg/scheduler/plugins/nodegroup/nodegroup.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="affinity: {nodeGroupAffinity: ...}, and no - name: nodegroup",
    given_conf=True,
)
