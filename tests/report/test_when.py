"""When jobs start, in each format."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.build import gang, manifests, node, queue
from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed
from tests.report.writers import as_html, as_json, as_markdown, as_table
from vqs.explain.simulate import SimulateOptions
from vqs.replay.engine import ReplayOptions
from vqs.replay.runs import Runner
from vqs.replay.when.durations import Durations
from vqs.replay.when.outcome import When
from vqs.replay.when.run import WhenOptions, when
from vqs.report import schema
from vqs.report.formats import View
from vqs.report.saved import read_result


@pytest.fixture
def found() -> When:
    """Ask of a cluster in which one job starts at once, and another never."""
    cluster = manifests([node("n", cpu=4), queue("default"), gang("huge", 5), gang("small", 1)])
    options = WhenOptions(SimulateOptions(scenario="s.yaml"), ReplayOptions(), Durations())
    return when(cluster, options, lambda run: Runner([run]).runs([1, 2]))


def test_table(found: When) -> None:
    """The answer comes first, a line for each job with its range and why it waits, then the assumptions."""
    lines = as_table(found, View()).splitlines()
    assert lines[0] == "Of 2 jobs that wait, 1 starts within 7d in some or all of 2 runs; 1 never, as it is."
    huge, small = (next(line for line in lines if line.startswith(f"ns/{name} ")) for name in ("huge", "small"))
    assert "0 of 2" in huge
    assert "never, as it is: " in huge
    assert "2 of 2" in small
    assert lines.index("Assumptions") > lines.index(small)
    assert lines[-1].startswith("Next: vqs explain-job s.yaml --job ns/huge explains why that job waits")


def test_markdown(found: When) -> None:
    """It is a table there, too, with the assumptions below."""
    text = as_markdown(found, View())
    assert "| `ns/huge` | `default` | " in text
    assert "no job arrives, no node comes or goes" in text


def test_html(found: When) -> None:
    """The page has the same words, and fetches nothing, whatever a job is called."""
    page = as_html(found, View())
    assert all(text in Parsed(page).words for text in ("ns/huge", "never, as it is", "Assumptions"))
    for name in HOSTILE:
        found.jobs[0].display_name = name
        assert outside(as_html(found, View())) == []


def test_document(found: When) -> None:
    """The document is what `vqs schema when` promises, and reads back as the result."""
    text = as_json(found, View())
    jsonschema.validate(json.loads(text), schema.result("when"))
    assert read_result(text.encode()) == found
