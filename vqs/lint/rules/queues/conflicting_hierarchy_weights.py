"""Queues that give a level which they share different weights."""

from collections.abc import Iterator

from vqs.lint.queue_tree import Hierarchy, hierarchies
from vqs.lint.rule import Evidence, Finding, Findings, LintContext, Rule, Severity
from vqs.snapshot.cluster.hierarchy_paths import number


def check(context: LintContext) -> Findings:
    """Find the queues that disagree with one whose name goes before theirs. The weight of the root is not looked at."""
    levels: dict[tuple[int, str], int] = {}
    said: dict[int, tuple[float, Hierarchy]] = {}
    for hierarchy in hierarchies(context):
        steps = hierarchy.stored_steps
        level_number = 0
        for depth, weight in enumerate(_weights(hierarchy)):
            level_number = levels.setdefault((level_number, steps[depth]), len(levels) + 1)
            if weight is None:
                continue
            first_weight, first = said.setdefault(level_number, (weight, hierarchy))
            if weight != first_weight:
                level = "/".join(steps[: depth + 1])
                yield Finding(
                    f"queue {hierarchy.queue.name} gives {level} the weight {weight:g}, and queue {first.queue.name} "
                    f"{first_weight:g}",
                    hierarchy.at_weights,
                    (Evidence(f"queue {first.queue.name} gives {level} {first_weight:g}", first.at_weights),),
                )
                break


def _weights(hierarchy: Hierarchy) -> Iterator[float | None]:
    """Yield the weight of each level as it counts, which is as 1 where it is less; None for the root, and for none."""
    steps = hierarchy.stored_steps
    texts = hierarchy.step_weights
    weights = ["1"] * (len(steps) - len(hierarchy.steps)) + texts
    if not hierarchy.weights or len(weights) != len(steps):
        return
    yield None
    for text in weights[1:]:
        weight = number(text)
        yield None if weight is None else max(weight, 1.0)


RULE = Rule(
    code="conflicting-hierarchy-weights",
    severity=Severity.WARNING,
    title="queues give different weights to a level that they share",
    meaning="volcano.sh/hierarchy of two queues begins with the same levels, and volcano.sh/hierarchy-weights gives "
    "one of these levels different weights.",
    why="The plugin drf with enableHierarchy uses the weight of the queue that it reads first, in no fixed order: the "
    "next session may use another one.",
    fix="Give a level the same weight in all queues below it.",
    source="pkg/scheduler/plugins/drf/drf.go (buildHierarchy)",
    check=check,
    example="root/eng/dev with 1/2/8 on one queue, root/eng/prod with 1/3/8 on another",
)
