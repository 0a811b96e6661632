"""A queue whose path in the hierarchy goes through another queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.lint.hierarchy_annotations import hierarchies
from vqs.lint.rule import Evidence, Finding, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find queues that stand where others pass through."""
    known = [each for each in hierarchies(subject) if each.path]
    for upper in known:
        steps = upper.stored_steps
        below = [each for each in known if each is not upper and _is_above(steps, each.stored_steps)]
        if below:
            late = any(subject.is_stored(each.queue.queue) for each in below)
            yield Finding(
                f"queue {upper.queue.name} is at {upper.path}, which {below[0].path} of queue {below[0].queue.name} "
                f"leads through",
                upper.at_path,
                tuple(Evidence(f"queue {each.queue.name} is at {each.path}", each.at_path) for each in below),
                severity=None if late else Severity.WARNING,
                denied="webhook" if late else None,
            )


def _is_above(steps: list[str], others: list[str]) -> bool:
    return len(steps) < len(others) and others[: len(steps)] == steps


RULE = Rule(
    code="conflicting-hierarchies",
    severity=Severity.ERROR,
    title="a queue is on the path to another one",
    meaning="volcano.sh/hierarchy of one queue is the beginning of that of another one.",
    why="The webhook for queues refuses it: only leaves of this tree are queues. The plugin drf with enableHierarchy "
    "would weigh the jobs of the upper queue against the whole lower one.",
    fix="Give the upper queue a leaf of its own, such as root/eng/common beside root/eng/dev.",
    source="pkg/webhooks/admission/queues/validate/validate_queue.go",
    check=check,
    example="volcano.sh/hierarchy: root/eng on one queue, root/eng/dev on another",
    stands=Severity.WARNING,
)
