"""Plugins that have nothing to decide, as no action asks them."""

from collections.abc import Iterator

from vqs.lint.plugins import given_plugins
from vqs.lint.rule import ConfPlace, Evidence, Finding, Need, Rule, Severity
from vqs.lint.subject import Subject

_GATES = ("overcommit", "resourcequota")


def check(subject: Subject) -> Iterator[Finding]:
    """Look for plugins that only answer the action enqueue."""
    if "enqueue" in subject.conf.actions:
        return
    for option in given_plugins(subject.conf):
        if option.name in _GATES:
            actions = Evidence("enqueue is not among the actions", ConfPlace(("actions",)))
            message = f"{option.name} is only asked by enqueue, which is not among the actions"
            yield Finding(message, ConfPlace((*option.path, "name")), (actions,))


RULE = Rule(
    code="gate-without-enqueue",
    severity=Severity.WARNING,
    title="the plugin is asked only by enqueue, which is not configured",
    meaning="overcommit or resourcequota is configured, and the action enqueue is not.",
    why="These plugins decide which jobs are let into their queues, and nothing else. Without enqueue, allocate lets "
    "in all jobs, and asks nobody.",
    fix="Add enqueue as the first action, or remove the plugin.",
    source="pkg/scheduler/plugins/overcommit/overcommit.go, pkg/scheduler/actions/allocate/allocate.go",
    check=check,
    needs=Need.CONFIGURATION,
    example='actions: "allocate, backfill" with the plugin overcommit',
)
