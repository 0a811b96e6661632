"""Workloads that stand for more pods than can be made; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="too-many-pods",
    severity=Severity.ERROR,
    title="workloads stand for too many pods",
    meaning="Jobs, Deployments and others without pods of their own stand for more than 250,000 pods together.",
    why="They would take all the memory there is, and no cluster has so many.",
    fix="Lower the replicas, or lint a part of the input.",
    source="vqs/snapshot/controllers/world.py",
    example="replicas: 300000",
)
