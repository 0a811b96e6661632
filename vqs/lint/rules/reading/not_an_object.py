"""A document that is no Kubernetes object; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="not-an-object",
    severity=Severity.ERROR,
    title="a document is no Kubernetes object",
    meaning="A document is a text or a list of texts, or has no apiVersion or no kind.",
    why="Nobody can tell what it is about. A bare volcano-scheduler.conf is one such file.",
    fix="Add apiVersion and kind; give the scheduler's configuration with --conf.",
    source="vqs/snapshot/reader.py",
    example="a file that begins with actions: and tiers:",
)
