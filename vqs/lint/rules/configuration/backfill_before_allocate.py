"""Tasks without requests that go before all others."""

from vqs.lint.plugins import action_place, uses_action
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Compare the places of the two actions."""
    conf = context.conf
    if uses_action(conf, "allocate") and "backfill" in conf.actions[: conf.actions.index("allocate")]:
        evidence = Evidence("the action allocate comes after backfill", action_place(conf, "allocate"))
        yield Finding("backfill comes before allocate", action_place(conf, "backfill"), (evidence,))


RULE = Rule(
    code="backfill-before-allocate",
    severity=Severity.WARNING,
    title="backfill comes before allocate",
    meaning="actions lists backfill, which places tasks without requests, before allocate, which places all others.",
    why="Tasks without requests take pod slots and host ports on nodes before jobs with requests are tried, whatever "
    "their priority. Without enqueue, allocate admits jobs, so that backfill does not see jobs that are new in this "
    "session.",
    fix="List backfill after allocate.",
    source="pkg/scheduler/actions/backfill/backfill.go; pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, backfill, allocate"',
)
