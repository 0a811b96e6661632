"""Objects of kinds that are not used, though one could think so; found while the input is read."""

from vqs.lint.finding import Severity
from vqs.lint.rule import Rule

RULE = Rule(
    code="ignored-kinds",
    severity=Severity.NOTE,
    title="objects of some kinds are not used",
    meaning="The input has objects that vqs does not look at, though one could think so, such as CronJobs, "
    "LimitRanges, or a Deployment for another scheduler. The note counts them. Kinds that have nothing to do with "
    "scheduling, such as Secrets, are left out without a word. In a comparison, those that a change adds, changes or "
    "deletes are a warning, with the pods of other schedulers, and with webhooks, roles and autoscalers.",
    why="Nothing is known of what they would change, so that it is better said.",
    fix="Nothing, unless a kind is among them that should matter: then look at its apiVersion.",
    source="vqs/snapshot/kinds.py",
    example="not used: 12 CronJob",
)
