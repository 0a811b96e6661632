"""Pods that wait for others of their Job; said by a simulation."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="held-back",
    severity=Severity.NOTE,
    title="pods were not made, as they wait for others of their Job",
    meaning="A task of a Volcano Job has dependsOn, so that its pods are made when those of another task run. A "
    "simulation says so.",
    why="The controller makes them later, and a simulation shows one session.",
    fix="Nothing; to see what becomes of them, take out dependsOn.",
    source="pkg/controllers/job/job_controller_actions.go",
    example="dependsOn: {name: [ps]}",
)
