"""Actions that never place pods without requests."""

from vqs.lint.plugins import is_given
from vqs.lint.pod_sources import pod_sources
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for the action; where there are pods in the input, best-effort-without-backfill is more precise."""
    conf = context.conf
    if is_given(conf) and "backfill" not in conf.actions and not any(True for _ in pod_sources(context)):
        yield Finding("without backfill, pods that request nothing stay pending", ConfPlace(("actions",)))


RULE = Rule(
    code="no-backfill",
    severity=Severity.NOTE,
    title="there is no action that places pods without requests",
    meaning="actions does not list backfill, and the input has no pods that show whether it is needed.",
    why="allocate skips tasks without requests and leaves them to backfill.",
    fix="Add backfill as the last action, unless all pods have requests.",
    source="pkg/scheduler/actions/backfill/backfill.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate"',
)
