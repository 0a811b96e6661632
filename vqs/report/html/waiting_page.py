"""The page on the jobs that wait."""

from __future__ import annotations

from vqs.explain.jobs.outcome import WaitingJobs
from vqs.report.formats import View
from vqs.report.html.document import document
from vqs.report.waiting.page import TITLE, page


def write(result: WaitingJobs, view: View, /) -> str:
    """Return the page."""
    return document(page(result, view), "explain-job", result.scenario, result.session, (TITLE,))
