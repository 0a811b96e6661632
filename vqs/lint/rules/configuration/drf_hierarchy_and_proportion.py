"""A hierarchical drf and proportion in different tiers, which Volcano does not refuse."""

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_FLAG = "enableHierarchy"


def check(context: LintContext) -> Findings:
    """Look for both in the whole configuration; within a tier, it would have been refused."""
    options = list(given_plugins(context.conf))
    proportion = next((option for option in options if option.name == "proportion"), None)
    drf = next((option for option in options if option.name == "drf"), None)
    if proportion is not None and drf is not None and drf.enabled(_FLAG):
        message = "drf treats queues as a tree, and proportion, in another tier, does not"
        evidence = Evidence("the plugin proportion is configured here", ConfPlace((*proportion.path, "name")))
        yield Finding(message, ConfPlace((*drf.path, _FLAG)), (evidence,))


RULE = Rule(
    code="drf-hierarchy-and-proportion",
    severity=Severity.WARNING,
    title="drf with hierarchy and proportion are both configured, in different tiers",
    meaning="drf has enableHierarchy: true, and the plugin proportion is in another tier.",
    why="Volcano refuses both in one tier but does not check across tiers. In different tiers, the upper plugin orders "
    "the queues and usually selects the victims of reclaim, while proportion still limits each queue to what it "
    "deserves by its own weight, regardless of the tree.",
    fix="Remove proportion, or enableHierarchy of drf.",
    source="pkg/scheduler/util.go; pkg/scheduler/framework/session_plugins.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="- plugins:\n  - {name: drf, enableHierarchy: true}\n- plugins:\n  - name: proportion",
)
