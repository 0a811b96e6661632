"""Queues in markdown, JSON and Prometheus' format."""

from __future__ import annotations

import json
import re
from copy import deepcopy

import jsonschema
import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from syrupy.assertion import SnapshotAssertion

from tests.report.queue_reports import BROKEN, REFUSED, SHOWN, TREE, WEIGHTS, report
from tests.report.writers import as_json, as_markdown, as_prometheus
from vqs.explain.queues.outcome import QueueMetrics, QueueReport
from vqs.report import schema
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write


@pytest.mark.parametrize("chosen", formats_of("QueueReport"))
@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_every_format_writes_the_same_every_time(chosen: Format, scenario: str, queue: str) -> None:
    """Each format has a reporter, whose text, where there is any, ends with a newline."""
    text = write(report(scenario, queue), chosen, View())
    assert text.endswith("\n") or not text
    assert text == write(report(scenario, queue), chosen, View())


# --- markdown ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "queue"), [(REFUSED, "research"), (BROKEN, "")])
def test_markdown(scenario: str, queue: str, snapshot: SnapshotAssertion) -> None:
    """The answer comes first, and what matters less is folded away."""
    assert as_markdown(report(scenario, queue), View()) == snapshot


def test_markdown_in_short() -> None:
    """The answer can be had alone."""
    text = as_markdown(report(WEIGHTS), View(detail=Detail.SUMMARY))
    assert text == (
        "**3 queues: 1 holds all that it deserves and is overused (C); 2 request more than they hold (A and B); "
        "1 requests more than its limit "
        "(A: 80 cpu with a limit of 50).**\n"
    )


def test_markdown_rows_have_the_cells_of_their_heading() -> None:
    """Every row of a table is as wide as its first, or GitHub would drop what is too much."""
    for scenario, queue in SHOWN:
        for table in re.findall(r"(?:^\|.*\n)+", as_markdown(report(scenario, queue), View()), re.MULTILINE):
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def test_markdown_acts_on_nothing_in_names() -> None:
    """A queue's name has nothing that could act."""
    found = deepcopy(report(WEIGHTS))
    found.queues[0].name = "*a* |b|"
    text = as_markdown(found, View())
    assert r"`*a*` \|b\|" in text


def test_the_next_command_is_code_in_markdown() -> None:
    """All of it, so that it can be copied."""
    found = deepcopy(report(WEIGHTS))
    found.scenario = "my_[x]_file.yaml"
    last = as_markdown(found, View()).splitlines()[-1]
    assert (
        last == "Next: `vqs explain-queue 'my_[x]_file.yaml' --queue A` says what the queue gets, and why its jobs wait"
    )


# --- json -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scenario", "queue"), SHOWN)
def test_document_validates_against_the_published_schema(scenario: str, queue: str) -> None:
    """What `--format json` writes is what `vqs schema queues` promises, and reads back as the result."""
    published = schema.result("queues")
    jsonschema.Draft202012Validator.check_schema(published)
    text = as_json(report(scenario, queue), View())
    jsonschema.Draft202012Validator(published).validate(json.loads(text))
    assert msgspec.json.decode(text, type=QueueReport) == report(scenario, queue)


def test_schema_describes_every_part() -> None:
    """Each definition of the schema says what it is."""
    assert all(definition["description"] for definition in schema.result("queues")["$defs"].values())


# --- prometheus -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", [WEIGHTS, TREE])
def test_prometheus(scenario: str, snapshot: SnapshotAssertion) -> None:
    """Names, labels and texts are Volcano's."""
    assert as_prometheus(report(scenario), View()) == snapshot


def samples(found: QueueReport) -> dict[tuple[str, ...], float]:
    """Read the text back, as Prometheus would."""
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(as_prometheus(found, View()))
        for sample in family.samples
    }


def test_what_is_unlimited_is_the_largest_number() -> None:
    """As in the scheduler: the largest float for cpu and memory, the largest whole number for all else."""
    found = samples(report(TREE))
    assert found["volcano_queue_capacity_milli_cpu", "root"] == float.fromhex("0x1.fffffffffffffp+1023")
    assert found["volcano_queue_real_capacity_scalar_resources", "root", "pods"] == 2.0**63


def test_a_resource_that_is_known_of_a_queue_is_zero_where_it_is_missing() -> None:
    """The scheduler sets it back to 0 in every figure of that queue, and does not know it of others."""
    found = deepcopy(report(WEIGHTS))
    found.metrics = [
        QueueMetrics(
            queue='a "b"',
            allocated={"cpu": 0, "memory": 0},
            request={"cpu": 1, "memory": 0, "nvidia.com/gpu": 2000},
            overused=False,
        ),
        QueueMetrics(queue="c", allocated={"cpu": 0, "memory": 0}, request={"cpu": 0, "memory": 0}),
    ]
    assert samples(found) == {
        ("volcano_queue_allocated_milli_cpu", 'a "b"'): 0,
        ("volcano_queue_allocated_milli_cpu", "c"): 0,
        ("volcano_queue_allocated_memory_bytes", 'a "b"'): 0,
        ("volcano_queue_allocated_memory_bytes", "c"): 0,
        ("volcano_queue_allocated_scalar_resources", 'a "b"', "nvidia.com/gpu"): 0,
        ("volcano_queue_request_milli_cpu", 'a "b"'): 1,
        ("volcano_queue_request_milli_cpu", "c"): 0,
        ("volcano_queue_request_memory_bytes", 'a "b"'): 0,
        ("volcano_queue_request_memory_bytes", "c"): 0,
        ("volcano_queue_request_scalar_resources", 'a "b"', "nvidia.com/gpu"): 2000,
        ("volcano_queue_overused", 'a "b"'): 0,
    }


def test_nothing_is_written_where_nothing_is_exported() -> None:
    """A scheduler that stands still has told nothing of its queues."""
    assert as_prometheus(report(BROKEN), View()) == ""


def test_metrics_of_one_queue() -> None:
    """Where a queue is explained, there are no others."""
    assert {name for _, name, *_ in samples(report(TREE, "research"))} == {"research"}


def test_names_in_metrics_do_nothing_to_a_terminal() -> None:
    """What has no shape of its own is written out."""
    found = deepcopy(report(WEIGHTS))
    found.metrics = [QueueMetrics(queue="a\x1b[31m", allocated={"cpu": 0, "memory": 0, "x\x1b": 1}, overused=False)]
    text = as_prometheus(found, View())
    assert "a\\\\x1b[31m" in text
    assert "\x1b" not in text
