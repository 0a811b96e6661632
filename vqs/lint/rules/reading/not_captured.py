"""What vqs capture could not read of a cluster; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="not-captured",
    severity=Severity.WARNING,
    title="a part of the cluster could not be captured",
    meaning="The snapshot says of itself that some kinds, or all namespaces but one, are not in it.",
    why="The scheduler sees them, so its decisions may differ from those told here.",
    fix="Capture again with the right to list these kinds in all namespaces.",
    source="vqs/snapshot/captured.py",
    example="no right to list persistentvolumes; without them, volumes are taken to be fine",
)
