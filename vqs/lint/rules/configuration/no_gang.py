"""Jobs whose minimum has no effect."""

from vqs.lint.plugins import TIERS, given_plugins, uses
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Need, Rule, Severity

_MORE_THAN_ONE = 2


def check(context: LintContext) -> Findings:
    """Look for the plugin gang, and for a PodGroup that needs it."""
    if uses(context.conf, "gang") or not any(True for _ in given_plugins(context.conf)):
        return
    groups = list(context.objects("pod_groups"))
    first = next(((group, at) for group, at in groups if (group.spec.min_member or 0) >= _MORE_THAN_ONE), None)
    if first is None and groups:
        return
    evidence: tuple[Evidence, ...] = ()
    if first is not None:
        group, at = first
        text = f"{context.named(group)} has minMember {group.spec.min_member}"
        evidence = (Evidence(text, at.at("spec", "minMember")),)
    yield Finding("without the plugin gang, minMember has no effect", TIERS, evidence)


RULE = Rule(
    code="no-gang",
    severity=Severity.WARNING,
    title="the plugin gang is missing, so minMember has no effect",
    meaning="No tier has the plugin gang, and PodGroups have a minMember above 1, or the input has none.",
    why="The plugin gang makes a job wait until minMember pods can be placed together. Without it, every pod is bound "
    "as soon as it fits, and jobs that each need all of their pods can block each other.",
    fix="Add gang to the first tier.",
    source="pkg/scheduler/plugins/gang/gang.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="tiers with priority, predicates and nodeorder only",
)
