"""An object that is given twice; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="duplicate-object",
    severity=Severity.ERROR,
    title="an object is given twice",
    meaning="Two objects have the same kind, namespace and name, and differ. Only the first is looked at. Where they "
    "are the same in all, it is a note.",
    why="In a cluster there is one object of a name: what is applied last wins, so that the order of the files "
    "decides.",
    fix="Remove one, or give it another name.",
    source="vqs/snapshot/reader.py",
    example="two Queues called research, of weight 1 and of weight 3",
)
