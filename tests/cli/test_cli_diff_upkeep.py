"""`vqs diff-configs --base-ref` over changes that controllers and the API server carry on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.changes import QUEUE, git
from vqs.cli.main import main

Gate = Callable[[str], tuple[int, set[str]]]

CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {cpu: 8, memory: 16Gi}
queues:
  - {name: a, weight: 1}
  - {name: b, weight: 1}
jobs:
  - {name: serve, queue: b, running: 4, minAvailable: 1, cpu: 1, memory: 1Gi, labels: {app: serve}}
  - {name: fill, queue: a, running: 4, minAvailable: 1, cpu: 1, memory: 1Gi}
  - {name: train, queue: a, replicas: 2, minAvailable: 1, cpu: 1, memory: 1Gi}
"""
CONF = """\
actions: "enqueue, allocate, reclaim"
tiers:
- plugins:
  - name: gang
  - name: pdb
- plugins:
  - name: predicates
  - name: proportion
"""
BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "serve", "namespace": "default"},
    "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "serve"}}},
}
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "none", "namespace": "default"},
    "spec": {"hard": {"pods": "0"}},
}
LIMITS = {
    "apiVersion": "v1",
    "kind": "LimitRange",
    "metadata": {"name": "small", "namespace": "default"},
    "spec": {"limits": [{"type": "Container", "max": {"cpu": "100m"}}]},
}


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Gate:
    """Stand in a repository with the queues of a cluster, and return what the gate says of the change in it."""
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (tmp_path / "repo" / "queues").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo")
    write_queues(1, 1)
    Path("volcano-scheduler.conf").write_text(CONF, encoding="utf-8")
    git("init")
    git("add", "--all")
    git("commit", "-m", "as it is")

    def tell(conditions: str) -> tuple[int, set[str]]:
        paths = ("queues", "volcano-scheduler.conf")
        command = ["diff-configs", "--base-ref", "main", "--on", "../cluster.yaml", *paths]
        code = main([*command, "--fail-on", conditions, "--format", "json"])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return code, {each["finding"]["code"] for each in findings}

    return tell


def write_queues(a: int, b: int) -> None:
    """Give the two queues their weights."""
    Path("queues/queues.yaml").write_text(f"{QUEUE % ('a', a)}---\n{QUEUE % ('b', b)}", encoding="utf-8")


def write(name: str, thing: object) -> None:
    """Add an object to the change."""
    Path("queues", name).write_text(json.dumps(thing), encoding="utf-8")


def test_a_budget_that_hides_what_the_same_change_evicts(gate: Gate) -> None:
    """The change evicts pods; a budget beside it spares them in the simulation, and is a finding for that."""
    write_queues(3, 1)
    assert gate("evictions") == (1, set())
    write("budget.json", BUDGET)
    code, found = gate("evictions,findings")
    assert code == 1
    assert "budget-spares-pods" in found


def test_the_allowance_of_a_budget_is_counted(gate: Gate) -> None:
    """What a change writes as the status of its budget is not taken: the controller counts the pods."""
    write_queues(3, 1)
    write("budget.json", {**BUDGET, "status": {"disruptionsAllowed": 4, "currentHealthy": 4, "expectedPods": 4}})
    _, found = gate("findings")
    assert "budget-spares-pods" in found


@pytest.mark.parametrize(("thing", "code"), [(QUOTA, "quota-refuses-pods"), (LIMITS, "new-pods-differ")])
def test_what_refuses_new_pods_is_a_finding(gate: Gate, thing: object, code: str) -> None:
    """No pod of the namespace would be made again, though the next session decides the same."""
    assert gate("evictions,unplaced,findings") == (0, set())
    write("more.json", thing)
    assert gate("findings") == (1, {code})
