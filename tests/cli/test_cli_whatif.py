"""The what-if edits, the same for every command."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vqs.cli.main import main

CLUSTER = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {count: 2, cpu: 4, memory: 16Gi}
queues:
  - {name: a}
jobs:
  - {name: train, queue: a, replicas: 8, minAvailable: 1, cpu: 2, memory: 1Gi}
"""


@pytest.fixture(autouse=True)
def _cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a cluster into the working directory, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (tmp_path / "edits.yaml").write_text(
        "- clone-node node-0=2\n"
        "- {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: new}, spec: {weight: 1}}\n",
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "4 tasks placed, 0 with a reserved node, 4 pending"),
        (["--clone-node", "node-0=2"], "8 tasks placed, 0 with a reserved node, 0 pending"),
        (["--edits", "edits.yaml"], "8 tasks placed"),
        (["--edits", "edits.yaml", "--remove", "node/node-1"], "6 tasks placed"),
        (["--scale", "job/default/train=3"], "3 tasks placed, 0 with a reserved node, 0 pending"),
        (["--scale", "job/default/train=3", "--set", "queue/a.spec.capability.cpu=4"], "2 tasks placed"),
        (["--set", 'conf.actions="enqueue, backfill"'], "0 tasks placed"),
    ],
)
def test_simulate(edits: Sequence[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The session is run on the edited snapshot."""
    assert main(["simulate", "cluster.yaml", "-q", *edits]) == 0
    assert expected in capsys.readouterr().out


def test_the_edits_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The report says what was changed; of many edits, how many."""
    assert main(["simulate", "cluster.yaml", "--set", "queue/a.spec.weight=3"]) == 0
    assert "on cluster.yaml with queue/a.spec.weight=3, now" in " ".join(capsys.readouterr().out.split())
    assert main(["simulate", "cluster.yaml", *["--set", "queue/a.spec.weight=3"] * 4]) == 0
    assert "on cluster.yaml with 4 edits" in " ".join(capsys.readouterr().out.split())


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """Queues and jobs are explained as they are after the edits."""
    assert main(["explain-queue", "cluster.yaml", "--queue", "a", "-q", "--clone-node", "node-0=2"]) == 0
    assert "of the 16 cpu that it deserves" in capsys.readouterr().out
    job = ["explain-job", "cluster.yaml", "--job", "default/train", "-q"]
    assert main([*job, "--clone-node", "node-0=2"]) == 0
    assert "this session binds 8 tasks of it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (["--set", "queue/b.spec.weight=3"], "there is no queue 'b'"),
        (["--set", "queue/a.spec.wieght=3"], "did you mean"),
        (["--remove", "job/default/trian"], "did you mean"),
        (["--clone-node", "node-0=x"], "expected NAME=NUMBER"),
        (["--set", 'conf.actions="alocate"'], "failed to find Action 'alocate'"),
        (["--edits", "none.yaml"], "cannot be read"),
        (["--edits", "bad.yaml"], "bad.yaml:2:1: not valid YAML"),
        (["--edits", "number.yaml"], "number 1 in number.yaml is neither a text nor an object"),
        (["--edits", "cluster.yaml"], "is not a YAML list of edits"),
        (["--add", ""], "the name of the file is empty"),
    ],
)
def test_what_cannot_be_edited(
    edits: Sequence[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An edit that cannot be made is an error, and nothing is simulated."""
    (tmp_path / "bad.yaml").write_text("- [\n", encoding="utf-8")
    (tmp_path / "number.yaml").write_text("- 5\n", encoding="utf-8")
    assert main(["simulate", "cluster.yaml", *edits]) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


def test_all_that_is_wrong_is_told_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Two mistakes on one command line are two messages."""
    assert main(["simulate", "cluster.yaml", "--set", "queue/b.spec.weight=3", "--remove", "node/x"]) == 2
    assert "2 errors in the input" in capsys.readouterr().err


TRAIN = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ns, uid: j}
spec:
  minAvailable: 1
  queue: default
  tasks:
    - name: worker
      replicas: 1
      template: {spec: {containers: [{name: c, resources: {requests: {cpu: CPU}}}]}}
"""
RUNNING = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Pod
metadata:
  name: train-worker-0
  namespace: ns
  annotations: {scheduling.k8s.io/group-name: train-j}
  ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, uid: j, controller: true}]
spec: {schedulerName: volcano, nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 1}}}]}
status: {phase: Running}
---
"""
TEAM = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: team}
spec: {weight: 1, deserved: {cpu: 2}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: a}
spec:
  weight: 1
  parent: team
  deserved:
    cpu: 2
"""


@pytest.fixture
def started(tmp_path: Path) -> str:
    """Write a cluster with a Volcano Job that runs, and the Job as it is to be: its name is returned."""
    (tmp_path / "running.yaml").write_text(RUNNING + TRAIN.replace("CPU", "1") + "---\n" + TEAM, encoding="utf-8")
    new = TRAIN.replace("CPU", "3").replace(", uid: j", "")
    (tmp_path / "train.yaml").write_text(new, encoding="utf-8")
    return "train.yaml"


def test_a_job_is_made_anew(started: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A Job that is removed and added in one change is made anew: its pods go, and new ones are made."""
    edits = ["--remove", "job/ns/train", "--add", started]
    assert main(["simulate", "running.yaml", "-q", *edits]) == 0
    assert "1 task placed" in capsys.readouterr().out
    assert main(["diff-configs", "--on", "running.yaml", *edits, "-f", "json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["after"]["edits"] == ["remove job/ns/train", "add train.yaml"]
    [job] = result["jobs"]
    assert (job["displayName"], job["before"]["podGroup"], job["after"]["podGroup"]) == ("ns/train", "train-j", "train")


def test_a_denied_change_of_a_job(
    started: str, refused: Callable[[Sequence[str]], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A refused update names the field and its line; it is simulated where it is assumed to be let in."""
    command = ["diff-configs", "--on", "running.yaml", "running.yaml", started]
    said = refused(command)
    place = (
        "train.yaml:10:76: $.spec.tasks[0].template.spec.containers[0].resources.requests.cpu: Volcano's webhook denies"
    )
    assert place in said
    assert "--remove job/NAMESPACE/NAME --add FILE" in said
    assert main([*command, "--assume-admitted"]) in (0, 1)
    assert "Volcano's webhook would deny this change" in " ".join(capsys.readouterr().out.split())
    edit = ["simulate", "running.yaml", "--set", "job/ns/train.spec.queue=a"]
    assert "spec.queue cannot be changed after creation" in refused(edit)
    assert main([*edit, "--assume-admitted"]) == 0
    assert "Volcano's webhook would deny this change" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "running.yaml"],
        ["explain-queue", "running.yaml", "--queue", "a"],
        ["explain-job", "running.yaml", "--job", "ns/train-j"],
        ["fit", "job.yaml", "--on", "running.yaml"],
        ["diff-configs", "--on", "running.yaml"],
    ],
)
@pytest.mark.usefixtures("started")
def test_a_denied_change_of_a_queue(
    command: Sequence[str],
    tmp_path: Path,
    refused: Callable[[Sequence[str]], str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Every command refuses what the webhook for queues denies, names rule and edit, and goes on if it is told to."""
    job = TRAIN.replace("CPU", "1").replace("name: train", "name: new").replace(", uid: j", "")
    (tmp_path / "job.yaml").write_text(job, encoding="utf-8")
    for edit in (["--set", "queue/a.spec.parent=nowhere"], ["--remove", "queue/team"], ["--remove", "queue/default"]):
        assert "Volcano's webhook denies this change" in refused([*command, *edit])
    changed = [*command, "--set", "queue/a.spec.deserved.cpu=3", "--assume-admitted"]
    assert main([*changed, "-f", "json"]) in (0, 1)
    assert "change-denied" in capsys.readouterr().out
    assert main(changed) in (0, 1)
    assert "would deny this change" in " ".join(capsys.readouterr().out.split())


def test_a_denied_queue_of_a_file(tmp_path: Path, refused: Callable[[Sequence[str]], str]) -> None:
    """What a file changes is denied at its line; deleting what another revision has, where it stood."""
    (tmp_path / "snap.yaml").write_text(RUNNING + TEAM, encoding="utf-8")
    (tmp_path / "queues.yaml").write_text(TEAM.replace("cpu: 2\n", "cpu: 3\n"), encoding="utf-8")
    said = refused(["diff-configs", "--on", "snap.yaml", "snap.yaml", "queues.yaml"])
    assert "queues.yaml:13:10: $.spec.deserved.cpu: Volcano's webhook denies this change: the children of queue" in said
    orphans = RUNNING + TEAM.split("---\n")[1]
    (tmp_path / "after.yaml").write_text(orphans, encoding="utf-8")
    assert "snap.yaml:16:1: Volcano's webhook denies" in refused(["diff-configs", "snap.yaml", "after.yaml"])


def test_what_a_cluster_has_was_let_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two dumps, the later one is not refused, and what its webhook would say today is told; laid over, it is."""
    stored = TEAM.replace("{name: a}", "{name: a, uid: u}")
    (tmp_path / "before.yaml").write_text(RUNNING + stored, encoding="utf-8")
    (tmp_path / "later.yaml").write_text(RUNNING + stored.replace("cpu: 2\n", "cpu: 3\n"), encoding="utf-8")
    (tmp_path / "queues.yaml").write_text(stored.replace("cpu: 2\n", "cpu: 3\n"), encoding="utf-8")
    assert main(["diff-configs", "before.yaml", "later.yaml"]) in (0, 1)
    assert "would deny this change" in " ".join(capsys.readouterr().out.split())
    assert main(["diff-configs", "--on", "before.yaml", "before.yaml", "queues.yaml"]) == 2


TAINTED = """\
apiVersion: vqs/v1
kind: Scenario
nodes:
  - {name: n1, cpu: 4, memory: 8Gi}
  - {name: n2, cpu: 4, memory: 8Gi}
jobs:
  - {name: train, replicas: 2, minAvailable: 1, cpu: 2, memory: 1Gi, running: {n1: 2}}
"""
DRAIN = ["--set", "node/n1.spec.taints=[{key: drain, effect: NoExecute}]"]
BOTH = ["default/train-worker-0", "default/train-worker-1"]


@pytest.fixture
def busy(tmp_path: Path) -> str:
    """Write a cluster with a busy node and a free one; its name is returned."""
    (tmp_path / "busy.yaml").write_text(TAINTED, encoding="utf-8")
    return "busy.yaml"


def test_who_is_evicted_by_kubernetes(busy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The pods on a node that is tainted are named with their jobs, and the session finds them running."""
    for form in ("table", "markdown"):
        assert main(["simulate", busy, *DRAIN, "-f", form]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "Kubernetes, not Volcano, evicts 2 pods for NoExecute taints" in said
        assert "default/train-worker-0 of default/train on n1 (drain:NoExecute)" in said
    assert main(["simulate", busy, *DRAIN, "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [each["task"] for each in result["taintEvictions"]] == BOTH
    assert {each["status"] for each in result["tasks"]} == {"Running"}


def test_a_taint_is_a_difference(busy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A comparison lists who is evicted by Kubernetes, and these count as evictions."""
    assert main(["diff-configs", "--on", busy, *DRAIN, "--fail-on", "evictions", "-f", "json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert [(each["task"], each["action"], each["reason"]) for each in result["evictions"]] == [
        (task, "kubernetes", "drain:NoExecute") for task in BOTH
    ]
    for form in ("table", "markdown"):
        assert main(["diff-configs", "--on", busy, *DRAIN, "-f", form]) == 1
        assert "Kubernetes, not Volcano: drain:NoExecute" in capsys.readouterr().out


def test_what_comes_after_a_taint(busy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Session after session, the pods leave, are made again, and are placed elsewhere; a cordon does nothing."""
    assert main(["simulate", busy, *DRAIN, "--cycles", "9", "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [(each["gone"], each["recreated"], each["bound"]) for each in result["cycles"][:2]] == [
        (BOTH, BOTH, []),
        ([], [], BOTH),
    ]
    assert {each["node"] for each in result["cycles"][-1]["simulation"]["tasks"]} == {"n2"}
    later = DRAIN[1].replace("NoExecute", "NoExecute}, {key: node.kubernetes.io/not-ready, effect: NoExecute")
    assert main(["simulate", busy, "--set", later, "--cycles", "9", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["settled"]
    assert main(["diff-configs", "--on", busy, "--set", "node/n1.spec.unschedulable=true", "-f", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["evictions"] == []


def test_a_taint_that_is_tolerated_for_a_while(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pod leaves once it has tolerated the taint for as long as it does."""
    tolerating = "tolerations: [{key: drain, effect: NoExecute, tolerationSeconds: 3}], nodeName"
    (tmp_path / "slow.yaml").write_text(RUNNING.replace("nodeName", tolerating), encoding="utf-8")
    assert main(["simulate", "slow.yaml", *DRAIN, "--cycles", "9", "-f", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert [number for number, cycle in enumerate(result["cycles"], 1) if cycle["gone"]] == [3]
    assert "drain:NoExecute, 3 s later" in json.dumps(result["cycles"][0]["simulation"]["diagnostics"])


def test_who_goes_with_a_node(busy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The pods on a node that is removed are named, as deleted by Kubernetes."""
    said = "Kubernetes, not Volcano, deletes 2 pods together with the deleted nodes: default/train-worker-0 of"
    assert main(["simulate", busy, "--remove", "node/n1"]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    for form in ("table", "markdown"):
        assert main(["diff-configs", "--on", busy, "--remove", "node/n1", "-f", form]) == 1
        assert said in " ".join(capsys.readouterr().out.split())
