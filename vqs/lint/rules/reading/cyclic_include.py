"""Scenarios that include one another; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="cyclic-include",
    severity=Severity.ERROR,
    title="scenarios include one another",
    meaning="A scenario includes a file that, by way of others or not, includes the scenario itself.",
    why="vqs reads each file once, and what comes first in a circle is nobody's intention.",
    fix="Take out one of the includes; name the files on the command line instead.",
    source="vqs/snapshot/scenario/include.py",
    example="include: base.yaml, where base.yaml includes this file",
)
