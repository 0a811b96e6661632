"""The page on the cheapest change holds the answer, all changes that were run, and nothing from outside."""

from __future__ import annotations

from tests.report.html.test_simulation import outside
from tests.report.html.test_sweep import texts_of
from tests.report.html_pages import HOSTILE, Parsed
from tests.report.sweeps import PLACED, WEIGHT, row
from tests.report.writers import as_html
from vqs.inert import name as visible
from vqs.report.formats import View
from vqs.sweep.outcome import PointError, Row, SnapshotInfo
from vqs.sweep.tune.outcome import Change, Tune


def change(weight: int, placed: float, unmet: str = "", *more: Row) -> Change:
    """Return a change of a weight, which costs a half more than the weight."""
    edits = [f"queue/b.spec.weight={weight}"]
    return Change(
        parameters={"weight": weight},
        edits=edits,
        cost=weight * 1.5,
        reaches_goal=not unmet,
        unmet=[unmet] if unmet else [],
        rows=[row(weight, {"weight": weight}, {"placed": placed}, edits), *more],
    )


def tuned(*tried: Change, name: str = "the weight") -> Tune:
    """Return the result of a search in which the cheapest change that reaches the goal is the answer."""
    answer = next((each for each in tried if each.reaches_goal), None)
    return Tune(
        name=name,
        plan="plan.yaml",
        bases=[SnapshotInfo(name="cluster.json", files=["cluster.json"], nodes=1, pods=1)],
        parameters=[WEIGHT],
        figures=[PLACED],
        goal=["placed>=4"],
        cost="1.5 * weight",
        method="exhaustive",
        changes=len(tried),
        points=len(tried),
        sessions=200,
        answer=f"The cheapest is {name}.",
        proof="all",
        baseline=[row(0, {}, {"placed": 1.0}, [])],
        change=answer,
        nearest=None,
        cheaper=[each for each in tried if not each.reaches_goal][-1:],
        tried=list(tried),
    )


SEARCH = tuned(change(1, 2.0, "placed is 2"), change(2, 4.0), change(4, 6.0))


def test_nothing_is_fetched() -> None:
    """No element, style or line of the script refers to anything outside, and the same search is the same page."""
    page = as_html(SEARCH, View())
    assert outside(page) == []
    assert page == as_html(SEARCH, View())


def test_the_answer_comes_first() -> None:
    """It is followed by the next cheaper change with what that lacks, and the command that shows the change."""
    page = as_html(SEARCH, View())
    assert '<h1 id="answer-title">The cheapest is the weight.</h1>' in page
    words = Parsed(page).words
    assert "Cheaper is weight=1 at a cost of 1.5: placed is 2." in words
    assert "vqs diff-configs cluster.json --set queue/b.spec.weight=2" in words


def test_all_changes_are_there() -> None:
    """With their parameters, costs and figures, whether they reach the goal, what they lack, and their commands."""
    data = Parsed(as_html(SEARCH, View())).data
    assert data["numbers"] == [1, 2, 3]
    assert texts_of(data["parameters"]) == [["1", "2", "4"], ["1.5", "3", "6"]]
    assert texts_of(data["figures"]) == [["2", "4", "6"]]
    said = [data["words"][data["states"][at]] for at in data["state"]]
    assert said == ["does not reach the goal", "reaches the goal", "reaches the goal"]
    assert [data["failureLists"][at] for at in data["failures"]] == [["placed is 2"], [], []]
    commands = data["commands"]
    assert commands[2] == "vqs diff-configs cluster.json --set queue/b.spec.weight=4"


def test_points_that_could_not_be_run() -> None:
    """They are neither among those that reach the goal nor among those that do not."""
    failed = row(3, {"weight": 1}, {}, error=PointError(code="denied", message="no such weight"))
    words = Parsed(as_html(tuned(change(1, 2.0, "no such weight", failed)), View())).words
    assert "2 points run 0 reach the goal 1 do not reach the goal 1 could not be run" in " ".join(words.split())


def test_names_do_nothing() -> None:
    """Whatever is in the names of a plan is text, and makes no element."""
    elements = len(Parsed(as_html(tuned(change(1, 2.0, "placed is 2"), change(2, 4.0)), View())).elements)
    for name in HOSTILE:
        parsed = Parsed(as_html(tuned(change(1, 2.0, name), change(2, 4.0), name=name), View()))
        assert len(parsed.elements) == elements
        assert "".join(visible(name).split()) in "".join(parsed.words.split())
