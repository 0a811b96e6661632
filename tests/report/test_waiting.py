"""The list of the jobs that wait, in each format."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec import structs

from tests.build import gang, group, manifests, node, pod, queue
from tests.kubectl_dumps import cluster, volcano_job, write_dump
from tests.report.html.test_simulation import outside
from tests.report.html_pages import HOSTILE, Parsed
from tests.report.writers import as_html, as_json, as_markdown, as_table
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.outcome import Outlook
from vqs.explain.simulate import SimulateOptions
from vqs.report import schema
from vqs.report.formats import Detail, View
from vqs.report.saved import read_result
from vqs.snapshot.reading.reader import read_manifests

WHY = "larger-than-any-node: "


@pytest.fixture
def dump(tmp_path: Path) -> WaitingJobs:
    """List the jobs of a dump that wait: one of two."""
    jobs = [volcano_job("train", namespace="ml", cpu=9), volcano_job("web", namespace="ml", cpu=1)]
    path = write_dump(tmp_path / "dump.json", cluster(*jobs))
    return waiting_jobs(read_manifests([path]), SimulateOptions(scenario="dump.json"))


def test_table(dump: WaitingJobs) -> None:
    """The answer comes first, then a line for each job with its cause, and a command that explains one of them."""
    lines = as_table(dump, View()).splitlines()
    assert lines[0] == "1 of 2 jobs waits: 1 larger-than-any-node."
    [line] = [line for line in lines if line.startswith("ml/")]
    assert line.startswith("ml/train  default         1 of 1  larger-than-any-node: ")
    assert lines[-1].startswith("Next: vqs explain-job dump.json --job ml/train explains that job")
    assert "vqs rule larger-than-any-node" in lines[-1]


def test_markdown(dump: WaitingJobs) -> None:
    """It is a table there, too."""
    text = as_markdown(dump, View())
    assert text.startswith("**1 of 2 jobs waits")
    assert "| `ml/train` | `default` | 1 of 1 | larger-than-any-node: " in text


def test_html(dump: WaitingJobs) -> None:
    """The page has the same words, and fetches nothing."""
    page = as_html(dump, View())
    words = Parsed(page).words
    assert outside(page) == []
    assert all(text in words for text in ("1 of 2 jobs waits", "ml/train", WHY.strip(": "), "Jobs that wait"))


def test_names_are_not_markup() -> None:
    """A job whose name is markup is text on the page."""
    found = waiting_jobs(manifests([node("n", cpu=4), queue("default"), gang("job", 9)]), SimulateOptions())
    [job] = found.jobs
    for job.display_name in HOSTILE:
        assert outside(as_html(found, View())) == []


def test_document(dump: WaitingJobs) -> None:
    """The document is what `vqs schema waiting` promises, and reads back as the result."""
    text = as_json(dump, View())
    jsonschema.validate(json.loads(text), schema.result("waiting"))
    assert read_result(text.encode()) == dump


def test_nothing_waits() -> None:
    """There is no table then, and the command shows what there is."""
    found = waiting_jobs(manifests([node("n", cpu=4), queue("default"), gang("job", 1)]), SimulateOptions())
    text = as_table(found, View())
    assert "CAUSE" not in text
    assert "vqs simulate" in text.splitlines()[-1]
    assert as_table(found, View(detail=Detail.SUMMARY)) == "The only job does not wait.\n"


def test_pods_of_other_schedulers_are_named() -> None:
    """They are no job; the command that explains them names what creates them. Those of a PodGroup are its job's."""
    alone, controlled = (pod(name, scheduler="mine") for name in ("shell", "web-0"))
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}
    controlled["metadata"]["ownerReferences"] = [owner]
    found = waiting_jobs(manifests([node("n", cpu=4), gang("job", 1), controlled, alone]), SimulateOptions())
    assert found.left_to_others == ["ns/web", "ns/shell"]
    assert found.answer == "The only job does not wait. ns/web and ns/shell wait for another scheduler."
    assert "Next: vqs explain-job FILES --job ns/web says why Volcano leaves that" in as_table(found, View())
    of_group = pod("job-0", "job", scheduler="mine")
    found = waiting_jobs(manifests([node("n", cpu=4), group("job", 1), of_group]), SimulateOptions())
    assert ([each.code for each in found.jobs], found.left_to_others) == (["other-scheduler"], [])


def test_a_job_that_the_scheduler_ignores_is_explained() -> None:
    """The command names it like any other."""
    found = waiting_jobs(manifests([node("n", cpu=4), gang("lost", 1, queue="nowhere")]), SimulateOptions())
    assert "Next: vqs explain-job FILES --job ns/lost explains that job" in as_table(found, View())


def test_a_job_that_starts_with_some_tasks_names_what_the_others_wait_for(dump: WaitingJobs) -> None:
    """What the session decided about it is no cause."""
    [job] = dump.jobs
    started = Outlook(sessions=2, starts_in_session=1, settled=True, pods_bound=1, pods_evicted=0)
    changed = structs.replace(job, decision="partially-committed", outlook=started)
    assert "  larger-than-any-node: " in as_table(structs.replace(dump, jobs=[changed]), View())
