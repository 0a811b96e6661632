"""A file that was given as the configuration and is none; found while it is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="no-configuration",
    severity=Severity.ERROR,
    title="the file holds no scheduler configuration",
    meaning="The file that was given as the configuration has Kubernetes objects in it, but no ConfigMap with actions "
    "or tiers under a key that ends in .conf.",
    why="The scheduler reads the file that --scheduler-conf names, commonly a key of a ConfigMap that is mounted.",
    fix="Give the ConfigMap volcano-scheduler-configmap, or the bare text.",
    source="pkg/scheduler/scheduler.go",
    example="--conf queues.yaml",
)
