"""A key that is given twice in one object; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="duplicate-key",
    severity=Severity.ERROR,
    title="a key is given twice",
    meaning="An object in YAML or JSON has the same key twice. vqs goes on with the last one, as most readers do.",
    why="Of two values one is lost without a word, and which one depends on who reads: kubectl refuses the file "
    "with strict validation, and takes the last one without.",
    fix="Remove the one that is not meant.",
    source="sigs.k8s.io/yaml yaml.go",
    example="spec: {weight: 1, weight: 3}",
)
