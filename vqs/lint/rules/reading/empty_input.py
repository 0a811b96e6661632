"""An input without any object; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="empty-input",
    severity=Severity.ERROR,
    title="there is nothing in the input",
    meaning="A file holds no document, a folder no manifest, or all of the input no object.",
    why="Nothing can be said about nothing, and an empty file is most often a command that failed.",
    fix="Look at how the file was made: kubectl writes an empty one when it may not read the cluster.",
    source="vqs/snapshot/reader.py",
    example="a file of comments",
)
