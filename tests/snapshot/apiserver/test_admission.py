"""What Volcano's webhook does not let in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.snapshot.controllers.objects import Object, read, task, volcano_job
from vqs.snapshot.reading.diagnostics import InputErrors

PARTS = {"totalPartitions": 2, "partitionSize": 2}
FAILED = {"event": "PodFailed", "action": "RestartJob"}


def job(*tasks: Object, **spec: Any) -> Object:
    """Make a Job, with one task unless others are given."""
    return volcano_job(*(tasks or [task()]), **spec)


@pytest.mark.parametrize(
    ("denied", "path", "reason"),
    [
        (volcano_job(), "$.spec", "no task is specified"),
        (job(minAvailable=3), "$.spec.minAvailable", "greater than the total of replicas"),
        (
            job(task(minAvailable=3), minAvailable=1),
            "$.spec.tasks[0].minAvailable",
            "greater than replicas in task worker",
        ),
        (job(task("a"), task("a")), "$.spec.tasks[1].name", "duplicated task name a"),
        (job(task("default1"), task("")), "$.spec.tasks[1]", "duplicated task name default1"),
        (job(task("a" * 60)), "$.spec.tasks[0].name", "cannot be the name of a pod"),
        (job({"name": "a", "replicas": 1}), "$.spec.tasks[0]", "has no containers"),
        (job(policies=[FAILED, FAILED]), "$.spec.policies[1].event", "duplicate event PodFailed"),
        (job(policies=[FAILED | {"event": "PodFaild"}]), "$.spec.policies[0].event", "invalid policy event 'PodFaild'"),
        (job(policies=[FAILED | {"action": "Restart"}]), "$.spec.policies[0].action", "invalid policy action"),
        (job(policies=[FAILED | {"exitCode": 3}]), "$.spec.policies[0]", "event and exitCode are both set"),
        (job(policies=[{"action": "RestartJob"}]), "$.spec.policies[0]", "neither event nor exitCode"),
        (job(policies=[{"exitCode": 0}]), "$.spec.policies[0].exitCode", "0 is not a valid error code"),
        (job(policies=[{"exitCode": 3}, {"exitCode": 3}]), "$.spec.policies[1].exitCode", "duplicate exitCode 3"),
        (job(policies=[FAILED, FAILED | {"event": "*"}]), "$.spec.policies", "no other can be"),
        (job(task(policies=[{}])), "$.spec.tasks[0].policies[0]", "neither event nor exitCode"),
        (job(plugins={"pytroch": []}), "$.spec.plugins.pytroch", "unable to find job plugin pytroch"),
        (job(plugins={"mpi": ["--worker=worker"]}), "$.spec.plugins.mpi", "the master task of plugin mpi"),
        (
            job(task("m"), task("w"), plugins={"mpi": ["--master=m", "--bogus=1", "--worker=w"]}),
            "$.spec.plugins.mpi",
            "the worker task of plugin mpi, 'worker', does not exist",
        ),
        (
            job(task("worker"), plugins={"mpi": ["--master="]}),
            "$.spec.plugins.mpi",
            "the master task of plugin mpi, ''",
        ),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "My_Data"}]),
            "$.spec.volumes[0].volumeClaimName",
            "My_Data cannot be the name",
        ),
        (job(volumes=[{"volumeClaimName": "a"}]), "$.spec.volumes[0]", "mountPath is required"),
        (job(volumes=[{"mountPath": "/a"}]), "$.spec.volumes[0]", "either volumeClaim or volumeClaimName"),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "a"}] * 2),
            "$.spec.volumes[1].mountPath",
            "duplicated mountPath /a",
        ),
        (
            job(volumes=[{"mountPath": "/a", "volumeClaimName": "a", "volumeClaim": {"volumeName": "x"}}]),
            "$.spec.volumes[0]",
            "volumeClaim and volumeClaimName are both set",
        ),
        (
            job(networkTopology={"highestTierAllowed": 1, "highestTierName": "rack"}),
            "$.spec.networkTopology",
            "highestTierAllowed and highestTierName",
        ),
        (job(task(partitionPolicy=PARTS)), "$.spec.tasks[0].partitionPolicy", "is not totalPartitions times"),
        (
            job(task(replicas=4, minAvailable=4, partitionPolicy=PARTS | {"minPartitions": 1})),
            "$.spec.tasks[0].partitionPolicy",
            "is not minPartitions times",
        ),
        (job(task(partitionPolicy={"partitionSize": 1})), "$.spec.tasks[0].partitionPolicy", "totalPartitions is not"),
        (job(task(partitionPolicy={"totalPartitions": 1})), "$.spec.tasks[0].partitionPolicy", "partitionSize is not"),
        (job(task(topologyPolicy="restricted", cpu="500m")), "$.spec.tasks[0].template", "whole number"),
        (job(task("a", dependsOn={"name": ["a"]})), "$.spec.tasks", "cannot be put into an order"),
        (job(task("a", dependsOn={"name": ["b"]})), "$.spec.tasks", "cannot be put into an order"),
        (
            job(task("a"), task("b", dependsOn={"name": ["a", "a"]})),
            "$.spec.tasks[1].dependsOn.name",
            "task b names a task that it depends on more than once",
        ),
    ],
)
def test_denied(denied: Object, path: str, reason: str) -> None:
    """The error has the place of the value, and the reason."""
    with pytest.raises(InputErrors) as caught:
        read(denied)

    [error] = caught.value.diagnostics
    assert error.code == "job-denied"
    assert error.path.startswith(f"$.items[0]{path[1:]}")
    assert reason in error.message
    assert error.line


@pytest.mark.parametrize(
    "allowed",
    [
        job(minAvailable=2),
        job(policies=[FAILED, {"events": ["PodEvicted", "TaskFailed"], "action": "AbortJob"}, {"exitCode": 3}]),
        job(policies=[{"event": "PodFailed", "events": ["PodFailed"], "action": "AbortJob"}]),
        job(task("m"), task("w"), plugins={"mpi": ["--master=m", "-worker=w"], "ssh": [], "svc": []}),
        job(task("m"), task("w"), plugins={"mpi": ["--master", "m", "-port=2222", "--worker", "w"]}),
        job(task("master"), task("worker"), plugins={"mpi": ["master=m", "--worker=w"]}),
        job(task("master"), task("worker"), plugins={"mpi": ["--port=ssh", "--worker=w"]}),
        job(task("worker"), plugins={"mpi": None}),
        job(task("a"), task("b", dependsOn={"name": ["a"]}), task("c", dependsOn={"name": ["a", "b"]})),
        job(task(replicas=4, partitionPolicy=PARTS)),
        job(task(topologyPolicy="restricted", cpu="2")),
    ],
)
def test_allowed(allowed: Object) -> None:
    """A Job with nothing wrong is let in."""
    assert len(read(allowed).volcano_jobs) == 1


def test_a_cpu_request_that_is_no_amount_is_refused_once() -> None:
    """With a topologyPolicy, the request has to be whole; whether it is an amount at all is asked elsewhere."""
    with pytest.raises(InputErrors) as caught:
        read(job(task(topologyPolicy="restricted", cpu="two")))

    assert [error.code for error in caught.value.diagnostics] == ["invalid-quantity"]


def test_templates_are_looked_at() -> None:
    """What is wrong with the pods of a template is found in the Job, at its place."""
    with pytest.raises(InputErrors) as caught:
        read(job(task(cpu="two")))

    [error] = caught.value.diagnostics
    assert error.path == "$.items[0].spec.tasks[0].template.spec.containers[0].resources.requests.cpu"
