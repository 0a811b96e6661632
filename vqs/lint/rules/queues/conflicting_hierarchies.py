"""A queue whose path in the hierarchy goes through another queue."""

from itertools import islice
from operator import itemgetter
from typing import Final

from vqs.lint.queue_tree import Hierarchy, hierarchies
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity

_MOST_SHOWN: Final = 20
"""The most queues below another one that are shown as evidence."""


def check(context: LintContext) -> Findings:
    """Find queues on the paths of others."""
    known = [each for each in hierarchies(context) if each.path]
    below_path = _below(known)
    for upper in known:
        below = below_path[upper.path]
        if below:
            evidence = [
                Evidence(f"queue {each.queue.name} is at {each.path}", each.at_path) for each in below[:_MOST_SHOWN]
            ]
            if len(below) > _MOST_SHOWN:
                evidence.append(Evidence(f"{len(below) - _MOST_SHOWN} more queues are below it"))
            late = any(context.is_stored(each.queue.queue) for each in below)
            yield Finding(
                f"queue {upper.queue.name} is at {upper.path}, which {below[0].path} of queue {below[0].queue.name} "
                f"leads through",
                upper.at_path,
                tuple(evidence),
                severity=None if late else Severity.WARNING,
                denied="webhook" if late else None,
            )


def _below(known: list[Hierarchy]) -> dict[str, list[Hierarchy]]:
    """The queues below each path that a queue is at, in the order in which they are given."""
    steps = {each.path: each.stored_steps for each in known}
    ordered = sorted(enumerate(known), key=lambda each: (steps[each[1].path], each[0]))
    found: dict[str, list[Hierarchy]] = {}
    for at, (_, upper) in enumerate(ordered):
        if upper.path not in found:
            own = steps[upper.path]
            longer = []
            for number, other in islice(ordered, at + 1, None):
                others = steps[other.path]
                if others[: len(own)] != own:
                    break
                longer += [(number, other)] if len(others) > len(own) else []
            found[upper.path] = [each for _, each in sorted(longer, key=itemgetter(0))]
    return found


RULE = Rule(
    code="conflicting-hierarchies",
    severity=Severity.ERROR,
    title="a queue is on the path to another queue",
    meaning="volcano.sh/hierarchy of one queue is the beginning of that of another queue.",
    why="The webhook for queues refuses it: only leaves of this tree can be queues. The plugin drf with "
    "enableHierarchy would compare each job of the upper queue with the whole lower queue.",
    fix="Give the upper queue a leaf of its own, such as root/eng/common beside root/eng/dev.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="volcano.sh/hierarchy: root/eng on one queue, root/eng/dev on another",
    stands=Severity.WARNING,
)
