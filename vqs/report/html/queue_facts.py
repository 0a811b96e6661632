"""Queues as the page draws them: with their figures, and what is said of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vqs.config.known_plugins import QUEUE_PLUGINS
from vqs.explain.outcome import QueueResult, Simulation
from vqs.explain.queues.answer import ROOT
from vqs.explain.queues.outcome import QueueReport
from vqs.report.formats import View
from vqs.report.html.columns import plain
from vqs.report.html.resources import Demand
from vqs.report.queues import tree as queues_tree
from vqs.report.visible import visible


def queue_list(report: QueueReport) -> dict[str, Any]:
    """Return the queues of a report, and whether they are a tree."""
    facts = {
        branch.queue.name: " · ".join(queues_tree.said(report, branch))
        for branch in queues_tree.branches(report, View())
    }
    return {
        "isTree": report.tree and not report.session.standstill,
        "queues": [plain(queue) | {"facts": visible(facts.get(queue.name, ""))} for queue in report.queues],
    }


def demands_of(queues: Iterable[QueueResult]) -> list[Demand]:
    """Return what is requested in each of some queues."""
    return [Demand(queue.name, queue.parent, queue.opened.request) for queue in queues]


def report_of(result: Simulation) -> QueueReport:
    """Return the queues of a session as `vqs explain-queue` has them, as far as that matters to how they are drawn."""
    plugins = [plugin for tier in result.session.tiers for plugin in tier if plugin in QUEUE_PLUGINS]
    return QueueReport(
        volcano=result.volcano,
        scenario=result.scenario,
        session=result.session,
        plugin=plugins[0] if plugins else "",
        tree=any(queue.name == ROOT for queue in result.queues),
        queues=result.queues,
        metrics=[],
        diagnostics=[],
    )
