"""Preemption that does not look at priorities."""

from vqs.lint.plugins import action_place, answering, uses_action
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_FLAG = "enablePreemptable"


def check(context: LintContext) -> Findings:
    """Look for preempt and for the say of the plugin priority."""
    conf = context.conf
    asked = answering(conf, _FLAG)
    if not uses_action(conf, "preempt") or not asked or any(each.name == "priority" for each in asked):
        return
    priority = conf.plugin("priority")
    at = ConfPlace((*priority.path, _FLAG)) if priority else None
    off = (Evidence(f"{_FLAG} of priority is false", at),) if priority else ()
    message = "priority has no say in preemption, so that a job may preempt others of equal or higher priority"
    yield Finding(message, action_place(conf, "preempt"), off)


RULE = Rule(
    code="preempt-without-priority",
    severity=Severity.NOTE,
    title="preempt is configured without the plugin priority",
    meaning="The action preempt is configured; the plugin priority is not, or its enablePreemptable is false.",
    why="Only the plugin priority limits preemption to pods of lower priority. Without it, other plugins select the "
    "victims: gang pods that their job can spare, drf pods of jobs with a larger share.",
    fix="Add priority to the first tier, unless jobs are to preempt each other by share.",
    source="pkg/scheduler/plugins/priority/priority.go; pkg/scheduler/actions/preempt/preempt.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: priority\n  enablePreemptable: false",
)
