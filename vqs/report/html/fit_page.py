"""The page on whether a job fits."""

from __future__ import annotations

from dataclasses import replace

from vqs.fit.outcome import Fit
from vqs.report.fit.page import page
from vqs.report.formats import Detail, View
from vqs.report.html.document import document


def write(result: Fit, view: View, /) -> str:
    """Return the page, with the whole result in it."""
    shown = page(result, replace(view, detail=Detail.EVERYTHING))
    return document(shown, "fit", f"{result.called} {result.snapshot}", result.session)
