"""What is expected, against what was found."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from vqs.explain.outcome import ExpectationResult
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_manifests

CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes: [{count: 2, cpu: 8, memory: 8Gi}]
queues:
  - {name: a, guarantee: {memory: 1Gi}}
  - {name: b, weight: 3, capability: {gpu: 4}}
  - {name: idle}
jobs:
  - {name: runs, queue: a, running: {node-0: 2}, cpu: 1, memory: 1Gi}
  - {name: fits, queue: b, replicas: 2, cpu: 1500m}
  - {name: part, namespace: team, queue: a, replicas: 4, minAvailable: 1, cpu: 2}
  - name: never
    queue: b
    roles: [{name: x, replicas: 1, cpu: 9, nodeSelector: {pool: none}}, {name: y, replicas: 1}]
"""


def results(expect: str) -> list[ExpectationResult]:
    """Simulate the cluster, and compare it with what is expected."""
    text = f"{CLUSTER}expect:\n{expect}"
    read = read_manifests(["-"], stdin=io.BytesIO(text.encode()))
    return simulate(read, SimulateOptions()).expectations


def result(expect: str) -> ExpectationResult:
    """Return the result of a single expectation."""
    [only] = results(f"  {expect}\n")
    return only


HOLDING = {
    "node": ("tasks: {runs-worker-0: node-0}", "task runs-worker-0: node = node-0", "node-0"),
    "node pattern": ("tasks: {fits-worker-0: node-*}", "task fits-worker-0: node = node-*", "node-1"),
    "no node": ("tasks: {never-x-0: none}", "task never-x-0: node = none", "none"),
    "task pattern": ("tasks: {runs-*: {status: Running}}", "task runs-*: status = Running", "Running"),
    "task in a namespace": ("tasks: {team/part-worker-3: {verdict: queue-limit, status: Pending}}", "", ""),
    "verdict": (
        "tasks: {never-x-0: {verdict: larger-than-any-node}}",
        "task never-x-0: verdict = larger-than-any-node",
        "larger-than-any-node",
    ),
    "no verdict": ("tasks: {runs-worker-0: {verdict: none}}", "task runs-worker-0: verdict = none", "none"),
    "message": (
        "tasks: {never-x-0: {message: 2 Insufficient cpu}}",
        "task never-x-0: message contains 2 Insufficient cpu",
        "0/2 nodes are unavailable: 2 Insufficient cpu.",
    ),
    "decision": ("jobs: {fits: committed}", "job fits: decision = committed", "committed"),
    "decision in a map": ("jobs: {team/part: {decision: partially-committed}}", "", "partially-committed"),
    "phase": ("jobs: {never: {phase: Inqueue}}", "job never: phase = Inqueue", "Inqueue"),
    "job's verdict": (
        "jobs: {never: {verdict: larger-than-any-node}}",
        "job never: verdict = larger-than-any-node",
        "larger-than-any-node",
    ),
    "unschedulable": ("jobs: {fits: {unschedulable: none}}", "job fits: unschedulable contains none", "none"),
    "job's counts": ("jobs: {part: {counts: {placed: 1}}}", "job part: counts.placed = 1", "1"),
    "role's counts": ("jobs: {never: {roles: {x: {Pending: 1}}}}", "job never: roles.x.Pending = 1", "1"),
    "job's verdicts": ("jobs: {part: {verdicts: {queue-limit: 3}}}", "job part: verdicts.queue-limit = 3", "3"),
    "counts of several": ("jobs: {'*': {counts: {total: 10}}}", "job *: counts.total = 10", "10"),
    "all counts": ("counts: {Running: 2}", "counts.Running = 2", "2"),
    "all verdicts": ("verdicts: {queue-limit: 3}", "verdicts.queue-limit = 3", "3"),
    "queue's counts": ("queues: {a: {counts: {total: 6}}}", "queue a: counts.total = 6", "6"),
    "deserved": ("queues: {a: {deserved: {cpu: 4000m}}}", "queue a: deserved.cpu = 4000m", "4"),
    "memory": ("queues: {a: {allocated: {memory: 2048Mi}}}", "queue a: allocated.memory = 2048Mi", "2Gi"),
    "short name": ("queues: {b: {capability: {gpu: 4}}}", "queue b: capability.nvidia.com/gpu = 4", "4"),
    "unlimited": ("queues: {b: {capability: {cpu: unlimited}}}", "queue b: capability.cpu = unlimited", "unlimited"),
    "nothing of it": ("queues: {a: {allocated: {gpu: 0}}}", "queue a: allocated.nvidia.com/gpu = 0", "0"),
    "share at close": ("queues: {a: {share: 1}}", "queue a: share = 1", "1"),
    "share at open": ("queues: {b: {opened: {share: 0}}}", "queue b: opened.share = 0", "0"),
    "held at open": ("queues: {a: {opened: {allocated: {cpu: 2}}}}", "queue a: opened.allocated.cpu = 2", "2"),
    "overused": ("queues: {b: {overused: false}}", "queue b: overused = false", "false"),
    "real capability": (
        "queues: {b: {realCapability: {memory: 15Gi}}}",
        "queue b: realCapability.memory = 15Gi",
        "15Gi",
    ),
    "within a percent": ("queues: {a: {deserved: {cpu: 4.03}}}", "queue a: deserved.cpu = 4.03", "4"),
}


@pytest.mark.parametrize(("expect", "text", "found"), HOLDING.values(), ids=HOLDING)
def test_what_holds(expect: str, text: str, found: str) -> None:
    """What is so holds; the result says what was expected and what was found."""
    for each in results(f"  {expect}\n"):
        assert each.ok, each
        assert text in ("", each.expect)
        assert found in ("", each.found)


FAILING = {
    "node": ("tasks: {runs-worker-0: node-1}", "node-0"),
    "a node for none": ("tasks: {never-x-0: '*'}", "none"),
    "some of a pattern": ("tasks: {runs-*: {node: none}}", "0 of 2; runs-worker-0 node-0, runs-worker-1 node-0"),
    "one of a pattern": ("tasks: {never-*: {verdict: larger-than-any-node}}", "1 of 2; never-y-0 "),
    "many": ("tasks: {'*': {status: Failed}}", "0 of 10; "),
    "decision": ("jobs: {fits: discarded}", "committed"),
    "count": ("counts: {Running: 3}", "2"),
    "amount": ("queues: {a: {deserved: {cpu: 4.1}}}", "4"),
    "unlimited": ("queues: {a: {deserved: {cpu: unlimited}}}", "4"),
    "not unlimited": ("queues: {b: {capability: {cpu: 4}}}", "unlimited"),
    "overused": ("queues: {b: {overused: true}}", "false"),
    "message": ("tasks: {runs-worker-0: {message: x}}", "none"),
    "unknown task": ("tasks: {run-worker-0: none}", "there is no task 'run-worker-0' (did you mean 'runs-worker-0'?)"),
    "unknown job": ("jobs: {fit: committed}", "there is no job 'fit' (did you mean 'fits'?)"),
    "counts of an unknown job": ("jobs: {x: {counts: {total: 0}}}", "there is no job 'x'"),
    "counts of a queue without tasks": ("queues: {idle: {counts: {total: 0}}}", "there is no queue 'idle' with jobs"),
    "unknown queue": ("queues: {zz: {share: 0}}", "there is no queue 'zz'"),
}


@pytest.mark.parametrize(("expect", "found"), FAILING.values(), ids=FAILING)
def test_what_fails(expect: str, found: str) -> None:
    """What is otherwise fails, and so does what is expected of something that does not exist."""
    failed = result(expect)
    assert not failed.ok
    assert failed.found.startswith(found)


@pytest.mark.parametrize(
    ("tolerance", "ok"), [("0", False), ("0.5%", False), ("3%", True), ("0.03", True), ("1%", False)]
)
def test_tolerance(tolerance: str, ok: bool) -> None:
    """An amount may be off by the tolerance, which is a part of what is expected, or a percentage."""
    [only] = results(f"  tolerance: {tolerance}\n  queues: {{a: {{deserved: {{cpu: 4.1}}}}}}\n")
    assert only.ok == ok


def test_each_value_is_an_expectation() -> None:
    """A map of several values is several expectations, each with its own line, in their order."""
    text = "  jobs:\n    fits:\n      decision: committed\n      counts: {placed: 2,\n        Pending: 0}\n"
    found = results(text)
    first = CLUSTER.count("\n") + 2
    assert [each.line - first for each in found] == [2, 3, 4]
    assert {each.file for each in found} == {"<stdin>"}
    assert all(each.ok for each in found)


def read_with(tmp_path: Path, expect: str) -> list[ExpectationResult]:
    """Simulate the cluster with expectations in a file of their own."""
    cluster, file = tmp_path / "cluster.yaml", tmp_path / "expect.yaml"
    cluster.write_text(CLUSTER + "expect: {counts: {Running: 2}}\n", encoding="utf-8")
    file.write_text(expect, encoding="utf-8")
    return simulate(read_manifests([str(cluster)], expect=str(file)), SimulateOptions()).expectations


@pytest.mark.parametrize(
    "text",
    [
        "jobs: {fits: committed}\n",
        "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{count: 9}]\nexpect: {jobs: {fits: committed}}\n",
        '{"jobs": {"fits": "committed"}}',
    ],
    ids=["bare", "scenario", "JSON"],
)
def test_expectations_in_a_file(tmp_path: Path, text: str) -> None:
    """Expectations may stand in a file of their own, or in another scenario; they are checked with the others."""
    found = read_with(tmp_path, text)
    assert [(each.expect, each.ok) for each in found] == [
        ("counts.Running = 2", True),
        ("job fits: decision = committed", True),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("job: {fits: committed}\n", "did you mean 'jobs'?"),
        ("jobs: {fits: comitted}\n", "did you mean 'committed'?"),
        ("- 1\n", "expected an object, got a list"),
        ("{}\n", "this file has no expectations"),
        ("jobs: {fits: [}\n", "not valid YAML"),
    ],
)
def test_wrong_file(tmp_path: Path, text: str, message: str) -> None:
    """A file of expectations that is wrong, or empty, is an error of the input."""
    with pytest.raises(InputErrors) as caught:
        read_with(tmp_path, text)
    assert message in str(caught.value)


def test_a_verdict_that_there_is_not_is_refused() -> None:
    """An expectation of none of these would hold whatever happens."""
    with pytest.raises(InputErrors) as raised:
        results("  {verdicts: {gatd: 0}, tasks: {'*': {verdict: fragmentd}, 'x*': {verdict: frag*}}}\n")
    assert [each.message for each in raised.value.diagnostics] == [
        "there is no verdict 'gatd'",
        "there is no verdict 'fragmentd'",
    ]
    assert all(each.help.startswith("did you mean") for each in raised.value.diagnostics)


def test_too_many_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patterns multiply with the names that they are compared with; too much of that is refused, with its line."""
    patterns = "".join(f"    '*-{number}': {{status: Running}}\n" for number in range(9))
    assert len(results(f"  tasks:\n{patterns}")) == 9
    monkeypatch.setattr("vqs.explain.expectations.MOST_WORK", 50_000)
    with pytest.raises(InputErrors, match="too many names would be compared with too many patterns") as caught:
        results(f"  tasks:\n{patterns}")
    [error] = caught.value.diagnostics
    assert (error.code, error.line > CLUSTER.count("\n")) == ("too-large", True)


def test_names_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that are no patterns are compared with nothing, and a pattern once, however much is expected of it."""
    monkeypatch.setattr("vqs.explain.expectations._OF_A_COMPARISON", 10**10)
    assert results("  tasks: {runs-worker-0: node-0, team/part-worker-3: none}\n")
    monkeypatch.setattr("vqs.explain.expectations._OF_A_COMPARISON", 4 * 10**8)  # all ten tasks once
    assert results("  tasks: {'*-0': {status: Running, verdict: none, message: none}}\n")
