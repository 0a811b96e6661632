"""An argument whose value makes the scheduler exit."""

from vqs.lint.plugins import given_values, shown
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_GPU_SHARING = ("deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable")
_VGPU = "deviceshare.VGPUEnable"
_TIMEOUT = "volumebinding.bindTimeoutSeconds"


def check(context: LintContext) -> Findings:
    """Look for values that cannot be decoded, and for those that rule each other out."""
    for value in given_values(context.conf, context.profile):
        argument, at = value.argument, ConfPlace(value.path)
        name = f"{value.name} of {value.owner}"
        if argument.is_fatal and not argument.accepts(value.value):
            what = f"{name} is {shown(value.value)}, which is not {argument.kind.value}"
            yield Finding(f"{what}: the scheduler exits", at)
        elif argument.name == _TIMEOUT and not argument.allows(value.value):
            yield Finding(f"{name} is {shown(value.value)}, below 0: the scheduler exits", at)
    deviceshare = context.conf.plugin("deviceshare")
    if deviceshare is None:
        return
    on = [name for name in (*_GPU_SHARING, _VGPU) if deviceshare.arguments.get(name) is True]
    if len(on) > 1:
        first, *_, last = on
        places = {name: ConfPlace((*deviceshare.arguments.path, name)) for name in on}
        message = f"{first} and {last} of plugin deviceshare are both true: the scheduler exits"
        evidence = Evidence(f"{first} is true", places[first])
        yield Finding(message, places[last], (evidence,), "set all but one of them to false")


RULE = Rule(
    code="fatal-argument",
    severity=Severity.ERROR,
    title="the value of the argument makes the scheduler exit",
    meaning="A value under arguments has the wrong type where Volcano decodes it strictly, or contradicts another "
    "value.",
    why="Most arguments of the wrong type are ignored. Those of resource-strategy-fit, volumebinding and "
    "dynamicresources of predicates, extender.managedResources, tdm and rescheduling are not: the scheduler exits when "
    "the plugin reads them, usually in its first session, restarts, and exits again. A fraction is truncated where a "
    "whole number is expected. GPU sharing, GPU numbers and vGPU of deviceshare also make the scheduler exit if more "
    "than one is on.",
    fix="Write a value of the right type; of contradicting values, keep one.",
    source="pkg/scheduler/framework/arguments.go (Get); pkg/scheduler/plugins/deviceshare/deviceshare.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='volumebinding.weight: "10"',
)
