"""Arguments that are read but have no effect in this configuration."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Finding, Severity
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import Need, Rule

_REMARKS = {
    "volumebinding.weight": "it only applies to the first session after the scheduler starts; later sessions use 1",
    "volumebinding.shape": "it is read only with the feature gate StorageCapacityScoring, which is off by default",
}
_DRA = ("dynamicresources.filterTimeoutSeconds", "predicate.DynamicResourceAllocationEnable")
_VOLUMES = "predicate.VolumeBindingEnable"


def check(context: LintContext) -> Iterator[Finding]:
    """Look at the arguments of predicates that depend on others."""
    for option in given_plugins(context.conf):
        arguments = option.arguments
        if option.name != "predicates":
            continue
        for name in arguments:
            place = ConfPlace((*arguments.path, name), key=True)
            if name.startswith("volumebinding.") and arguments.get(_VOLUMES) is False:
                yield Finding(f"{name} has no effect, as {_VOLUMES} is false", place)
            elif name in _REMARKS and not (name == "volumebinding.weight" and arguments[name] == 1):
                yield Finding(f"{name} has almost no effect: {_REMARKS[name]}", place)
            elif name == _DRA[0] and arguments.get(_DRA[1]) is not True:
                yield Finding(f"{name} has no effect, as {_DRA[1]} is not true", place)


RULE = Rule(
    code="argument-without-effect",
    severity=Severity.NOTE,
    title="the argument has no effect here",
    meaning="The plugin knows the argument but does not use it: the feature that it configures is switched off, or "
    "Volcano v1.14.4 forgets the value.",
    why="volumebinding arguments are read once, when the scheduler starts; a weight only applies to the first session, "
    "and later sessions use the default. Arguments of a filter that is switched off are not read.",
    fix="Remove the argument, or switch on the feature that it configures.",
    source="pkg/scheduler/plugins/predicates/predicates.go; pkg/scheduler/plugins/predicates/helper.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="volumebinding.weight: 10",
)
