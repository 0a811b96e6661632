"""Jobs whose minimum nobody looks at."""

from collections.abc import Iterator

from vqs.lint.context import LintContext
from vqs.lint.finding import Evidence, Finding, Place, Severity
from vqs.lint.plugins import TIERS, given_plugins
from vqs.lint.queue_plugins import uses
from vqs.lint.rule import Need, Rule

_MORE_THAN_ONE = 2


def check(context: LintContext) -> Iterator[Finding]:
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
        evidence = (Evidence(text, Place(at.list_name, at.index, ("spec", "minMember"))),)
    yield Finding("without the plugin gang, nobody looks at minMember", TIERS, evidence)


RULE = Rule(
    code="no-gang",
    severity=Severity.WARNING,
    title="there is no plugin gang, so that minMember has no effect",
    meaning="No tier has the plugin gang, and there are PodGroups with a minMember above 1, or none in the input.",
    why="gang is what makes a job wait until its minimum of pods has places. Without it every pod is bound as soon as "
    "it has one, and jobs that need all of theirs can block each other.",
    fix="Add gang to the first tier.",
    source="pkg/scheduler/plugins/gang/gang.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="tiers with priority, predicates and nodeorder only",
)
