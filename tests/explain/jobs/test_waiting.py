"""Every job that waits is listed once, with its cause."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.build import gang, group, job_task, manifests, node, pod, queue, stored_job
from tests.kubectl_dumps import cluster, volcano_job, write_dump
from vqs.explain.jobs.report import explain_job
from vqs.explain.jobs.waiting import waiting_jobs
from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.reader import read_manifests


def listed(*objects: Any) -> WaitingJobs:
    """List the jobs of a cluster that wait."""
    return waiting_jobs(manifests([*objects, queue("default")]), SimulateOptions())


def test_a_job_is_called_as_people_call_it(tmp_path: Path) -> None:
    """In a dump, the PodGroup of a Volcano Job has a uid in its name, and the list has the name of the Job."""
    jobs = [volcano_job("train", namespace="ml", cpu=9), volcano_job("web", namespace="ml", cpu=1)]
    path = write_dump(tmp_path / "dump.json", cluster(*jobs))
    found = waiting_jobs(read_manifests([path]), SimulateOptions())
    [job] = found.jobs
    assert job.name.startswith("train-")
    assert job.name != "train"
    assert (job.display_name, job.waiting, job.tasks) == ("ml/train", 1, 1)
    assert job.cause is not None
    assert job.cause.code == "larger-than-any-node"
    assert found.answer == "1 of 2 jobs waits: 1 larger-than-any-node."


def test_nothing_waits() -> None:
    """That is an answer, too."""
    assert listed(node("n", cpu=4), gang("a", 1), gang("b", 1)).answer == "No job waits."
    assert listed(node("n", cpu=4), gang("a", 1)).answer == "The only job does not wait."
    assert listed(node("n", cpu=4)).answer == "There are no jobs."


def test_a_job_of_an_unknown_queue_is_listed() -> None:
    """The scheduler ignores it, and so it waits for ever."""
    [job] = listed(node("n", cpu=4), gang("lost", 2, queue="nowhere")).jobs
    assert job.cause is not None
    assert (job.cause.code, job.waiting) == ("unknown-queue", 2)


def test_frequent_causes_come_first() -> None:
    """The answer counts the jobs by what keeps them waiting."""
    lost = [gang(name, 1, queue="nowhere") for name in ("b", "c")]
    found = listed(node("n", cpu=4), gang("a", 5), *lost)
    assert found.answer == "3 of 3 jobs wait: 2 unknown-queue, 1 gang-exceeds-cluster."
    assert [job.display_name for job in found.jobs] == ["ns/a", "ns/b", "ns/c"]


REFUSING = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "q", "namespace": "ns"},
    "spec": {"hard": {"pods": 2}},
    "status": {"hard": {"pods": 2}, "used": {"pods": 0}},
}


@pytest.mark.parametrize(
    ("objects", "starting"),
    [
        ([REFUSING, *stored_job("j", job_task(replicas=4), minimum=4)], {"hard": "4 of 4", "minAvailable": "2 of 4"}),
        (
            [group("j", 4), *(pod(f"j-{each}", "j") for each in range(3)), pod("j-3", "j", scheduler="other")],
            {"schedulerName": "4 of 4", "minMember": "3 of 4"},
        ),
    ],
    ids=["refused", "left to another scheduler"],
)
def test_all_pods_of_a_job_count(objects: list[Any], starting: dict[str, str]) -> None:
    """In the list and beside each fix, a job has as many pods that wait, whether they exist or are tasks or not."""
    everything = [node("n"), *objects]
    [waiting] = listed(*everything).jobs
    assert (waiting.waiting, waiting.tasks) == (4, 4)
    report = explain_job(
        manifests([*everything, queue("default")]), SimulateOptions(), waiting.display_name, sessions=80
    )
    assert report.fix_search is not None
    found = {
        each.parameter: f"{each.outlook.pods_bound} of {each.pods_after}"
        for each in report.fix_search.fixes
        if each.outlook is not None
    }
    assert {each: found.get(each) for each in starting} == starting
