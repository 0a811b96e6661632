"""Pods that are made together, and really one after another; said by a simulation."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="made-at-once",
    severity=Severity.NOTE,
    title="pods were made at once that really are made one after another",
    meaning="The pods of a StatefulSet with OrderedReady, or of a Job whose tasks depend on each other, stand there "
    "all at once. A simulation says so.",
    why="In a cluster each waits for the one before it to be ready.",
    fix="Nothing; look at the first of them.",
    source="vqs/snapshot/controllers/workloads.py",
    example="podManagementPolicy: OrderedReady",
)
