"""An action that evicts before idle resources are used."""

from vqs.lint.plugins import action_place, uses_action
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Compare the places of the actions."""
    conf = context.conf
    if not uses_action(conf, "allocate"):
        return
    allocate = conf.actions.index("allocate")
    for action in ("preempt", "reclaim", "gangpreempt", "gangreclaim"):
        if action in conf.actions[:allocate]:
            evidence = Evidence(f"the action allocate comes after {action}", action_place(conf, "allocate"))
            message = f"{action} comes before allocate, and may evict pods while other nodes are idle"
            yield Finding(message, action_place(conf, action), (evidence,))


RULE = Rule(
    code="evicts-before-allocate",
    severity=Severity.NOTE,
    title="pods are evicted before idle resources are used",
    meaning="actions lists preempt, reclaim, gangpreempt or gangreclaim before allocate.",
    why="At that point, no job has been tried on idle resources in this session. preempt takes the best node even if "
    "another one is idle. reclaim only considers nodes with victims; up to v1.14, it evicts one before it checks "
    "whether the task fits without. gangpreempt and gangreclaim never try a gang without victims.",
    fix="List allocate before the actions that evict, so that idle nodes are used before pods are evicted.",
    source="pkg/scheduler/actions/reclaim/reclaim.go; pkg/scheduler/actions/preempt/preempt.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, reclaim, allocate, backfill"',
)
