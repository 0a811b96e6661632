"""Aliases in YAML that expand without end, or to more than any manifest has; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="alias-bomb",
    severity=Severity.ERROR,
    title="the aliases of a YAML document stand for too much",
    meaning="The aliases of the document contain themselves, or stand for more than a million values. Nothing of it "
    "is read.",
    why="kubectl and the API server refuse such a document too: written out it would fill the memory.",
    fix="Write out what the aliases stand for, or take out the one that contains itself.",
    source="gopkg.in/yaml.v2 decode.go",
    example="a: &a [*a]",
)
