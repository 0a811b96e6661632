"""How vqs and a cluster compare, in words and tables."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from msgspec import structs

from tests.report.writers import as_markdown, as_table
from tests.verify.pairs import cluster, obedient, verified
from vqs.report.formats import Detail, View
from vqs.report.verify import answer, remarks
from vqs.verify.outcome import Change, Difference, Explanation, NotCompared, Tried, Verification


@pytest.fixture(scope="module")
def agreeing() -> Verification:
    """Return a result without differences."""
    return verified(cluster(), obedient(cluster()))


def difference(by: Literal["luck", "change", "nothing"], **more: Any) -> Difference:
    """Make a difference."""
    fields: dict[str, Any] = {"aspect": "bound", "pod_group": "ns/train", "observed": 3, "predicted": 1200, **more}
    return Difference(explanation=Explanation(kind=by, text=f"because of {by}"), **fields)


def test_the_answer_counts_explanations(agreeing: Verification) -> None:
    """It says how many differences there are, and what explains them."""
    found = [difference("luck"), difference("nothing"), difference("change"), difference("luck")]
    text = answer(structs.replace(agreeing, differences=found, agreement=98.5))
    assert text.startswith("Agreement 98.5%: 4 of 4 pods bound as predicted, ")
    assert text.endswith(
        "; 4 differences: 2 explained by tie-breaking, 1 explained by changes between the dumps, 1 not explained"
    )


def test_what_nothing_explains_comes_first(agreeing: Verification) -> None:
    """Each difference has its job and who controls that, what both say, and why."""
    found = [difference("luck", job="Job train"), difference("nothing", aspect="evicted", pod_group="")]
    lines = as_table(structs.replace(agreeing, differences=found, unexplained=1), View()).splitlines()
    at = lines.index(next(line for line in lines if line.startswith("JOB")))
    assert lines[at + 1].split("  ")[0] == "pods without PodGroup"
    assert lines[at + 1].endswith("3  1,200  because of nothing")
    assert lines[at + 2].startswith("ns/train (Job train)")
    assert lines[at + 2].endswith("tie-breaking: because of luck")


def test_pods_with_the_same_message_share_a_line(agreeing: Verification) -> None:
    """Messages are quoted; what one controller's pods say alike is said once."""
    found = [
        difference("nothing", aspect="message", pod=f"ns/train-{n}", observed="no [gpu]", predicted=None)
        for n in range(3)
    ]
    text = as_table(structs.replace(agreeing, differences=found), View())
    assert text.count("message of 3 pods") == 1
    assert 'cluster: "no [gpu]"; vqs: "-"; because of nothing' in text


def test_many_differences_are_cut_unless_all_are_asked_for(agreeing: Verification) -> None:
    """The rest is counted."""
    found = [difference("nothing", pod_group=f"ns/job-{n}") for n in range(25)]
    result = structs.replace(agreeing, differences=found)
    assert "Differences (20 of 25 here; -v shows all)" in as_table(result, View())
    assert "ns/job-24" in as_table(result, View(detail=Detail.EVERYTHING))
    assert "### Differences (20 of 25 here; -v shows all)" in as_markdown(result, View())


def test_remarks(agreeing: Verification) -> None:
    """It is told how many sessions agree how well, what cannot be compared, what changed, and that time has passed."""
    result = structs.replace(
        agreeing,
        tried=[Tried(sessions=1, agreement=50.0), Tried(sessions=2, agreement=99.9)],
        not_compared=[NotCompared(reason="gone", text="pods are gone", names=[f"ns/p{n}" for n in range(7)])],
        changes=[Change(object="queue a", text="was changed"), Change(object="node n", text="is new")],
        elapsed=120.0,
    )
    assert remarks(result, everything=False) == [
        "Agreement by the number of sessions: 1: 50%, 2: 99.9%; --sessions N sets the number",
        "Cannot be compared: pods are gone: ns/p0, ns/p1, ns/p2, ns/p3, ns/p4 and 2 more",
        "Changed between the dumps: queue a (was changed); node n (is new)",
        "120 seconds between the dumps leave time for many sessions; dumps a second apart give clearer results",
    ]
    assert "ns/p6" in remarks(result, everything=True)[1]


def test_the_summary_is_one_line(agreeing: Verification) -> None:
    """It is the answer."""
    view = View(detail=Detail.SUMMARY)
    assert as_table(agreeing, view) == f"{answer(agreeing)}\n"
    assert as_markdown(agreeing, view).count("\n") == 1
