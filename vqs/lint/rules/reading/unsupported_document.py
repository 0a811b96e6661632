"""A document of a version that vqs does not know; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unsupported-document",
    severity=Severity.ERROR,
    title="a document has a version that vqs does not know",
    meaning="The apiVersion begins with vqs/, but is not one that this release reads, or the kind is none that there "
    "is.",
    why="Keys may mean something else in another version.",
    fix="Correct it: apiVersion vqs/v1, kind Scenario. A newer document needs a newer vqs.",
    source="vqs/snapshot/kinds.py",
    example="apiVersion: vqs/v2",
)
