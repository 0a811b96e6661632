"""The annotations and messages that vqs reads: of others, what is captured and given away has none."""

from __future__ import annotations

from typing import Final

from vqs.model import keys
from vqs.model.claims import CLASS_ANNOTATION

OTHER_ANNOTATIONS: Final = frozenset(
    {
        CLASS_ANNOTATION,
        "apps.kubernetes.io/pod-index",
        "batch.kubernetes.io/job-completion-index",
        "controller.kubernetes.io/pod-deletion-cost",
        "nvidia.com/nouse-gputype",
        "nvidia.com/use-gputype",
        "pv.kubernetes.io/bind-completed",
        "sla-waiting-time",
        "volume.kubernetes.io/selected-node",
    }
)
"""Annotations that decide and are in no domain of Volcano."""

SCHEDULER_CONDITIONS: Final = frozenset({"PodScheduled", "Unschedulable", "Scheduled"})
"""Conditions that a scheduler writes, whose messages are compared."""

_VOLCANO: Final = "volcano.sh"
_DEVICES: Final = "hami.io"
"""Where HAMi's device plugins, and the scheduler for them, keep their annotations."""
_OF_GROUPS: Final = keys.GROUP_NAME.partition("/")[0]


def is_read(annotation: str) -> bool:
    """True if vqs may read an annotation: those of Volcano's domains are looked through for misspelt ones.

    >>> is_read("vqs.volcano.sh/ignore"), is_read("kapp.k14s.io/original")
    (True, False)
    """
    domain = annotation.rpartition("/")[0]
    return (
        domain in {_VOLCANO, _OF_GROUPS, _DEVICES} or domain.endswith(f".{_VOLCANO}") or annotation in OTHER_ANNOTATIONS
    )
