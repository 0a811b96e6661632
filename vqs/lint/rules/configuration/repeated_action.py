"""An action that is named more than once."""

from vqs.lint.plugins import is_given
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for names that came before."""
    actions = context.conf.actions if is_given(context.conf) else ()
    for index, action in enumerate(actions):
        if action in actions[:index]:
            yield Finding(
                f"action {action} is listed twice and runs twice in each session", ConfPlace(("actions", index))
            )


RULE = Rule(
    code="repeated-action",
    severity=Severity.WARNING,
    title="the action runs twice in every session",
    meaning="actions lists the same action more than once.",
    why="Actions run in the listed order, as often as they are listed. A second run takes as long as the first and "
    "finds little to do: resources that preempt and reclaim release are idle only in a later session.",
    fix="List each action once.",
    source="pkg/scheduler/scheduler.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "enqueue, allocate, preempt, allocate"',
)
