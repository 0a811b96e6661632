"""The page on an input that cannot be used: what is wrong with it, each with its place, and how much that is."""

from __future__ import annotations

from vqs.explain.refusal import Refusal
from vqs.model.wording import count
from vqs.report.formats import View
from vqs.report.page import Line, Page, Part
from vqs.report.phrases import diagnostic_line


def page(result: Refusal, _view: View, /) -> Page:
    """Return the page on what is wrong."""
    items = [
        Line(diagnostic_line(each), "red" if each.severity == "error" else "", each.excerpt)
        for each in result.diagnostics
    ]
    errors = count(result.summary.errors, "error")
    return Page(parts=[Part(items=items)], answer=[f"vqs {result.command}: {errors} in the input, nothing was done"])
