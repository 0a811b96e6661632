"""An argument whose value is out of range."""

import re
from typing import Final

from vqs.engine.plugins import usage
from vqs.lint.plugins import given_plugins, given_values, shown
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_FATAL: Final = "volumebinding.bindTimeoutSeconds"
_NOTHING: Final = re.compile(r"-.*|0[^1-9]*", re.DOTALL)
"""A waiting time that is not above 0."""


def check(context: LintContext) -> Findings:
    """Look for numbers below the minimum or above the maximum."""
    for value in given_values(context.conf, context.profile):
        argument = value.argument
        if argument.accepts(value.value) and not argument.allows(value.value) and argument.name != _FATAL:
            message = f"{value.name} of {value.owner} is {shown(value.value)}: {argument.outside}"
            yield Finding(message, ConfPlace(value.path))
        if value.name == "sla-waiting-time" and _NOTHING.fullmatch(str(value.value)):
            yield Finding(
                f"{value.name} of {value.owner} is {shown(value.value)}: it is ignored", ConfPlace(value.path)
            )
    for option in given_plugins(context.conf):
        arguments = option.arguments.unread()
        if option.name == usage.NAME and not sum(arguments.int(name) for name in usage.WEIGHTS):
            at = next(name for name in usage.WEIGHTS if name in arguments)
            message = "the sum of cpu.weight and memory.weight is 0: no pod is placed that more than one node fits"
            yield Finding(message, ConfPlace((*arguments.path, at)))


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
