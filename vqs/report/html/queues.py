"""The page on queues, and on one that is explained; other pages draw queues with the same data."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vqs.explain.queues.answer import no_queue_plugin
from vqs.explain.queues.outcome import QueueReport
from vqs.report.formats import Detail, View
from vqs.report.html.page import notes, page, settings, table
from vqs.report.phrases import standstill
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
    shown = list(parts(result, explained, whole, view)) if explained else []
    return page(
        "queues",
        "derivation",
        result,
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
