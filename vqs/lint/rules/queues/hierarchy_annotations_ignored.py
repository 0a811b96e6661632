"""Hierarchy annotations that no plugin looks at."""

from vqs.lint.plugins import has_hierarchy
from vqs.lint.queue_tree import hierarchies
from vqs.lint.rule import ConfPlace, Evidence, Finding, Findings, LintContext, Need, Rule, Severity


def check(context: LintContext) -> Findings:
    """Find queues that have them, where drf does not look at them."""
    conf = context.conf
    if has_hierarchy(conf, "drf"):
        return
    drf = conf.plugin("drf")
    evidence = (Evidence("enableHierarchy is not true here", ConfPlace(drf.path)),) if drf else ()
    for each in hierarchies(context):
        message = f"queue {each.queue.name} has hierarchy annotations, and no plugin reads them"
        yield Finding(message, each.at_path if each.path else each.at_weights, evidence)


RULE = Rule(
    code="hierarchy-annotations-ignored",
    severity=Severity.WARNING,
    title="hierarchy annotations are set, and no plugin reads them",
    meaning="Queues have volcano.sh/hierarchy or volcano.sh/hierarchy-weights, and the plugin drf is not used with "
    "enableHierarchy: true.",
    why="Only drf reads these annotations. The plugin capacity builds its tree from spec.parent.",
    fix="Add enableHierarchy: true to the plugin drf, which then may not be in a tier with proportion; or use "
    "spec.parent and the plugin capacity.",
    source="pkg/scheduler/plugins/drf/drf.go",
    check=check,
    needs=Need.CONFIGURATION,
    example="volcano.sh/hierarchy: root/eng/dev, and - name: drf",
    given_conf=True,
)
