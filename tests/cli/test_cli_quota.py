"""What a user is told of pods that the API server refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build import job_task, node, queue, stored_job
from vqs.cli.main import main

QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "team", "namespace": "ns", "uid": "q"},
    "spec": {"hard": {"pods": "1"}},
    "status": {"hard": {"pods": "1"}, "used": {"pods": "1"}},
}
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ns}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {schedulerName: volcano, containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}
"""
WHY = "ResourceQuota ns/team allows 1 pods, 1 are in use, and each pod asks for 1"


@pytest.fixture(autouse=True)
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a cluster with a quota that is used up, and a Job that is admitted in the session."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    objects = [node("n", cpu=8), queue("default"), QUOTA, stored_job("train", job_task(), minimum=2)]
    Path("cluster.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8"
    )
    Path("web.yaml").write_text(WEB, encoding="utf-8")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return what a command says."""
    main(list(words))
    output = capsys.readouterr()
    return output.out + output.err


@pytest.mark.parametrize("command", [["explain-job", "--job", "ns/train"], ["simulate"], ["simulate", "--cycles", "5"]])
def test_a_job_is_not_promised_pods_that_a_quota_refuses(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Its admission is no promise: each command says which quota refuses its pods, and how much is in use."""
    said = told(capsys, command[0], "cluster.json", *command[1:])
    assert f"the API server refuses 2 pods: {WHY}" in said
    assert "are created next" not in said


def test_a_larger_quota_is_taken_at_its_word(capsys: pytest.CaptureFixture[str]) -> None:
    """The quota controller copies spec.hard to status.hard, and so the pods are made and bound."""
    edit = ("--set", "resourcequota/ns/team.spec.hard.pods=3")
    main(["simulate", "cluster.json", *edit, "--cycles", "5", "-f", "json"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    tasks = result["cycles"][-1]["simulation"]["tasks"]
    assert [task["status"] for task in tasks] == ["Running", "Running"]


@pytest.mark.parametrize(
    "command",
    [["fit", "web.yaml", "--on", "cluster.json"], ["explain-job", "cluster.json", "--add", "web.yaml", "--job", "web"]],
)
def test_a_deployment_without_any_pod_is_explained(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without pods there is no PodGroup, and so no job: what is said is why there are no pods."""
    assert f"Deployment ns/web has no pods: the API server refuses 2 pods: {WHY}" in told(capsys, *command)


SECURITY = 'pods "web-" is forbidden: violates PodSecurity "restricted:latest"'


def failing(reason: str, message: str, status: str = "True") -> str:
    """Write a Deployment whose status says whether its pods could be created."""
    condition = {"type": "ReplicaFailure", "status": status, "reason": reason, "message": message}
    return WEB + f"status: {{conditions: [{json.dumps(condition)}]}}\n"


def test_pods_that_could_not_be_created_are_not_placed(capsys: pytest.CaptureFixture[str]) -> None:
    """What the status of a Deployment or ReplicaSet quotes of the API server is said, whatever it is that refused."""
    Path("web.yaml").write_text(failing("FailedCreate", SECURITY), encoding="utf-8")
    said = told(capsys, "simulate", "web.yaml", "-v")
    assert "the API server refuses 2 pods of Deployment ns/web: " + SECURITY in said
    assert "0 tasks placed" in said


@pytest.mark.parametrize(
    ("reason", "message", "status"),
    [
        ("FailedDelete", "x", "True"),
        ("FailedCreate", SECURITY, "False"),
    ],
)
def test_conditions_about_something_else_refuse_no_pods(
    reason: str, message: str, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither pods that could not be deleted, nor a failure that is over."""
    Path("web.yaml").write_text(failing(reason, message, status), encoding="utf-8")
    Path("n.json").write_text(json.dumps(node("n", cpu=8)), encoding="utf-8")
    assert "2 tasks placed" in told(capsys, "simulate", "web.yaml", "n.json")


def test_a_quota_of_the_snapshot_is_asked_anew(capsys: pytest.CaptureFixture[str]) -> None:
    """It may have room by now, whatever the status quotes; a quota that the snapshot lacks is believed."""
    quoted = 'pods "web-" is forbidden: exceeded quota: team, requested: pods=1, used: pods=1, limited: pods=1'
    Path("web.yaml").write_text(failing("FailedCreate", quoted), encoding="utf-8")
    roomy = QUOTA | {"spec": {"hard": {"pods": "9"}}, "status": {"hard": {"pods": "9"}, "used": {"pods": "1"}}}
    objects = {"apiVersion": "v1", "kind": "List", "items": [node("n", cpu=8), roomy]}
    Path("roomy.json").write_text(json.dumps(objects), encoding="utf-8")
    Path("n.json").write_text(json.dumps(node("n", cpu=8)), encoding="utf-8")
    assert "2 tasks placed" in told(capsys, "simulate", "web.yaml", "roomy.json")
    assert "exceeded quota: team" in told(capsys, "simulate", "web.yaml", "n.json")
