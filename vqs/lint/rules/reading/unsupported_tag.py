"""A YAML tag that stands for no plain value; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="unsupported-tag",
    severity=Severity.ERROR,
    title="a YAML tag is not supported",
    meaning="A value has a tag such as !!set or one of a program's own.",
    why="Kubernetes knows the values of JSON only, and a tag can ask for anything.",
    fix="Remove the tag.",
    source="vqs/snapshot/yaml_text.py",
    example="weight: !!python/name:os.system",
)
