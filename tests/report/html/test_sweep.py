"""The page on a sweep holds its points, what makes them, and nothing from outside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed
from tests.report.sweeps import hostile, mixed, row, sample, single, sweep, weights
from tests.report.writers import as_html
from vqs.inert import name as visible
from vqs.report.formats import View
from vqs.report.html.sweep import MOST_ROWS
from vqs.sweep.outcome import Sweep

MAKERS = [weights, mixed, single, hostile]


def data_of(result: Sweep) -> dict[str, Any]:
    """Return what the script of the page on a sweep reads."""
    return Parsed(as_html(result, View())).data


def texts_of(columns: list[dict[str, Any]]) -> list[list[str]]:
    """Return the texts of columns, as the page shows them: a list for each column, an entry for each point."""
    return [[column["texts"][at] for at in column["at"]] for column in columns]


@pytest.mark.parametrize("make", MAKERS)
def test_nothing_is_fetched(make: Callable[[], Sweep]) -> None:
    """No element, style or line of the script refers to anything outside, and the same sweep is the same page."""
    page = as_html(make(), View())
    assert outside(page) == []
    assert page == as_html(make(), View())


def test_the_answer_comes_first() -> None:
    """Whether a condition of --fail-on holds, and then what the points say together."""
    page = as_html(weights(), View())
    assert '<h1 id="answer-title">5 points run: 1 of 1 condition of --fail-on met.</h1>' in page
    words = Parsed(page).words
    assert "No point is best in every figure" in words
    assert "evictions>2 at 1 of 5 points: #5 (weight=5)" in words


def test_all_points_are_there() -> None:
    """With their parameters, their figures as people read them, and the command that shows each job by job."""
    data = data_of(weights())
    assert data["numbers"] == [1, 2, 3, 4, 5]
    assert texts_of(data["parameters"]) == [["1", "2", "3", "4", "5"]]
    assert texts_of(data["figures"]) == [["2", "4", "6", "8", "8"], ["0", "0", "1", "2", "3"]]
    assert [data["states"][at] for at in data["state"]] == ["", "front", "front", "front", "failing"]
    commands = data["commands"]
    assert commands[1] == "vqs diff-configs cluster.json --set queue/b.spec.weight=2"
    assert [figure["bases"] for figure in data["figures"]] == [[3.0], [0.0]]


def test_every_value_has_its_edits() -> None:
    """Options have those of the option, numbers the text with the number in its place."""
    weight, replicas, policy = data_of(mixed())["parameters"]
    assert weight["edits"] == [[f"queue/b.spec.weight={value}"] for value in (1, 2, 4)]
    assert replicas["edits"] == [["scale ns/train=4"], ["scale ns/train=8"]]
    assert policy["edits"] == [[], ['conf.actions="enqueue, allocate, preempt"', "remove job/ns/old"]]


def test_errors_and_missing_numbers_are_told() -> None:
    """A point that could not be run has its error and no figures; a number that is missing has the word for that."""
    data = data_of(mixed())
    assert data["error"][5] == "queue b: guarantee is more than deserved"
    start, verdict = texts_of(data["figures"])[-2:]
    assert (start[2], start[5], verdict[0], verdict[5]) == ("never", "-", "-", "-")
    assert data["tradeOff"] == ["placed", "evictions"]


def test_sections_that_have_nothing_to_show_are_not_there() -> None:
    """One point has no effects, no trade-offs and no map; one parameter has no map."""
    identifiers = {attributes.get("id") for _, attributes in Parsed(as_html(single(), View())).elements}
    assert not identifiers & {"effects", "against", "tradeoffs", "heat"}
    assert {"answer", "points", "plan"} <= identifiers
    identifiers = {attributes.get("id") for _, attributes in Parsed(as_html(weights(), View())).elements}
    assert {"effects", "against", "tradeoffs"} <= identifiers
    assert "heat" not in identifiers


def test_names_are_not_markup() -> None:
    """Whatever a name looks like, there are two scripts, and no image; and it arrives as people may see it."""
    parsed = Parsed(as_html(hostile(), View()))
    tags = [tag for tag, _ in parsed.elements]
    assert (tags.count("script"), tags.count("img")) == (2, 0)
    data = parsed.data
    assert [each["name"] for each in data["parameters"]] == [visible(name) for name in HOSTILE[:3]]
    assert visible(HOSTILE[8]) in str(data["failureLists"])
    assert "\u202e" not in str(data)


def test_a_large_page_stays_small() -> None:
    """10,000 points take a few megabytes; of more than a page can hold, those that matter are on it."""
    assert len(as_html(sample(10_000), View())) < 3_000_000
    rows = [row(number, {}, {"placed": float(number % 100)}, ()) for number in range(1, MOST_ROWS + 5_001)]
    many = sweep([], sample(1).figures[:1], rows)
    page = as_html(many, View())
    numbers = Parsed(page).data["numbers"]
    assert len(numbers) <= MOST_ROWS
    assert {1, 99} <= set(numbers)
    assert numbers == sorted(set(numbers))
    assert "20,000 of 25,000 points are on this page" in page
