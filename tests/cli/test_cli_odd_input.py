"""Input that once made a command fail instead of saying what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from vqs.cli.main import main

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n%s}\nstatus: {allocatable: {cpu: 4}}\n"
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
VCJOB = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
TASKS = "  tasks: [{name: a, replicas: 1, template: {spec: {containers: [{name: c, image: x}]}}}]\n"
STATEFUL_SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s%s}
spec:
  replicas: 1
  volumeClaimTemplates: [{metadata: {name: d}, spec: {resources: {requests: {storage: much}}}}]
  template: {spec: {schedulerName: volcano, containers: [{name: c}]}}
"""
STORED = ", uid: u, creationTimestamp: '2026-01-01T00:00:00Z'"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {%s: '%s'}}\nspec: {schedulerName: volcano}\n"
DIGITS = "9" * 5000


class Odd(NamedTuple):
    """A file, and what is said of it, after its name: nothing where it is fine."""

    content: str
    said: str = ""
    name: str = "odd.yaml"


ODD = {
    "number among arguments": Odd(VCJOB + "spec:\n  plugins: {env: [], svc: [1]}\n" + TASKS, ":5:28: "),
    "map among arguments": Odd(VCJOB + "spec:\n  plugins:\n    env: []\n    svc:\n    - --flag: x\n" + TASKS, ":8:7: "),
    "2.0 for 2": Odd(
        '{"apiVersion": "vqs/v1", "kind": "Scenario", "nodes": [{"cpu": 4, "count": 2.0}],'
        ' "jobs": [{"name": "j", "replicas": 1.0, "running": {"node-0": 1.0}, "minAvailable": 1.0, "cpu": 1}]}',
        name="odd.json",
    ),
    "2.5 for 2": Odd(
        '{"apiVersion": "vqs/v1", "kind": "Scenario", "nodes": [{"count": 2.5}]}',
        ":1:66: ",
        "odd.json",
    ),
    "resources within resources": Odd(HEAD + "queues: [{name: q, capability: {resources: x}}]\n", ":3:44: "),
    "amount beyond counting": Odd(HEAD + "nodes: [{cpu: 1e400}]\n", ":3:15: "),
    "expected amount beyond counting": Odd(
        HEAD + "nodes: [{cpu: 4}]\nexpect: {queues: {default: {deserved: {cpu: 1e400}}}}\n", ":4:45: "
    ),
    "hexadecimal amount": Odd(QUEUE + f"spec: {{capability: {{cpu: 0x{'f' * 5000}}}}}\n", ":4:26: "),
    "decimal amount": Odd(QUEUE + f"spec: {{capability: {{cpu: {DIGITS}}}}}\n", ":4:26: "),
    "number of many digits": Odd(QUEUE + f"spec: {{weight: {DIGITS}}}\n", ":4:16: "),
    "number of many digits in JSON": Odd(
        f'{{"apiVersion": "v1", "kind": "List", "items": [\n{{"a": "b"}}, {{"a": {DIGITS}}}]}}', ":2:19: ", "odd.json"
    ),
    "key of many digits": Odd(QUEUE + f"spec: {{0x{'f' * 500}: 1, {DIGITS[:500]}: 2}}\n"),
    "endless number": Odd(QUEUE + "spec: {weight: .inf}\n", ":4:16: "),
    "name that ends in many digits": Odd(HEAD + f"nodes: [{{name: n{'9' * 5000}, count: 2}}]\n"),
    "annotation of many digits": Odd((NODE % "") + "---\n" + POD % ("scheduling.volcano.sh/group-min-member", DIGITS)),
    "priority of many digits": Odd((NODE % "") + "---\n" + POD % ("volcano.sh/task-priority", DIGITS)),
    "oversubscription without end": Odd(
        NODE % ", annotations: {volcano.sh/oversubscription-cpu: inf, volcano.sh/oversubscription-memory: nan}"
    ),
    "amount in the template of a claim": Odd(STATEFUL_SET % "", ":6:87: "),
    "amount in the stored template of a claim": Odd(STATEFUL_SET % STORED, ":6:87: "),
    "amount in the claim of a Job": Odd(
        VCJOB + "spec:\n  volumes: [{mountPath: /v, volumeClaim: {resources: {requests: {storage: much}}}}]\n" + TASKS,
        ":5:75: ",
    ),
    "timestamps beyond the calendar": Odd(
        NODE % ", creationTimestamp: '9999-12-31T23:59:59-12:00'"
        + (NODE % "2, creationTimestamp: '0001-01-01T00:00:00+12:00'").join(("---\n", "---\n"))
        + POD.replace("name: p", "name: p, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: %s")
        % (2**62, "volcano.sh/cooldown-time", "2562047h")
        + "status: {phase: Running, conditions: [{type: PodScheduled, status: 'True',"
        " lastTransitionTime: '9999-12-31T23:59:59-12:00'}]}\n"
    ),
    "scenario at the end of the calendar": Odd(HEAD + "now: '9999-12-31T23:59:59-12:00'\nnodes: [{}]\n", ":3:6: "),
    "escape in a configuration": Odd(
        (NODE % ", labels: {x: e}")
        + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: volcano-scheduler-configmap}\ndata:\n"
        "  volcano-scheduler.conf: |\n    actions: allocate\n    tiers: [{plugins: [{name: gang}, {name: binpack,"
        ' arguments: {binpack.weight: "\\e[3x"}}]}]\n'
    ),
    "name of the scheduler in a configuration": Odd(
        (NODE % "") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: volcano-scheduler-configmap}\ndata:\n"
        "  volcano-scheduler.conf: |\n    actions: allocate\n    tiers: [{plugins: [{name: gang}, {name: predicates,"
        " arguments: {schedulerName: volcano}}]}]\n---\n" + POD % ("volcano.sh/numa-topology-policy", "none")
    ),
    "lists within lists": Odd("[" * 900 + "]" * 900, ":1:1: ", "odd.json"),
    "objects within objects": Odd(
        '{"apiVersion": "v1", "kind": "Pod", "spec": ' + '{"a": ' * 300 + "1" + "}" * 301, ":1:1: ", "odd.json"
    ),
}


@pytest.mark.parametrize("command", ["simulate", "lint", "expand", "anonymize"])
@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_input(
    odd: Odd, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is wrong is said with its place; what Kubernetes takes is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / odd.name).write_text(odd.content, encoding="utf-8")
    code = main([command, odd.name])
    out, err = capsys.readouterr()

    assert "this is a bug" not in err
    assert "Traceback" not in err
    if odd.said:
        assert code == (1 if command == "lint" and out else 2)
        assert f"{odd.name}{odd.said}" in out + err
    else:
        assert code in (0, 1 if command == "lint" else 0)


def test_words_that_are_parts_of_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name such as 00Z is no leak where a time ends in it."""
    file = tmp_path / "odd.yaml"
    created = "creationTimestamp: '2026-01-01T00:00:00Z'"
    file.write_text(f"apiVersion: v1\nkind: Node\nmetadata: {{name: rack-00Z, {created}}}\n", encoding="utf-8")

    assert main(["anonymize", str(file)]) == 0
    assert "00Z-" not in capsys.readouterr().out


def test_words_that_controllers_put_into_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name such as job-07 is no leak where the controller would begin a PodGroup's name with that word."""
    file = tmp_path / "odd.yaml"
    spec = "spec: {template: {spec: {schedulerName: volcano, containers: [{name: c}]}}}"
    file.write_text(f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: job-07}}\n{spec}\n", encoding="utf-8")

    assert main(["anonymize", str(file)]) == 0
    assert '"job-07"' in capsys.readouterr().out
