"""Actions that place nothing."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Finding, Severity
from vqs.lint.queue_plugins import is_given
from vqs.lint.rule import Need, Rule


def check(context: LintContext) -> Iterator[Finding]:
    """Look for the action."""
    conf = context.conf
    if is_given(conf) and "allocate" not in conf.actions:
        message = "without allocate, no pod that requests anything gets a free place"
        yield Finding(message, ConfPlace(("actions",)))


RULE = Rule(
    code="no-allocate",
    severity=Severity.WARNING,
    title="there is no action that places pods",
    meaning="actions does not have allocate.",
    why="allocate is what gives nodes to pods with requests. backfill places only those without; preempt and reclaim "
    "reserve what will be free, and leave it to allocate to use it.",
    fix="Add allocate.",
    source="pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, backfill"',
)
