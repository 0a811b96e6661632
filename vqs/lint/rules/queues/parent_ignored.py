"""A tree of queues that no plugin looks at."""

from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.cluster import ROOT


def check(context: LintContext) -> Findings:
    """Find queues with a parent, where no plugin looks at parents."""
    conf = context.conf
    if has_hierarchy(conf, "capacity") or has_hierarchy(conf, "nodegroup"):
        return
    capacity = conf.plugin("capacity")
    evidence = (Evidence("enableHierarchy is not true here", ConfPlace(capacity.path)),) if capacity else ()
    for queue in queue_tree(context):
        if queue.parent not in ("", ROOT):
            yield Finding(
                f"queue {queue.name} has the parent {queue.parent}, and no plugin reads spec.parent",
                queue.at("spec", "parent"),
                evidence,
                "Add enableHierarchy: true to the plugin capacity." if capacity else "",
            )


RULE = Rule(
    code="parent-ignored",
    severity=Severity.WARNING,
    title="a queue has a parent, and no plugin reads spec.parent",
    meaning="spec.parent of a queue is set, and neither the plugin capacity nor nodegroup is used with "
    "enableHierarchy: true.",
    why="The scheduler treats all queues as equals. Limits of a parent do not apply to its children, and guarantees of "
    "parents and children are added up.",
    fix="Use the plugin capacity, with enableHierarchy: true, in place of proportion; or leave spec.parent out.",
    source="pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="parent: team, and - name: capacity without enableHierarchy",
    given_conf=True,
)
