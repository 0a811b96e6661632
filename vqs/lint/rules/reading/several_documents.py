"""A configuration of several YAML documents; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="several-documents",
    severity=Severity.WARNING,
    title="only the first document of the configuration counts",
    meaning="The text of the scheduler's configuration has a line --- in it, with more below.",
    why="Volcano reads the first YAML document of the text, and drops the others without a word.",
    fix="Make one document of them, or remove what is not wanted.",
    source="pkg/scheduler/util.go",
    example="actions: allocate\n---\ntiers: []",
)
