"""Queues as a tree, asked of a plugin that does not know trees."""

from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Finding, Findings, LintContext, Need, Rule, Severity

_FLAG = "enableHierarchy"


def check(context: LintContext) -> Findings:
    """Look for the flag at plugins that do not look at it."""
    for option in given_plugins(context.conf):
        if option.enabled(_FLAG) and option.name in PLUGINS and option.name not in WITH_HIERARCHY:
            fix = "use the plugin capacity instead of proportion" if option.name == "proportion" else ""
            message = f"{option.name} does not read {_FLAG}"
            yield Finding(message, ConfPlace((*option.path, _FLAG), key=True), fix=fix)


RULE = Rule(
    code="hierarchy-without-effect",
    severity=Severity.WARNING,
    title="the plugin does not support hierarchies",
    meaning="enableHierarchy is true for a plugin other than capacity, drf and nodegroup.",
    why="Only these three plugins read it: capacity for spec.parent, drf for the annotation volcano.sh/hierarchy, "
    "nodegroup to inherit affinity. Others ignore it and treat all queues as equals.",
    fix="Set it for the plugin that divides the cluster among queues; for spec.parent, that has to be capacity.",
    source="pkg/scheduler/framework/session.go (HierarchyEnabled)",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n  enableHierarchy: true",
)
