"""An action that evicts before free room is given away."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Severity
from vqs.lint.plugins import action_place, uses_action
from vqs.lint.rule import Need, Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Compare the places of the actions."""
    conf = context.conf
    if not uses_action(conf, "allocate"):
        return
    allocate = conf.actions.index("allocate")
    for action in ("preempt", "reclaim"):
        if action in conf.actions[:allocate]:
            evidence = Evidence("allocate comes behind it", action_place(conf, "allocate"))
            message = f"{action} comes before allocate, and may evict pods while other nodes have room"
            yield Finding(message, action_place(conf, action), (evidence,))


RULE = Rule(
    code="evicts-before-allocate",
    severity=Severity.NOTE,
    title="pods are evicted before free room is used",
    meaning="actions has preempt or reclaim before allocate.",
    why="At that time, jobs have not been tried on the free room of this session. preempt takes the best node, also "
    "if another one is idle; reclaim only looks at nodes with pods to take, and takes one before it looks whether the "
    "task would have fitted anyway.",
    fix="Write allocate before preempt and reclaim, unless queues are to get back what they deserve at any price.",
    source="pkg/scheduler/actions/reclaim/reclaim.go; pkg/scheduler/actions/preempt/preempt.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, reclaim, allocate, backfill"',
)
