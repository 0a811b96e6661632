"""Actions that place nothing."""

from vqs.lint.plugins import is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for the action."""
    conf = context.conf
    if is_given(conf) and "allocate" not in conf.actions:
        message = "without allocate, no pod with requests is placed on idle resources"
        yield Finding(message, ConfPlace(("actions",)))


RULE = Rule(
    code="no-allocate",
    severity=Severity.WARNING,
    title="there is no action that places pods",
    meaning="actions does not have allocate.",
    why="Only allocate places pods with requests. backfill only places pods without requests; preempt and reclaim "
    "reserve resources that are being released, and leave it to allocate to use them.",
    fix="Add allocate.",
    source="pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, backfill"',
)
