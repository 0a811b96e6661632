"""More than one scheduler configuration; found while they are read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="several-configurations",
    severity=Severity.ERROR,
    title="there are several scheduler configurations to choose from",
    meaning="The input has more than one scheduler configuration, and none or several of them are in a ConfigMap "
    "named volcano-scheduler-configmap.",
    why="A scheduler has one configuration. Which one it is, is told by its pod, which vqs does not look at.",
    fix="Choose with --conf FILE, or leave the others out.",
    source="pkg/scheduler/scheduler.go",
    example="Two ConfigMaps with a key volcano-scheduler.conf, as two releases of Volcano in one cluster have.",
)
