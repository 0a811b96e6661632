"""A file that cannot be opened; found while the input is read."""

from vqs.lint.rule import Rule, Severity

RULE = Rule(
    code="unreadable-file",
    severity=Severity.ERROR,
    title="a file cannot be read",
    meaning="The file does not exist, or may not be read.",
    why="Without it nothing can be said: what refers to objects in it would look wrong.",
    fix="Correct the name, or the permissions.",
    source="vqs/snapshot/sources.py",
    example="vqs lint quues.yaml",
)
