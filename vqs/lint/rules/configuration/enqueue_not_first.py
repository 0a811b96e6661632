"""An action that admits jobs after the others have run."""

from vqs.lint.plugins import action_place, uses_action
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for actions before enqueue."""
    conf = context.conf
    if uses_action(conf, "enqueue") and conf.actions[0] != "enqueue":
        before = ", ".join(dict.fromkeys(conf.actions[: conf.actions.index("enqueue")]))
        message = f"enqueue comes after {before}: jobs that it admits wait for the next session"
        yield Finding(message, action_place(conf, "enqueue"))


RULE = Rule(
    code="enqueue-not-first",
    severity=Severity.WARNING,
    title="enqueue is not the first action",
    meaning="actions lists enqueue after other actions.",
    why="Actions skip a PodGroup in the phase Pending: allocate where enqueue is configured, backfill, preempt and "
    "reclaim always. Jobs that enqueue admits after these actions wait for the next session.",
    fix="List enqueue first.",
    source="pkg/scheduler/actions/enqueue/enqueue.go; pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "allocate, enqueue, backfill"',
)
