"""Queues that give a level which they share different weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.lint.hierarchy_annotations import hierarchies
from vqs.lint.rule import Evidence, Finding, Rule, Severity
from vqs.snapshot.hierarchy_paths import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.lint.hierarchy_annotations import Hierarchy
    from vqs.lint.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find the queues that disagree with one whose name goes before theirs. The weight of the root is not looked at."""
    said: dict[tuple[str, ...], tuple[float, Hierarchy]] = {}
    for hierarchy in hierarchies(subject):
        for path, weight in _weights(hierarchy):
            first_weight, first = said.setdefault(path, (weight, hierarchy))
            if weight != first_weight:
                level = "/".join(path)
                yield Finding(
                    f"queue {hierarchy.queue.name} gives {level} the weight {weight:g}, and queue {first.queue.name} "
                    f"{first_weight:g}",
                    hierarchy.at_weights,
                    (Evidence(f"queue {first.queue.name} gives {level} {first_weight:g}", first.at_weights),),
                )
                break


def _weights(hierarchy: Hierarchy) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the weights as they count, which is as 1 where they are less."""
    steps = hierarchy.stored_steps
    texts = hierarchy.step_weights
    weights = ["1"] * (len(steps) - len(hierarchy.steps)) + texts
    if not hierarchy.weights or len(weights) != len(steps):
        return
    for depth in range(1, len(steps)):
        weight = number(weights[depth])
        if weight is not None:
            yield tuple(steps[: depth + 1]), max(weight, 1.0)


RULE = Rule(
    code="conflicting-hierarchy-weights",
    severity=Severity.WARNING,
    title="queues give a level that they share different weights",
    meaning="volcano.sh/hierarchy of two queues begins alike, and volcano.sh/hierarchy-weights gives a level of that "
    "beginning different weights.",
    why="The plugin drf with enableHierarchy takes the weight of whichever queue it meets first, in no fixed order: it "
    "may be another one in the next session.",
    fix="Give a level the same weight in all queues below it.",
    source="pkg/scheduler/plugins/drf/drf.go (buildHierarchy)",
    check=check,
    example="root/eng/dev with 1/2/8 on one queue, root/eng/prod with 1/3/8 on another",
)
