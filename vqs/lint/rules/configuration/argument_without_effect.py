"""Arguments that are read but have no effect in this configuration."""

from vqs.config.scheduler_conf import PluginOption
from vqs.engine.plugins.resource_strategy_fit import is_pattern
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_REMARKS = {
    "volumebinding.weight": "it only applies to the first session after the scheduler starts; later sessions use 1",
    "volumebinding.shape": "it is read only with the feature gate StorageCapacityScoring, which is off by default",
}
_DRA = ("dynamicresources.filterTimeoutSeconds", "predicate.DynamicResourceAllocationEnable")
_VOLUMES = "predicate.VolumeBindingEnable"


_RESOURCES = "resources"
_AMOUNTS = "capacity.DRAConsumableCapacityEnable"
_AMOUNTS_WHY = "claims ask for amounts only with the feature gate DRAConsumableCapacity, which is off by default"


def check(context: LintContext) -> Findings:
    """Look at the arguments of predicates that depend on others, and at the names of resources."""
    has_claims = context.profile.predicates.device_claims == "always"
    for option in given_plugins(context.conf):
        if option.name == "predicates":
            arguments = option.arguments
            for name in arguments:
                place = ConfPlace((*arguments.path, name), key=True)
                if name.startswith("volumebinding.") and arguments.get(_VOLUMES) is False:
                    yield Finding(f"{name} has no effect, as {_VOLUMES} is false", place)
                elif name in _REMARKS and not (name == "volumebinding.weight" and arguments[name] == 1):
                    yield Finding(f"{name} has almost no effect: {_REMARKS[name]}", place)
                elif name == _DRA[0] and not has_claims and arguments.get(_DRA[1]) is not True:
                    yield Finding(f"{name} has no effect, as {_DRA[1]} is not true", place)
        elif option.name == "capacity" and _AMOUNTS in option.arguments and has_claims:
            place = ConfPlace((*option.arguments.path, _AMOUNTS), key=True)
            yield Finding(f"{_AMOUNTS} has almost no effect: {_AMOUNTS_WHY}", place)
        elif option.name == "resource-strategy-fit":
            yield from _patterns(option)


def _patterns(option: PluginOption) -> Findings:
    given = option.arguments.get(_RESOURCES)
    for name in given if isinstance(given, dict) else ():
        if not is_pattern(str(name)):
            place = ConfPlace((*option.arguments.path, _RESOURCES, name), key=True)
            yield Finding(f"{_RESOURCES}.{name} has no effect: an asterisk may only stand at the end of a name", place)


RULE = Rule(
    code="argument-without-effect",
    severity=Severity.NOTE,
    title="the argument has no effect here",
    meaning="The plugin knows the argument but does not use it: the feature that it configures is switched off, or "
    "Volcano v1.14.4 forgets the value or cannot read its name.",
    why="volumebinding arguments are read once, when the scheduler starts; a weight only applies to the first session, "
    "and later sessions use the default. Arguments of a filter that is switched off are not read. Resources of "
    "resource-strategy-fit are names, or the beginning of names with an asterisk after it.",
    fix="Remove the argument, or switch on the feature that it configures.",
    source="pkg/scheduler/plugins/predicates/predicates.go; pkg/scheduler/plugins/predicates/helper.go; "
    "pkg/scheduler/plugins/resource-strategy-fit/resource_strategy_fit.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="volumebinding.weight: 10",
)
