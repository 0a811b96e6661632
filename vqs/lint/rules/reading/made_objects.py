"""PodGroups and pods that were made from what people write; said by a simulation."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="made-objects",
    severity=Severity.NOTE,
    title="objects were made as the controllers would",
    meaning="The input has Jobs, Deployments or bare pods, and not the PodGroups and pods that controllers make of "
    "them. A simulation makes them, and counts them.",
    why="The scheduler looks at PodGroups and pods only.",
    fix="Nothing; vqs expand shows what was made.",
    source="vqs/snapshot/controllers/complete.py",
    example="1 PodGroup and 3 Pods from 1 Job",
)
