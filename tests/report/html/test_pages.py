"""The pages on queues and on comparisons."""

from __future__ import annotations

import re

import msgspec
import pytest

from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed, differing, unpacked, unpacked_names
from tests.report.queue_reports import BROKEN, SHOWN, TREE, WEIGHTS, report
from tests.report.writers import as_html as diff
from tests.report.writers import as_html as queues
from vqs.explain.queues.outcome import Division
from vqs.report.diff.page import affected_lines, change_line
from vqs.report.formats import View
from vqs.report.html.page import script_text
from vqs.report.queues.page import answer_lines


@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_queues_have_a_page(scenario: str, queue: str) -> None:
    """It answers first, holds all queues, and fetches nothing."""
    result = report(scenario, queue)
    page = queues(result, View())
    parsed = Parsed(page)
    assert outside(page) == []
    assert all(sentence in parsed.words for sentence in answer_lines(result))
    assert [each["name"] for each in parsed.data["queues"]] == [each.name for each in result.queues]
    assert page == queues(result, View())


def test_all_parts_of_an_explanation_are_there() -> None:
    """The rounds, the gate, the room, the order: as tables, and the rounds for a drawing too."""
    parsed = Parsed(queues(report(WEIGHTS, "A"), View()))
    for title in ("Deserved cpu, round by round", "Admission (enqueue)", "Room for pending tasks", "Scheduling order"):
        assert title in parsed.words
    explained = report(WEIGHTS, "A").explained
    assert explained is not None
    assert isinstance(explained.derivation, Division)
    assert len(parsed.data["explained"]["derivation"]["rounds"]) == len(explained.derivation.rounds)


def test_the_tree_is_told() -> None:
    """Queues that are a tree are drawn as one; a broken tree is a list."""
    assert Parsed(queues(report(TREE), View())).data["isTree"] is True
    assert Parsed(queues(report(BROKEN), View())).data["isTree"] is False


def test_a_comparison_has_a_page() -> None:
    """With the jobs and why they differ, both sides' nodes, the settings, and the evictions."""
    result = differing()
    page = diff(result, View())
    parsed = Parsed(page)
    assert outside(page) == []
    assert page == diff(differing(), View())
    assert [job["path"] for job in parsed.data["jobs"]] == [f"{job.namespace}/{job.name}" for job in result.jobs]
    assert all(job["remark"] for job in parsed.data["jobs"])
    assert len(parsed.data["evictions"]) == len(result.evictions) > 0
    assert "actions" in parsed.words


def test_a_node_of_one_side_is_told() -> None:
    """A node that is only in one of the snapshots is on both maps, and not there on one."""
    nodes = Parsed(diff(differing(), View())).data["nodes"]
    at = unpacked_names(nodes["name"]).index("n3")
    assert (unpacked(nodes["before"]["there"])[at], unpacked(nodes["after"]["there"])[at]) == (0, 1)


def test_a_comparison_begins_with_what_the_change_is() -> None:
    """Then come those who are worse and better off, and the first decision that differs."""
    result = differing()
    said = [change_line(result), *affected_lines(result), "First decision that differs:", result.first_divergence]
    words = Parsed(diff(result, View())).words
    places = [words.index(each) for each in said if each]
    assert len(places) >= 3
    assert places == sorted(places)


def test_names_in_a_comparison_are_not_markup() -> None:
    """Whatever a name looks like, there are two scripts, and no image."""
    result = differing()
    for job in result.jobs:
        job.name, job.why.text = HOSTILE[0], HOSTILE[1]
    result.before.name = HOSTILE[0]
    result.settings[0].before = HOSTILE[1]
    tags = [tag for tag, _ in Parsed(diff(result, View())).elements]
    assert (tags.count("script"), tags.count("img")) == (2, 0)


def test_a_stored_comparison_has_the_same_page() -> None:
    """What was computed once and kept as JSON is written the same way later."""
    result = differing()
    kept = msgspec.json.decode(msgspec.json.encode(result), type=type(result))
    assert diff(kept, View()) == diff(result, View())


def test_parts_of_the_script_share_no_names() -> None:
    """The parts are put together into one scope, where a name that is declared twice would stop the whole script."""
    declared = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
    names = declared.findall(script_text())
    assert sorted(names) == sorted(set(names))
