"""The pages on queues and on comparisons."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed, as_seen, differing
from tests.report.queue_reports import SHOWN, WEIGHTS, report
from tests.report.writers import as_html as diff
from tests.report.writers import as_html as queues
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.report.as_json import write as as_json
from vqs.report.diff.page import affected_lines, change_line
from vqs.report.formats import View
from vqs.report.html.page import script_text
from vqs.report.queues.page import answer_lines
from vqs.snapshot.reading.reader import read_manifests


@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_queues_have_a_page(scenario: str, queue: str) -> None:
    """It answers first, holds all queues, and fetches nothing."""
    result = report(scenario, queue)
    page = queues(result, View())
    parsed = Parsed(page)
    assert outside(page) == []
    assert all(sentence in parsed.words for sentence in answer_lines(result))
    assert parsed.data == as_seen(json.loads(as_json(result, View())))
    assert page == queues(result, View())


def test_all_parts_of_an_explanation_are_there() -> None:
    """The rounds, the gate, the room, the order: as tables, and the rounds for a drawing too."""
    parsed = Parsed(queues(report(WEIGHTS, "A"), View()))
    for title in ("Deserved cpu, round by round", "Admission (enqueue)", "Room for pending tasks", "Scheduling order"):
        assert title in parsed.words
    assert parsed.data["explained"]["derivation"]["rounds"]


def test_a_comparison_has_a_page() -> None:
    """With the jobs and why they differ, both sides' nodes, the settings, and the evictions."""
    result = differing()
    page = diff(result, View())
    parsed = Parsed(page)
    assert outside(page) == []
    assert page == diff(differing(), View())
    assert parsed.data == as_seen(json.loads(as_json(result, View())))
    assert all(job.says and job.remark for job in result.jobs)
    assert result.evictions
    assert "actions" in parsed.words


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


def test_modules_share_no_names() -> None:
    """Those of a page are put together into one scope, where a name declared twice would stop the whole script."""
    declared = re.compile(r"^(?:export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
    modules = sorted((files("vqs.report.html") / "script").iterdir(), key=lambda each: each.name)
    names = [name for each in modules for name in declared.findall(each.read_text(encoding="utf-8"))]
    assert len(names) > 100
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("script", ["derivation", "diff", "document", "simulation", "sweep", "workload"])
def test_a_page_has_the_modules_that_it_needs(script: str) -> None:
    """One script, with all that its first module imports, and not a word of modules in it."""
    text = script_text(script)
    assert "function openPage(" in text
    assert ("class Table " in text) is (script not in ("derivation", "document"))
    assert not re.search(r"^(?:import|export)\b", text, re.MULTILINE)


def test_the_page_on_a_queue_opens_what_is_short() -> None:
    """As a terminal does: the resource that stops tasks first, and none that nothing requests."""
    read = read_manifests([str(Path(__file__).parents[3] / "docs/example/snapshot.json")])
    page = queues(explain_queues(read, SimulateOptions(), "research"), View())
    titles = re.findall(r"(<summary>)?<h2>Deserved (\S+), round by round", page)
    assert titles == [("", "nvidia.com/gpu"), ("<summary>", "cpu"), ("<summary>", "memory")]
    admission = page[page.index("<h2>Admission") :]
    assert re.findall(r"<td class=\"\">(\S+)</td>", admission[: admission.index("</table>")]) == [
        resource for _, resource in titles
    ]
