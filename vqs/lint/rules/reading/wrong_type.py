"""A value of a type that its field cannot have; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="wrong-type",
    severity=Severity.ERROR,
    title="a value has the wrong type",
    meaning="A field holds a text where it should have a number, an object where it should have a list, and so on. "
    "The value is left out of account, and whatever depends on it.",
    why="The API server refuses the object; if it is the scheduler's configuration, Volcano refuses all of it.",
    fix="Write the value as the message says: most often it is a matter of quotes.",
    source="config/crd/volcano/bases",
    example='weight: "3"',
)
