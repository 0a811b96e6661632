"""The weight of a resource that is not in the list of resources."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_LISTS = {"binpack": "binpack.resources", "network-topology-aware": "hypernode.binpack.resources"}


def check(context: LintContext) -> Findings:
    """Compare the weights of resources with the list of them."""
    for option in given_plugins(context.conf):
        listed = _LISTS.get(option.name, "")
        if not listed:
            continue
        names = {name.strip() for name in str(option.arguments.get(listed, "")).split(",")}
        for argument in option.arguments:
            resource = argument.removeprefix(f"{listed}.")
            if resource != argument and resource not in names:
                message = f"{listed} does not name {resource}, so its weight is ignored"
                fix = f"write {listed}: {', '.join(sorted(names - {''} | {resource}))}"
                yield Finding(message, ConfPlace((*option.arguments.path, argument), key=True), fix=fix)


RULE = Rule(
    code="unlisted-resource",
    severity=Severity.WARNING,
    title="the weight of a resource is ignored because the list does not name it",
    meaning="binpack.resources.NAME gives a resource a weight, and binpack.resources does not name it; the same with "
    "hypernode.binpack.resources.",
    why="Only cpu, memory and the resources listed in binpack.resources are packed. cpu and memory have arguments of "
    "their own, binpack.cpu and binpack.memory.",
    fix="Add the resource to binpack.resources, with commas between the names.",
    source="pkg/scheduler/plugins/binpack/binpack.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="arguments: {binpack.resources.nvidia.com/gpu: 10}",
)
