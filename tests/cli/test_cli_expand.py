"""`vqs expand`, as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build import job_task, stored_job
from vqs.cli.main import main

CLUSTER = """\
apiVersion: v1
kind: Node
metadata: {name: n1, creationTimestamp: "2026-01-01T00:00:00Z"}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "10"}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1, reclaimable: false, affinity: {nodeGroupAffinity: {}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap}
data:
  volcano-scheduler.conf: |
    actions: "enqueue, allocate"
    tiers:
    - plugins:
      - name: gang
      - name: predicates
      - name: proportion
---
apiVersion: v1
kind: ConfigMap
metadata: {name: secrets}
data: {password: hush}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: team}
spec:
  queue: research
  tasks:
  - name: worker
    replicas: 3
    template:
      metadata: {labels: {app: train}}
      spec:
        topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}
        containers: [{name: c, resources: {requests: {cpu: "0.5", memory: 2048Mi}}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      schedulerName: volcano
      containers: [{name: c, resources: {requests: {cpu: 1}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: shell, namespace: team, creationTimestamp: "2026-01-01T00:00:01Z"}
spec:
  schedulerName: volcano
  containers: [{name: c}]
"""


@pytest.fixture
def cluster_file(tmp_path: Path) -> Path:
    """Return a file with a node, a Job, a Deployment and a bare pod."""
    path = tmp_path / "cluster.yaml"
    path.write_text(CLUSTER, encoding="utf-8")
    return path


def expanded(path: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the objects that a file stands for."""
    assert main(["expand", str(path)]) == 0
    return list(yaml.safe_load_all(capsys.readouterr().out))


def test_plain_manifests(cluster_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each object is a document; the Job and the Deployment are replaced by what they stand for."""
    objects = expanded(cluster_file, capsys)

    kinds = [each["kind"] for each in objects]
    assert sorted(set(kinds)) == ["ConfigMap", "Node", "Pod", "PodGroup", "Queue", "ReplicaSet"]
    assert kinds.count("Pod") == 6
    assert kinds.count("PodGroup") == 3
    assert kinds.count("ConfigMap") == 1
    group = next(each for each in objects if each["kind"] == "PodGroup" and each["metadata"]["name"] == "train")
    assert group["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    assert group["spec"]["queue"] == "research"


def test_what_zero_means_is_kept(cluster_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A false that is not the same as nothing is written, as are empty selectors; amounts are as the API server's."""
    objects = expanded(cluster_file, capsys)

    queue = next(each for each in objects if each["kind"] == "Queue")
    assert queue["spec"] == {"weight": 1, "reclaimable": False, "affinity": {"nodeGroupAffinity": {}}} | {
        "dequeueStrategy": "traverse"
    }
    pod = next(each for each in objects if each["metadata"]["name"] == "train-worker-0")
    assert pod["spec"]["topologySpreadConstraints"][0]["labelSelector"] == {}
    assert pod["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "500m", "memory": "2Gi"}}


@pytest.mark.parametrize("chosen", ["yaml", "json"])
def test_the_result_is_the_same(
    chosen: str, cluster_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Simulating what an input stands for gives what simulating the input gives; so does expanding it again."""
    target, again = tmp_path / "expanded", tmp_path / "again"
    assert main(["expand", str(cluster_file), "--format", chosen, "--output", str(target)]) == 0
    assert main(["expand", str(target), "--format", chosen, "--output", str(again)]) == 0
    capsys.readouterr()

    def result(path: Path) -> dict[str, Any]:
        assert main(["simulate", str(path), "--format", "json", "--quiet"]) == 0
        simulation: dict[str, Any] = json.loads(capsys.readouterr().out)
        return {key: value for key, value in simulation.items() if key not in ("scenario", "diagnostics", "session")}

    assert again.read_text(encoding="utf-8") == target.read_text(encoding="utf-8")
    assert result(target) == result(cluster_file)
    assert {task["status"] for task in result(target)["tasks"]} == {"Binding", "Pending"}


def test_notes_go_to_stderr(cluster_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The notes on what was added go to stderr, without a note on the ConfigMap; --quiet leaves them out."""
    assert main(["expand", str(cluster_file)]) == 0
    noted = capsys.readouterr().err
    assert main(["expand", str(cluster_file), "--quiet"]) == 0

    assert "not used" not in noted
    assert "1 PodGroup and 3 Pods for 1 Job; 1 PodGroup for 1 Pod; 1 PodGroup, 2 Pods and 1 ReplicaSet for" in noted
    assert capsys.readouterr().err == ""


def test_a_list(cluster_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON, the objects are a List."""
    assert main(["expand", str(cluster_file), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "List"


def test_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A Job that the webhook denies is an error, and nothing is written."""
    path = tmp_path / "job.yaml"
    path.write_text("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: a}\nspec: {tasks: []}\n")

    assert main(["expand", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "job.yaml:4:7: $.spec: Volcano's webhook denies this Job: no task is specified" in printed.err


def test_pods_that_wait_for_admission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pods that the Job controller has yet to create are not printed, and a note counts the Jobs."""
    path = tmp_path / "dump.json"
    items = stored_job("train", job_task(), minimum=2)
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")
    assert main(["expand", str(path)]) == 0
    printed = capsys.readouterr()
    assert "kind: Pod\n" not in printed.out
    assert "the pods of 1 Job are not included: the Job controller creates them after admission" in printed.err


def test_at_most_so_much(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Manifests that are longer than `--max-size` are refused, and nothing is written; they may be longer with it."""
    path, target = tmp_path / "in.yaml", tmp_path / "out.yaml"
    labels = ", ".join(f"label-{number}: {'x' * 60}" for number in range(20))
    text = f"apiVersion: vqs/v1\nkind: Scenario\nnodes: [{{count: 700, cpu: 1, labels: {{{labels}}}}}]\n"
    path.write_text(text, encoding="utf-8")
    assert main(["expand", str(path), "--max-size", "1", "--output", str(target)]) == 2
    assert "the plain manifests are longer than 1 MiB; raise the limit with --max-size" in capsys.readouterr().err
    assert not target.exists()
    assert main(["expand", str(path), "--max-size", "2", "--output", str(target)]) == 0
    assert 1 << 20 < target.stat().st_size <= 2 << 20
