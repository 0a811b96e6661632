"""A kind that is spelt nearly like one that is used; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unknown-kind",
    severity=Severity.WARNING,
    title="the kind or the API group of an object looks misspelt",
    meaning="An object is not used, and its kind and group are nearly those of one that would be.",
    why="A Queue in the group scheduling.volcano.io is no Queue to anybody: the API server does not know the "
    "kind, and vqs leaves it out.",
    fix="Correct apiVersion or kind.",
    source="vqs/snapshot/kinds.py",
    example="apiVersion: scheduling.volcano.io/v1beta1",
)
