"""More errors than anyone reads; counted when the input is refused."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="too-many-errors",
    severity=Severity.ERROR,
    title="there are more errors than are shown",
    meaning="The input has more than 1,000 errors, or more than 1,000 warnings and notes. The first ones are shown, "
    "and the others are counted.",
    why="Nobody reads so many, and most of them have few causes.",
    fix="Mend those that are shown, and try again.",
    source="vqs/snapshot/diagnostics.py",
    example="a scenario with 2,000 keys that there are not",
)
