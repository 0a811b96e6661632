"""Objects of kinds that have nothing to do with scheduling; found while the input is read."""

from vqs.lint.rule import Rule, Severity

RULE = Rule(
    code="ignored-kinds",
    severity=Severity.NOTE,
    title="objects of some kinds are not used",
    meaning="The input has objects of kinds that scheduling does not look at, such as Secrets. The note counts them.",
    why="A dump of a cluster has more than a scheduler reads.",
    fix="Nothing, unless a kind is among them that should matter: then look at its apiVersion.",
    source="vqs/snapshot/kinds.py",
    example="not used: 12 Secret",
)
