"""Children that deserve more together than their parent."""

from vqs.lint.queue_sums import sums_above_parents
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import DESERVED


def check(context: LintContext) -> Findings:
    """Find the resources for which this is the case."""
    yield from sums_above_parents(context, queue_tree(context), "deserved", DESERVED)


RULE = Rule(
    code="children-deserved-above-parent",
    severity=Severity.ERROR,
    title="children deserve more than their parent",
    meaning="What a queue's children deserve adds up to more of a resource than the queue deserves itself. A queue "
    "that does not name the resource deserves none of it. The root queue deserves what its children do.",
    why="The webhook for queues refuses it, and also a child with 0 of a resource, other than cpu and memory, that the "
    "parent does not name. The scheduler, where the plugin capacity is used with enableHierarchy, logs an error in "
    "every session; the parent counts as overused before its children do.",
    fix="Raise the parent's deserved to at least the sum, or lower those of the children.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go; pkg/scheduler/plugins/capacity/capacity.go",
    check=check,
    example="queue team with deserved cpu 20, its children dev with 15 and prod with 25",
    stands=Severity.WARNING,
)
