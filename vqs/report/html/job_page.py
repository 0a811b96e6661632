"""The page on a job."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from vqs.explain.jobs.outcome import JobReport
from vqs.report.formats import Detail, View
from vqs.report.html.document import document
from vqs.report.job import eviction, gate, pods, remedies, tries, turn
from vqs.report.job.page import page

_LANDMARKS: Final = (gate.TITLE, turn.TITLE, tries.TITLE, pods.TITLE, eviction.TITLE, remedies.TITLE)


def write(result: JobReport, view: View, /) -> str:
    """Return the page, with the whole result in it."""
    shown = page(result, replace(view, detail=Detail.EVERYTHING))
    return document(shown, "explain-job", f"{result.job.called} {result.scenario}", result.session, _LANDMARKS)
