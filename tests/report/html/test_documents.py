"""The pages on a job, and on whether a job fits."""

from __future__ import annotations

from copy import deepcopy

import pytest

from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed
from tests.report.job_reports import BROKEN, SHOWN, SPARED, report
from tests.report.writers import as_html
from vqs.fit.outcome import Fit
from vqs.report.formats import View
from vqs.report.html.document import document
from vqs.report.page import Page


@pytest.mark.parametrize(("scenario", "name"), SHOWN)
def test_a_job_has_a_page(scenario: str, name: str) -> None:
    """It answers first, and fetches nothing."""
    result = report(scenario, name)
    page = as_html(result, View())
    assert outside(page) == []
    words = Parsed(page).words
    assert all(sentence in words for sentence in result.answer.split(". "))
    assert page == as_html(result, View())


def test_all_stages_of_a_job_are_there() -> None:
    """Whatever the view, the page holds every vote, and links to each stage."""
    page = as_html(report(*SPARED), View())
    words = Parsed(page).words
    for stage in ("Admission", "Scheduling order", "Placement attempts", "Pod conditions", "Eviction", "Fixes"):
        assert f">{stage}</a>" in page
    assert all(f"default/train-worker-{number}" in words for number in range(4))
    assert "vqs rule cluster-full" in words


def test_a_standstill_is_an_alarm() -> None:
    """Where nothing is scheduled, that is said before all else."""
    page = as_html(report(*BROKEN), View())
    assert 'class="alarm" role="alert"' in page
    assert "Scheduling order" not in page


def test_names_are_not_markup() -> None:
    """What comes from the snapshot is text on the page."""
    found = deepcopy(report(*SPARED))
    for name in HOSTILE:
        found.job.display_name = found.searches[0].node_votes[0].candidates[0].task = name
        assert outside(as_html(found, View())) == []


def test_a_fit_has_a_page() -> None:
    """It has the answer, the facts, and the command to go on with."""
    job = report(*SPARED)
    result = Fit(
        volcano=job.volcano,
        snapshot=HOSTILE[0],
        session=job.session,
        namespace="ml",
        name="train-0",
        display_name="ml/train",
        queue="default",
        fits="no",
        answer="ml/train does not fit. No replica would run now.",
        decision="not-considered",
        tasks=4,
        min_available=4,
        placed=0,
        pipelined=0,
        pending=4,
        verdict=job.cause,
    )
    page = as_html(result, View())
    words = Parsed(page).words
    assert outside(page) == []
    assert '<h1 id="answer-title">ml/train does not fit.</h1>' in page
    assert "of 4 tasks, 0 placed, 0 with a reserved node, 4 pending; minAvailable 4" in words
    assert "vqs rule queue-limit" in words


@pytest.mark.parametrize(
    ("answer", "heading"),
    [
        (["ml/train does not fit. No replica would run."], "ml/train does not fit."),
        (["ml/train waits, e.g. for a node. It is new."], "ml/train waits, e.g. for a node."),
        (
            ["ml/train waits (gated. Then refused.) for long. It is new."],
            "ml/train waits (gated. Then refused.) for long.",
        ),
        (["ml/train waits"], "ml/train waits"),
        ([], "one session"),
    ],
)
def test_the_heading_is_a_whole_sentence(answer: list[str], heading: str) -> None:
    """The first sentence of the answer is the heading, else all of it; without an answer, what was looked at is."""
    page = document(Page(answer, headline="one session"), "fit", "a.yaml", report(*SPARED).session)
    assert f'<h1 id="answer-title">{heading}</h1>' in page
