"""The page on queues, and on one that is explained; other pages draw queues with the same data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from vqs.config.known_plugins import QUEUE_PLUGINS
from vqs.explain.outcome import Amounts, QueueResult, Simulation
from vqs.explain.queues.answer import ROOT, no_queue_plugin
from vqs.explain.queues.outcome import QueueReport
from vqs.inert import name as visible
from vqs.report.formats import Detail, View
from vqs.report.html.data import Demand, notes, plain, resource_list, settings, shown, table
from vqs.report.html.page import page
from vqs.report.phrases import standstill
from vqs.report.queues import tree as queues_tree
from vqs.report.queues.page import answer_lines, parts
from vqs.report.simulation.summary import session_headline

_LANDMARKS: Final = (
    ("Admission", "Admission"),
    ("Room for pending tasks", "Room"),
    ("Scheduling order", "Order"),
    ("Reclaim", "Reclaim"),
)
"""How titles begin of parts that are named at the top of the page, and their names there."""


def write(result: QueueReport, view: View, /) -> str:
    """Return the page, with the whole result in it: what to look at is chosen there."""
    explained = result.explained
    whole = replace(view, detail=Detail.EVERYTHING)
    shown = list(parts(result, explained, whole)) if explained else []
    return page(
        "queues",
        queue_data(result),
        title=f"vqs explain-queue {result.scenario}".rstrip(),
        standstill=" ".join(standstill(result)),
        answer=answer_lines(result),
        headline=session_headline(result.volcano, result.scenario, result.session),
        notes=notes(result.diagnostics),
        plugin=result.plugin,
        no_queues="" if result.queues else no_queue_plugin(result),
        explained=explained,
        parts_list=[(part, table(part.grid)) for part in shown],
        landmarks={
            number: name
            for number, part in enumerate(shown)
            for start, name in _LANDMARKS
            if part.title.startswith(start)
        },
        settings=settings(result.session),
    )


def queue_data(report: QueueReport) -> dict[str, Any]:
    """Return what the page draws: the tree, and how the deserved share of a queue is calculated."""
    explained = report.explained
    return {
        "kind": "queues",
        "scenario": plain(report.session) | {"name": visible(report.scenario)},
        "resources": resource_list(_named(report), report.session.total_resource, demands_of(report.queues)),
        **queue_list(report),
        "explained": explained
        and {
            "name": visible(explained.name),
            "line": shown(explained.queue_path),
            "derivation": plain(explained.derivation),
        },
    }


def _named(report: QueueReport) -> Iterable[Amounts]:
    yield report.session.total_resource
    for queue in report.queues:
        yield from (queue.opened.deserved, queue.opened.allocated, queue.opened.request, queue.closed.allocated)


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
