"""A plugin without a name; found while the configuration is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="missing-plugin-name",
    severity=Severity.WARNING,
    title="the plugin has no name",
    meaning="An item of a tier's plugins does not say which plugin it is about.",
    why="There is no plugin with an empty name. The scheduler writes in its log that it failed to get it, in every "
    "session, and goes on without it.",
    fix="Write name: as the first key of the item, or remove the item.",
    source="pkg/scheduler/framework/framework.go",
    example="- plugins:\n  - arguments: {binpack.weight: 10}",
)
