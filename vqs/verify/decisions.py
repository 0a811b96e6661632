"""Decisions of a cluster or of vqs, in the form in which they are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Decisions:
    """Decisions on pods and PodGroups, all by namespace/name.

    Attributes:
        bound: the node of each pod that was bound.
        evicted: the pods that were evicted.
        phases: the phase of each PodGroup.
        conditions: the message of each new condition Unschedulable of a PodGroup.
        messages: the message of each new condition PodScheduled of a pod.
    """

    bound: dict[str, str] = field(default_factory=dict)
    evicted: set[str] = field(default_factory=set)
    phases: dict[str, str] = field(default_factory=dict)
    conditions: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)


def by_group(pods: Collection[str], groups: Mapping[str, str]) -> Counter[str]:
    """Count pods by PodGroup; those without are counted under the empty name."""
    return Counter(groups.get(pod, "") for pod in pods)
