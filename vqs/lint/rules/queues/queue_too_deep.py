"""A queue more than five levels below the root."""

from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.apiserver.queue_sums import DEEPEST


def check(context: LintContext) -> Findings:
    """Find such queues; a cycle has no depth."""
    if context.profile.webhooks.queue_depth == "unlimited":
        return
    tree = queue_tree(context)
    for queue in tree:
        depth = tree.depth(queue.name)
        if depth > DEEPEST and tree.ends(queue.name):
            yield Finding(
                f"queue {queue.name} is on level {depth} below the root, and {DEEPEST} are allowed: "
                f"{' > '.join([*reversed([*tree.above(queue.name)]), queue.name])}",
                queue.at("spec", "parent"),
            )


RULE = Rule(
    code="queue-too-deep",
    severity=Severity.ERROR,
    title="a queue is more than five levels below the root",
    meaning="There are five or more queues between the root queue and this one. With more than 100, or a cycle of more "
    "than 100 queues, vqs itself refuses the queue and those below it.",
    why="The webhook for queues refuses to create such a queue, or to move one there. The limit is its option "
    "--max-queue-depth, 5 by default; the scheduler itself has no limit. Volcano 1.13 and 1.14.0 have "
    "none.",
    fix="Remove a level, or raise --max-queue-depth of volcano-admission.",
    source="cmd/webhook-manager/app/options/options.go; pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="root > company > division > department > team > group > project",
    denied="webhook",
)
