"""An explanation of queues as data for the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vqs.explain.outcome import Amounts
from vqs.explain.queues.outcome import QueueReport
from vqs.report.html.columns import plain, shown
from vqs.report.html.queue_facts import demands_of, queue_list
from vqs.report.html.resources import resource_list
from vqs.report.visible import visible


def queue_data(report: QueueReport) -> dict[str, Any]:
    """Return what the page draws: the tree, and how the deserved share of a queue is calculated."""
    explained = report.explained
    return {
        "kind": "queues",
        "scenario": plain(report.session) | {"name": visible(report.scenario)},
        "resources": resource_list(_named(report), report.session.total_resource, demands_of(report.queues)),
        **queue_list(report),
        "explained": explained
        and {"name": visible(explained.name), "line": shown(explained.line), "derivation": plain(explained.derivation)},
    }


def _named(report: QueueReport) -> Iterable[Amounts]:
    yield report.session.total_resource
    for queue in report.queues:
        yield from (queue.opened.deserved, queue.opened.allocated, queue.opened.request, queue.closed.allocated)
