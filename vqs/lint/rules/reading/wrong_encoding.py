"""A file that is no text in UTF-8; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="wrong-encoding",
    severity=Severity.ERROR,
    title="a file is no text",
    meaning="The file is neither UTF-8 nor marked as UTF-16.",
    why="It is binary, or written by an editor with another encoding. PowerShell before version 6 writes UTF-16 "
    "into files.",
    fix="Save it as UTF-8.",
    source="vqs/snapshot/sources.py",
    example="a file in Latin-1 with an umlaut",
)
