"""An argument whose value is out of range."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Finding, Severity
from vqs.lint.given_arguments import given_values, shown
from vqs.lint.rule import Need, Rule

_FATAL = "volumebinding.bindTimeoutSeconds"


def check(context: LintContext) -> Iterator[Finding]:
    """Look for numbers below the minimum or above the maximum."""
    for value in given_values(context.conf):
        argument = value.argument
        if argument.accepts(value.value) and not argument.allows(value.value) and argument.name != _FATAL:
            message = f"{value.name} of {value.owner} is {shown(value.value)}: {argument.outside}"
            yield Finding(message, ConfPlace(value.path))
        if value.name == "sla-waiting-time" and str(value.value).startswith(("-", "0")) and _is_nothing(value.value):
            yield Finding(
                f"{value.name} of {value.owner} is {shown(value.value)}: it is ignored", ConfPlace(value.path)
            )


def _is_nothing(value: object) -> bool:
    text = str(value)
    return text.startswith("-") or not any(digit in text for digit in "123456789")


RULE = Rule(
    code="argument-out-of-range",
    severity=Severity.WARNING,
    title="the value of the argument is out of range",
    meaning="A number under arguments is negative where it must not be, or is not a percentage where it has to be one.",
    why="Some plugins use their default instead. Others calculate with the value, so that nodes are scored in reverse, "
    "or nothing is tried at all. The finding says which.",
    fix="Write a number within the range.",
    source="pkg/scheduler/plugins; pkg/scheduler/actions/preempt/preempt.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="leastrequested.weight: -1",
)
