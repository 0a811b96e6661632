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


def failing(reason: str = "FailedCreate", message: str = SECURITY, status: str = "True") -> None:
    """Write a node, and a ReplicaSet whose status says whether its pods could be created."""
    condition = {"type": "ReplicaFailure", "status": status, "reason": reason, "message": message}
    text = WEB.replace("kind: Deployment", "kind: ReplicaSet") + f"status: {{conditions: [{json.dumps(condition)}]}}\n"
    Path("web.yaml").write_text(f"{text}---\n{json.dumps(node('n', cpu=8))}", encoding="utf-8")


def test_pods_that_could_not_be_created_are_not_placed(capsys: pytest.CaptureFixture[str]) -> None:
    """What the status of a ReplicaSet quotes of the API server is said, whatever refused, until it is taken out."""
    failing()
    said = told(capsys, "simulate", "web.yaml")
    assert (
        f"the API server refuses 2 pods of ReplicaSet ns/web: {SECURITY} (condition ReplicaFailure of ns/web)" in said
    )
    assert "0 tasks placed" in said
    lifted = ["--set", "replicaset/ns/web.status.conditions=[]"]
    assert "2 tasks placed" in told(capsys, "simulate", "web.yaml", *lifted)


def test_a_long_message_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """A webhook may say as much as it likes."""
    failing(message="x" * 60000)
    assert len(told(capsys, "simulate", "web.yaml")) < 2000


@pytest.mark.parametrize(
    ("reason", "message", "status"),
    [
        ("FailedDelete", SECURITY, "True"),
        ("FailedCreate", SECURITY, "False"),
        ("FailedCreate", "", "True"),
        ("FailedCreate", 'pods "web-" is forbidden: exceeded quota: team, requested: pods=1', "True"),
        ("FailedCreate", "cpu max limit to request ratio per Container is 2, but provided ratio is 4.000000", "True"),
    ],
)
def test_conditions_that_refuse_no_pods(
    reason: str, message: str, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pods that could not be deleted, a failure that is over or says nothing, and quotas, which are asked anew."""
    failing(reason, message, status)
    assert "2 tasks placed" in told(capsys, "simulate", "web.yaml")


@pytest.mark.parametrize(
    "message", [SECURITY, "exceeded quota: team, requested: pods=1", "maximum cpu usage per Pod is 1"]
)
def test_anonymized_pods_are_refused_as_before(message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What tells quotas and LimitRanges from other checks stays in the message."""
    failing(message=message)
    before = told(capsys, "simulate", "web.yaml")
    told(capsys, "anonymize", "web.yaml", "--output", "other.json")
    [placed] = {text for text in ("0 tasks placed", "2 tasks placed") if text in before}
    assert placed in told(capsys, "simulate", "other.json")
