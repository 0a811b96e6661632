"""A plugin that is named more than once."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Look for names that came before."""
    first: dict[str, ConfPlace] = {}
    for option in given_plugins(context.conf):
        place = ConfPlace((*option.path, "name"))
        if option.name in first:
            earlier = Evidence(f"the plugin {option.name} is listed here first", first[option.name])
            yield Finding(f"plugin {option.name} is listed twice", place, (earlier,))
        first.setdefault(option.name, place)


RULE = Rule(
    code="repeated-plugin",
    severity=Severity.WARNING,
    title="the plugin is configured twice",
    meaning="The tiers list the same plugin more than once.",
    why="Volcano creates the plugin once per entry. The last one replaces the functions of the others and is called "
    "once per entry: its scores count double, and its arguments apply. Each of them tracks the pods that are placed. "
    "For enableHierarchy, the first entry counts.",
    fix="List it once, with all flags and arguments.",
    source="pkg/scheduler/framework/framework.go; pkg/scheduler/framework/session_plugins.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="binpack in the first and in the second tier",
)
