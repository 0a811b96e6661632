"""What a workload cannot give is refused."""

from __future__ import annotations

import pytest

from tests.replay.reading.files import Files, errors_in
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat

SCENARIO = """
apiVersion: vqs/v1
kind: Scenario
nodes: [{cpu: 8}]
jobs: [{name: first, cpu: 1, arrival: 1, duration: 10}]
"""
LOG = "; MaxNodes: 2\n; MaxProcs: 8\n1 0 10 60 6 -1 -1 6 -1 -1 1 5 2 -1 1 1 -1 -1\n"
PLAN = "apiVersion: vqs/v1\nkind: Sweep\nbase: a.yaml\nparameters: {}\nfigures: [placed]\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            SCENARIO,
            ReadingOptions(most_nodes=3),
            "--most-nodes is for workloads in openb, and this one is a scenario or a snapshot",
        ),
        (
            SCENARIO,
            ReadingOptions(processors_per_pod=3),
            "--processors-per-pod is for workloads in swf, and this one is a scenario or a snapshot",
        ),
        (
            SCENARIO,
            ReadingOptions(queue_of=QueueOf.NONE),
            "--queue-by none is for workloads in openb and swf, and this one is a scenario or a snapshot",
        ),
        (
            SCENARIO,
            ReadingOptions(WorkloadFormat.SWF),
            "--workload-format swf is given, but the workload is a scenario or a snapshot",
        ),
        (
            SCENARIO,
            ReadingOptions(WorkloadFormat.DUMPS),
            "--workload-format dumps is given, but the workload is a scenario or a snapshot",
        ),
        (
            SCENARIO,
            ReadingOptions(WorkloadFormat.DUMPS, most_nodes=2),
            "--most-nodes is for workloads in openb, and this one is read as dumps",
        ),
        (LOG, ReadingOptions(most_nodes=3), "--most-nodes is for workloads in openb, and this one is in swf"),
        (
            LOG,
            ReadingOptions(queue_of=QueueOf.QOS),
            "--queue-by qos is for workloads in openb, and this one is in swf",
        ),
    ],
)
def test_options_of_other_formats_are_refused(files: Files, text: str, options: ReadingOptions, message: str) -> None:
    """Which option it is, and which format it is for: nothing is ignored in silence."""
    name = "a.swf" if text is LOG else "a.yaml"
    assert [each.message for each in errors_in(files, {name: text}, options)] == [message]


@pytest.mark.parametrize(("name", "text"), [("a.yaml", SCENARIO), ("a.swf", LOG)])
def test_a_file_that_is_given_twice_is_refused(files: Files, name: str, text: str) -> None:
    """By whatever name: a link to it is the same file."""
    (files.folder / "link").symlink_to(files.folder / name)
    [error] = errors_in(files, {name: text, "link": text})
    assert (error.message, error.file) == ("this file is given twice", str(files.folder / "link"))


def test_a_plan_is_no_workload(files: Files) -> None:
    """The error says which command runs it, beside workloads as well."""
    for texts in ({"plan.yaml": PLAN}, {"a.yaml": SCENARIO, "plan.yaml": PLAN}):
        [error] = errors_in(files, texts)
        assert "vqs sweep runs it" in error.message
        assert error.help == f"run vqs sweep {files.folder / 'plan.yaml'}"


def test_a_workload_without_jobs_is_refused(files: Files) -> None:
    """There would be nothing to say of it."""
    [error] = errors_in(
        files, {"a.yaml": SCENARIO.replace("jobs", "queues").replace(", cpu: 1, arrival: 1, duration: 10", "")}
    )
    assert error.message == "there is nothing to replay: no job arrives, and none is there at the start"
