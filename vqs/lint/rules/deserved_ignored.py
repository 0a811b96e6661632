"""Queues that say what they deserve to a plugin that does not listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.lint.amounts import DESERVED, deserved, guarantee
from vqs.lint.queue_plugins import is_given, option, uses
from vqs.lint.queue_tree import queue_tree
from vqs.lint.rule import ConfPlace, Evidence, Finding, Need, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find the first of such queues; deserved that only goes with a guarantee is what the webhook asks for."""
    conf = subject.conf
    proportion = option(conf, "proportion")
    if not is_given(conf) or proportion is None or uses(conf, "capacity"):
        return
    queues = [queue for queue in queue_tree(subject) if deserved(queue.queue).keys() - guarantee(queue.queue).keys()]
    if not queues:
        return
    first, *others = queues
    plugin = Evidence("the plugin proportion is used, and not capacity", ConfPlace((*proportion.path, "name")))
    yield Finding(
        f"{', '.join(queue.name for queue in queues)}: deserved is set, and the plugin proportion does not look at it",
        first.at(*DESERVED, next(iter(first.queue.spec.deserved))),
        (plugin, *(Evidence(f"deserved of {queue.name}", queue.at(*DESERVED)) for queue in others)),
    )


RULE = Rule(
    code="deserved-ignored",
    severity=Severity.WARNING,
    title="queues say what they deserve, and proportion does not look at it",
    meaning="The scheduler uses the plugin proportion, and some queues have spec.deserved for more than what they are "
    "guaranteed.",
    why="proportion works out what queues deserve from their weights. Only the plugin capacity reads spec.deserved.",
    fix="Use capacity in place of proportion, or set weights.",
    source="pkg/scheduler/plugins/proportion/proportion.go; seed 000_4477299607656fe6.txt",
    check=check,
    needs=Need.CONFIGURATION,
    example="deserved: {cpu: 40}, and - name: proportion",
)
