"""Which resources of queues people are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from vqs.explain.outcome import QueueResult
from vqs.explain.queues.outcome import QueueReport
from vqs.report.formats import Detail, View
from vqs.report.phrases import resources_of
from vqs.snapshot.reading.diagnostics import did_you_mean

PODS: Final = "pods"


def queue_resources(queue: QueueResult, view: View) -> list[str]:
    """Return the resources of a queue to show: those asked for, else those that it has to do with, but for pods.

    That many pods run on a node is a limit of the node, and seldom one of a queue.
    """
    everything = view.detail is Detail.EVERYTHING
    names = resources_of(queue, everything=everything or bool(view.queues.resources))
    return chosen(names, view) if view.queues.resources or everything else [name for name in names if name != PODS]


def chosen(names: Iterable[str], view: View) -> list[str]:
    """Return the resources that are asked for; all where none are."""
    patterns = view.queues.resources
    return [name for name in names if not patterns or any(_matches(name, pattern) for pattern in patterns)]


def _matches(name: str, pattern: str) -> bool:
    """Tell whether a name is meant; it need not be given with its domain: gpu is nvidia.com/gpu too."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)


def unknown_resources(report: QueueReport, patterns: Sequence[str]) -> list[str]:
    """Say which of the resources that were asked for there is none of, and what was probably meant."""
    figures = [report.session.total_resource]
    figures += [queue.opened.capability for queue in report.queues]
    figures += [queue.opened.request for queue in report.queues]
    known = list(dict.fromkeys(name for amounts in figures for name in amounts))
    lines = []
    for pattern in patterns:
        if not any(_matches(name, pattern) for name in known):
            hint = did_you_mean(pattern, known)
            lines.append(f"there is no resource {pattern!r}; {hint or 'there are ' + ', '.join(known)}")
    return lines
