"""A file that is named twice; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="read-once",
    severity=Severity.NOTE,
    title="a file is given more than once",
    meaning="The same file is named twice, or is in a folder that is named too. It is read once.",
    why="Otherwise each of its objects would be there twice.",
    fix="Nothing; or name it once.",
    source="vqs/snapshot/sources.py",
    example="vqs lint cluster/ cluster/queues.yaml",
)
