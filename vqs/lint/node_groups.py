"""Node groups: which nodes are in one, and which queues ask for one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from vqs.lint.context import LintContext
from vqs.model.keys import NODE_GROUP
from vqs.model.kubernetes import PREFERRED, REQUIRED, NodeGroupTerms, Queue
from vqs.snapshot.reading.diagnostics import Path

_AFFINITY: Final[Path] = ("spec", "affinity")


def groups_of_nodes(context: LintContext) -> dict[str, int]:
    """Return how many nodes each group has."""
    found: dict[str, int] = {}
    for node, _ in context.objects("nodes"):
        group = node.metadata.labels.get(NODE_GROUP)
        if group is not None:
            found[group] = found.get(group, 0) + 1
    return found


def is_set(queue: Queue) -> bool:
    """Tell whether a queue's affinity, or anti-affinity, names any group."""
    affinity = queue.spec.affinity
    if affinity is None:
        return False
    terms = (affinity.node_group_affinity, affinity.node_group_anti_affinity)
    return any(each is not None and (each.required or each.preferred) for each in terms)


def wanted(queue: Queue) -> Iterator[tuple[str, Path]]:
    """Yield the groups that a queue wants, with their paths."""
    terms = queue.spec.affinity.node_group_affinity if queue.spec.affinity is not None else None
    if terms is not None:
        yield from _names(terms, (*_AFFINITY, "nodeGroupAffinity"))


def _names(terms: NodeGroupTerms, path: Path) -> Iterator[tuple[str, Path]]:
    for key, names in ((REQUIRED, terms.required), (PREFERRED, terms.preferred)):
        for index, name in enumerate(names):
            yield name, (*path, key, index)
