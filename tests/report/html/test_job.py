"""The first screen of the page on a job, and what is folded below it."""

from __future__ import annotations

import re
from copy import deepcopy

import msgspec
import pytest

from tests.report.html_pages import Parsed
from tests.report.job_reports import BROKEN, GANG, GATE, NOBODY, SPARED, TAKES, WITHIN, report
from tests.report.writers import as_html
from vqs.explain.jobs.outcome import JobReport
from vqs.report.formats import View


def squares(page: str) -> list[str]:
    """The classes of the squares that stand for pods."""
    drawn = re.search(r'<div class="pods".*?</div>', page, re.DOTALL)
    return re.findall(r'<span class="([^"]*)">', drawn[0]) if drawn else []


def many(pods: int) -> JobReport:
    """A report on a job with so many pods that wait, of which four fifths are its minimum."""
    found = deepcopy(report(*SPARED))
    found.tasks = [found.tasks[0]] * pods
    found.job.min_available = pods * 4 // 5
    return found


def test_the_first_fixes_stand_above_the_story() -> None:
    """What is drawn, and the first fixes with their effect, come before the first stage."""
    page = as_html(report(*SPARED), View())
    order = ['class="brief"', "First fixes", "Fixes that work", ">Admission (enqueue)"]
    assert [page.index(each) for each in order] == sorted(page.index(each) for each in order)
    assert "Fails at" not in page[page.index("First fixes") : page.index("Fixes that work")]


def test_each_pod_is_a_square() -> None:
    """A pod that waits is drawn as waiting, with its number in words for those who cannot see it."""
    result = report(*SPARED)
    page = as_html(result, View())
    assert squares(page) == ["waiting"] * len(result.tasks)
    assert f'aria-label="{len(result.tasks)} pod' in page


@pytest.mark.parametrize(("pods", "each"), [(60, 1), (61, 2), (600, 10)])
def test_many_pods_share_squares(pods: int, each: int) -> None:
    """There are at most 60 squares, of which the one is marked in which the minimum is reached."""
    page = as_html(many(pods), View())
    drawn = squares(page)
    assert len(drawn) == -(-pods // each) <= 60
    assert [at for at, state in enumerate(drawn, 1) if "minimum" in state] == [-(-(pods * 4 // 5) // each)]
    assert (f"a square is {each} pods" in page) == (each > 1)


@pytest.mark.parametrize("case", [SPARED, GATE, NOBODY, WITHIN])
def test_limits_are_bars(case: tuple[str, str]) -> None:
    """What there is of what is needed is a bar for each of the first three blockers with figures."""
    result = report(*case)
    page = as_html(result, View())
    expected = [each for each in result.blockers if each.need and each.have is not None][:3]
    bars = re.findall(r'bar-over" width="(\d+)".*?bar-limit" width="(\d+)"', page)
    assert len(bars) == len(expected) > 0
    assert [int(held) < int(need) for need, held in bars] == [(each.have or 0) < (each.need or 0) for each in expected]


def test_a_bar_names_its_limit() -> None:
    """One sees which limit it is, beside the figures; a queue may have it without a capability of its own."""
    figures = as_html(report(*GATE), View())
    assert re.search(r"<figcaption>Limit of queue [\w-]+: \d+ [\w./-]+; needed: \d+<", figures)


def test_what_two_blockers_say_is_one_bar() -> None:
    """The gate and the gang may stop a job at the same limit of the same queue."""
    result = deepcopy(report(*GATE))
    result.blockers = [result.blockers[0], msgspec.structs.replace(result.blockers[0], code="gang-exceeds-queue")]
    assert as_html(result, View()).count('<figure class="limit">') == 1


def test_what_was_rolled_back_is_no_pod_like_others() -> None:
    """One sees that nodes were found for some of the gang, as the headline says."""
    result = report(*GANG)
    page = as_html(result, View())
    rolled_back = sum(each.verdict is not None and each.verdict.code == "gang-discarded" for each in result.tasks)
    assert 0 < rolled_back < len(result.tasks)
    assert [each.split()[0] for each in squares(page)].count("discarded") == rolled_back
    assert f"{rolled_back} placed and rolled back" in page


def test_a_job_that_waits_for_others_is_not_said_to_wait_forever() -> None:
    """The sessions that follow change nothing, but the end of another job does; no sessions are drawn then."""
    result = report(*GANG)
    assert result.outlook
    assert (result.outlook.settled, result.outlook.starts_in_session) == (True, None)
    page = as_html(result, View())
    assert "Sessions: does not start as long as nothing changes" in page
    assert 'class="sessions"' not in page
    assert 'class="sessions"' in as_html(report(*TAKES), View())


def test_what_steps_name_is_copied_as_it_is() -> None:
    """Commands, lines of files and edits are code to the letter: without code, a browser would join spaces."""
    found = deepcopy(report(*GATE))
    assert found.fix_search
    remedy = found.fix_search.fixes[1]
    remedy.commands = ['kubectl patch cm a -p \'{"data": "- plugins:\\n  - name: gang"}\'', "kubectl get cm"]
    remedy.lines = ["a b.yaml:7:     weight: 2  # was 1"]
    copied = [
        attributes["data-copy"]
        for _, attributes in Parsed(as_html(found, View())).elements
        if "data-copy" in attributes
    ]
    assert " && ".join(remedy.commands) in copied
    assert "    weight: 2  # was 1" in copied
    assert set(remedy.edits) < set(copied)


def test_the_votes_on_victims_are_folded() -> None:
    """They are long, and the answer sums them up; so are the changes that do not help."""
    folded = re.findall(r"<summary><h2>(.*?)</h2>", as_html(report(*SPARED), View()))
    assert {"Victim selection", "Changes that do not help"} <= set(folded)


@pytest.mark.parametrize(
    ("stage", "opened"),
    [("enqueue", "Admission (enqueue)"), ("order", "Scheduling order"), ("nodes", "Placement attempts")],
)
def test_what_decided_stays_open(stage: str, opened: str) -> None:
    """Of the story, that stage is open which stopped the job; all others are folded away."""
    result = deepcopy(report(*SPARED))
    result.blocked_at = stage  # type: ignore[assignment]
    page = as_html(result, View())
    folded = re.findall(r"<summary><h2>(.*?)</h2>", page)
    assert not any(each.startswith(opened) for each in folded)
    others = {"Admission (enqueue)", "Scheduling order", "Placement attempts", "Eviction"} - {opened}
    assert {each for each in others if any(title.startswith(each) for title in folded)} == others


def test_nothing_is_drawn_where_nothing_is_scheduled() -> None:
    """The alarm says it all."""
    page = as_html(report(*BROKEN), View())
    assert 'class="brief"' not in page
    assert "Sessions:" not in Parsed(page).words
