"""A scenario that leaves out what it has to say; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="missing-value",
    severity=Severity.ERROR,
    title="something is missing in a scenario",
    meaning="A part of a scenario has to say something that it does not, such as the name of a queue.",
    why="vqs cannot guess it.",
    fix="Add it; vqs schema scenario tells what each part has to have.",
    source="vqs/snapshot/scenario/schema.py",
    example="queues: [{weight: 2}]",
)
