"""Session after session: a line for each, then how the last one ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy

import jsonschema
import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from tests.build import job_task, manifests, node, stored_job
from tests.report.job_reports import cycles
from tests.report.writers import as_json, as_markdown, as_table
from tests.report.writers import as_table as as_text
from vqs.explain.affected import Eviction
from vqs.explain.cycles import Cycles, EvictionsWithoutProgress, run_cycles
from vqs.explain.outcome import DiagnosticResult
from vqs.explain.simulate import SimulateOptions
from vqs.report import schema
from vqs.report.formats import Detail, Filters, Format, View
from vqs.report.registry import formats_of, write
from vqs.report.simulation.page import final

RUNS = [("ping-pong", 3), ("preempt-higher-priority", 9), ("reclaim-from-overused", 1)]


@pytest.mark.parametrize(("scenario", "number"), RUNS)
def test_table(scenario: str, number: int, snapshot: SnapshotAssertion) -> None:
    """The table looks like this in a pipe."""
    assert as_text(cycles(scenario, number), View()) == snapshot


def test_narrow(snapshot: SnapshotAssertion) -> None:
    """The table looks like this on a narrow terminal."""
    assert as_text(cycles(*RUNS[1]), View(width=80)) == snapshot


@pytest.mark.parametrize("chosen", formats_of("Cycles"))
def test_every_format_writes_the_same_every_time(chosen: Format) -> None:
    """Each format that has a place for cycles has a reporter."""
    text = write(cycles("ping-pong", 3), chosen, View())
    assert text.endswith("\n")
    assert text == write(cycles("ping-pong", 3), chosen, View())


def test_ping_pong_is_the_first_thing_said_and_the_last() -> None:
    """On a terminal the end is what one sees, in a file the beginning."""
    lines = as_text(cycles("ping-pong", 3), View()).splitlines()
    assert lines[0] == lines[-1]
    assert lines[0].startswith("Eviction loop: default/busy is evicted again each time it is placed")
    for detail in Detail:
        text = as_markdown(cycles("ping-pong", 3), View(detail=detail))
        assert text.startswith("**Eviction loop: default/busy is evicted again")


def test_the_last_session_is_shown_whole() -> None:
    """With what came of the expectations, which are of the first."""
    ran = cycles("preempt-higher-priority", 9)
    _, headline, after = as_table(final(ran), View()).partition("\nVolcano ")
    assert as_text(ran, View()).endswith(headline + after)
    assert "Expectations: 5 of 5 hold" in as_text(ran, View())
    assert ran.cycles[-1].simulation.expectations == []


@pytest.mark.parametrize("write", [as_text, as_markdown])
def test_notes_of_the_first_and_of_the_last_session(write: Callable[[Cycles, View], str]) -> None:
    """What was found while reading is said of the first session only, and what both say is said once."""
    ran = deepcopy(cycles("preempt-higher-priority", 9))
    first, last = ran.cycles[0].simulation, ran.cycles[-1].simulation
    texts = ["only of what was read", "said of both", "only of the last"]
    read, both, end = (DiagnosticResult(code="c", severity="note", message=text) for text in texts)
    first.diagnostics, last.diagnostics = [read, both], [both, end]
    written = write(ran, View())
    assert [written.count(text) for text in texts] == [1, 1, 1]
    assert sorted(texts, key=written.index) == texts


def test_what_to_do_next() -> None:
    """Where nothing waits and somebody is evicted, the story of that is what to look at."""
    lines = as_text(cycles("ping-pong", 3), View()).splitlines()
    assert lines[-3].startswith("Next: vqs explain-job ping-pong.yaml --job default/")
    assert lines[-3].endswith(" shows who is evicted for whom, and why others are spared")


def test_in_short() -> None:
    """How many sessions there were, whether that is the end, and the summary of the last."""
    lines = as_text(cycles("preempt-higher-priority", 9), View(detail=Detail.SUMMARY)).splitlines()
    assert lines[0].endswith("the last one changed nothing: the cluster is stable, and 1 job keeps waiting")
    assert lines[1] == "0 tasks placed, 0 with a reserved node, 4 pending"
    lines = as_text(cycles("reclaim-from-overused", 1), View(detail=Detail.SUMMARY)).splitlines()
    assert lines[0] == "1 session ran; the cluster is not stable yet"


def test_evictions_without_progress_are_a_warning() -> None:
    """They are shown in place of an eviction loop."""
    ran = deepcopy(cycles("preempt-higher-priority", 9))
    ran.evictions_without_progress = [
        EvictionsWithoutProgress(job="ns/a", cycles=[1, 2], evicted=2, text="2 tasks are evicted for ns/a")
    ]
    lines = as_text(ran, View()).splitlines()
    assert lines[0] == lines[-1] == "Evictions without progress: 2 tasks are evicted for ns/a"


def test_many_evictions_without_progress_are_counted() -> None:
    """After three of them comes a number, unless everything is asked for; jobs that are filtered out have none."""
    ran = deepcopy(cycles("preempt-higher-priority", 9))
    jobs = [job.uid for job in ran.cycles[0].simulation.jobs]
    ran.evictions_without_progress = [
        EvictionsWithoutProgress(job=job, cycles=[1], evicted=1, text=f"{job} {n}") for n in range(4) for job in jobs
    ]
    lines = as_text(ran, View()).splitlines()
    assert (
        lines[3]
        == f"{len(ran.evictions_without_progress) - 3} more eviction loops or evictions without progress; -v shows all"
    )
    everything = as_text(ran, View(detail=Detail.EVERYTHING)).splitlines()
    assert sum(line.startswith("Evictions without progress: ") for line in everything) == 2 * len(
        ran.evictions_without_progress
    )
    filtered = as_text(ran, View(filters=Filters(jobs=(jobs[0],)), detail=Detail.EVERYTHING)).splitlines()
    assert sum(line.startswith("Evictions without progress: ") for line in filtered) == 2 * 4


def test_pods_that_are_not_created_yet_have_a_column() -> None:
    """They wait as well, though no task of theirs is pending."""
    objects = [node("n", cpu=8), *stored_job("big", job_task(replicas=20), minimum=20)]
    ran = run_cycles(manifests(objects), SimulateOptions(), 2)
    heading, row = as_text(ran, View()).splitlines()[5:7]
    assert (heading.split("  ")[-1], row.split()[-1]) == ("NOT CREATED", "20")
    assert "NOT CREATED" not in as_text(cycles("ping-pong", 3), View())


def test_many_evictions_are_counted_by_pair_of_jobs() -> None:
    """More pairs than three are folded, unless everything is asked for."""
    ran = deepcopy(cycles("ping-pong", 3))
    ran.cycles[0].evictions = [
        Eviction(task=f"ns/v{number}-0", job=f"ns/v{number}", evictor_job="ns/x", action="reclaim", node="n")
        for number in (1, 1, 2, 3, 4, 5)
    ]
    text = as_text(ran, View())
    assert "ns/x evicts 2 pods of ns/v1 (reclaim), ns/x evicts 1 pod of ns/v2 (reclaim)" in text
    assert "and 2 more" in text
    assert "ns/x evicts 1 pod of ns/v5 (reclaim)" in as_text(ran, View(detail=Detail.EVERYTHING))


def test_markdown_rows_have_the_cells_of_their_heading() -> None:
    """Every row of a table is as wide as its first, or GitHub would drop what is too much."""
    for scenario, number in RUNS:
        for table in re.findall(r"(?:^\|.*\n)+", as_markdown(cycles(scenario, number), View()), re.MULTILINE):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


@pytest.mark.parametrize(("scenario", "number"), RUNS)
def test_document_validates_against_the_published_schema(scenario: str, number: int) -> None:
    """What `--cycles N --format json` writes is what `vqs schema cycles` promises, and reads back as the result."""
    published = schema.result("cycles")
    jsonschema.Draft202012Validator.check_schema(published)
    text = as_json(cycles(scenario, number), View())
    jsonschema.Draft202012Validator(published).validate(json.loads(text))
    assert msgspec.json.decode(text, type=Cycles) == cycles(scenario, number)
