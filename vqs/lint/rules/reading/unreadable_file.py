"""A file that cannot be opened or unpacked; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unreadable-file",
    severity=Severity.ERROR,
    title="a file cannot be read",
    meaning="The file does not exist, may not be read, or is compressed and damaged or much too large.",
    why="Without it nothing can be said: what refers to objects in it would look wrong.",
    fix="Correct the name, or the permissions; get what is damaged again.",
    source="vqs/snapshot/sources.py",
    example="vqs lint quues.yaml",
)
