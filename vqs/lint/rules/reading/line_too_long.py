"""A line that is longer than any that people write; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="line-too-long",
    severity=Severity.ERROR,
    title="a line is too long to be YAML",
    meaning="A line of the file has more than 16 million characters.",
    why="Reading it as YAML would take minutes and gigabytes. It is most often JSON with something before it.",
    fix="Take out what stands before the JSON, or write the file again with line breaks.",
    source="vqs/snapshot/yaml_text.py",
    example="a dump in JSON behind a line of a log",
)
