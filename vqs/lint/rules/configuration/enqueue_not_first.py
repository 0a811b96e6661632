"""An action that lets jobs in after the others have looked for them."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Finding, Severity
from vqs.lint.plugins import action_place, uses_action
from vqs.lint.rule import Need, Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Look for actions before enqueue."""
    conf = context.conf
    if uses_action(conf, "enqueue") and conf.actions[0] != "enqueue":
        before = ", ".join(dict.fromkeys(conf.actions[: conf.actions.index("enqueue")]))
        message = f"enqueue comes after {before}: jobs that it lets in wait for the next session"
        yield Finding(message, action_place(conf, "enqueue"))


RULE = Rule(
    code="enqueue-not-first",
    severity=Severity.WARNING,
    title="enqueue is not the first action",
    meaning="actions has enqueue behind other actions.",
    why="A PodGroup that is Pending is passed over by allocate where enqueue is configured, and by backfill, preempt "
    "and reclaim in any case. What enqueue lets in after them is looked at in the next session.",
    fix="Write enqueue first.",
    source="pkg/scheduler/actions/enqueue/enqueue.go; pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "allocate, enqueue, backfill"',
)
