"""Queues as a tree, asked of a plugin that does not know trees."""

from collections.abc import Iterator

from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.lint.context import LintContext
from vqs.lint.finding import ConfPlace, Finding, Severity
from vqs.lint.plugins import given_plugins
from vqs.lint.rule import Need, Rule

_FLAG = "enableHierarchy"


def check(context: LintContext) -> Iterator[Finding]:
    """Look for the flag at plugins that do not look at it."""
    for option in given_plugins(context.conf):
        if option.enabled(_FLAG) and option.name in PLUGINS and option.name not in WITH_HIERARCHY:
            fix = "use the plugin capacity instead of proportion" if option.name == "proportion" else ""
            message = f"{option.name} does not look at {_FLAG}"
            yield Finding(message, ConfPlace((*option.path, _FLAG), key=True), fix=fix)


RULE = Rule(
    code="hierarchy-without-effect",
    severity=Severity.WARNING,
    title="the plugin does not know hierarchies",
    meaning="enableHierarchy is true for a plugin other than capacity, drf and nodegroup.",
    why="Only these three look at it: capacity for parents of queues, drf for the annotation volcano.sh/hierarchy, "
    "nodegroup to inherit affinity. For others it is dropped, and queues stay side by side.",
    fix="Set it for the plugin that divides the cluster among queues, which has to be capacity for spec.parent.",
    source="pkg/scheduler/framework/session.go (HierarchyEnabled)",
    check=check,
    needs=Need.CONFIGURATION,
    example="- name: proportion\n  enableHierarchy: true",
)
