"""The report as one HTML file: it needs no network, and no other file.

It holds the whole result, whatever the view; what to look at is chosen in the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vqs.report.html.diff_page import diff_page
from vqs.report.html.queue_page import queue_page
from vqs.report.html.simulation_page import simulation_page

if TYPE_CHECKING:
    from vqs.diff.outcome import Diff
    from vqs.explain.outcome import Simulation
    from vqs.explain.queues.outcome import QueueReport
    from vqs.report.formats import View


def simulation(result: Simulation, view: View, /) -> str:
    """Write a session as a page."""
    return simulation_page(result, view)


def queues(result: QueueReport, view: View, /) -> str:
    """Write what is to be said of queues as a page."""
    return queue_page(result, view)


def diff(result: Diff, _view: View, /) -> str:
    """Write a comparison as a page."""
    return diff_page(result)
