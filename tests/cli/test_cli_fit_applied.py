"""`vqs fit` takes a manifest as kubectl would, and knows what the API server and the webhooks refuse."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from vqs.cli.main import main

CLUSTER = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}
status:
  allocatable: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "8"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: default}
spec: {weight: 1}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1}
"""
SPACES = "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n"
PRIORITY = "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: low}\nvalue: 10\n"
JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {METADATA}
spec:
  minAvailable: 1
  queue: QUEUE
  tasks:
  - name: w
    replicas: 1
    template:
      spec: {SPEC containers: [{name: c, image: busybox, resources: {RESOURCES}}]}
"""
BUNDLE = """\
apiVersion: v1
kind: Namespace
metadata: {name: default, labels: {team: a}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 4}
---
"""


def job(
    metadata: str = "name: train", queue: str = "research", spec: str = "", resources: str = "requests: {cpu: 1}"
) -> str:
    """Return a Job of one pod."""
    known = {"METADATA": metadata, "QUEUE": queue, "SPEC": spec, "RESOURCES": resources}
    text = JOB
    for name, value in known.items():
        text = text.replace(name, value)
    return text


Fit = Callable[..., tuple[int, str]]


@pytest.fixture
def fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fit:
    """Return a function that fits a manifest into a cluster, and returns the status and all that is said."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))

    def run(text: str, *options: str, cluster: str = CLUSTER) -> tuple[int, str]:
        Path("cluster.yaml").write_text(cluster, encoding="utf-8")
        Path("job.yaml").write_text(text, encoding="utf-8")
        status = main(["fit", "job.yaml", "--on", "cluster.yaml", *options])
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return run


@pytest.mark.parametrize(
    ("text", "who", "why"),
    [
        (job(resources="requests: {nvidia.com/gpu: 1}"), "Volcano's webhook", "1 nvidia.com/gpu without a limit"),
        (job(resources="requests: {cpu: 2}, limits: {cpu: 1}"), "Volcano's webhook", "requests 2 cpu, and is limited"),
        (job(spec="restartPolicy: Sometimes,"), "Volcano's webhook", "restartPolicy"),
        (job(queue="nowhere"), "Volcano's webhook", "queue nowhere: it does not exist"),
        (job(queue="reserch"), "Volcano's webhook", "it does not exist (did you mean 'research'?)"),
        (job(queue="root"), "Volcano's webhook", "it is the root of all queues"),
    ],
)
def test_a_job_that_is_denied(fit: Fit, text: str, who: str, why: str) -> None:
    """What lint knows to be denied never fits; assumed to be admitted, it is simulated with a warning."""
    status, said = fit(text)
    assert status == 1
    assert f"default/train does not fit: {who} denies it, as " in said
    assert why in said


def test_a_denied_job_that_is_assumed_to_be_admitted(fit: Fit) -> None:
    """It is simulated, with the reason as a warning."""
    status, said = fit(job(resources="requests: {nvidia.com/gpu: 1}"), "--assume-admitted")
    assert status == 0
    assert "Volcano's webhook would deny this Job; it is simulated nevertheless: " in said


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("priorityClassName: urgent,", "there is no PriorityClass urgent"),
        ("runtimeClassName: kata,", "there is no RuntimeClass kata"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_a_class_that_does_not_exist(fit: Fit, spec: str, why: str, *, known: bool) -> None:
    """The API server refuses the pods; where the snapshot has no such classes at all, it is said what to add."""
    runtime = "---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: runc}\nhandler: runc\n"
    status, said = fit(job(spec=spec), cluster=CLUSTER + (PRIORITY + runtime if known else ""))
    assert status == 1
    assert f"default/train does not fit: the API server refuses its pods, as {why}" in said
    assert ("in the snapshot: add it there if the cluster has it" in said) != known


def test_a_class_that_pods_of_the_snapshot_have(fit: Fit) -> None:
    """A class of which only the pods tell exists, though the snapshot lacks it."""
    other = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: p}\nspec:\n  priorityClassName: urgent\n"
        "  priority: 5\n  nodeName: n1\n  containers: [{name: c, image: i}]\nstatus: {phase: Running}\n"
    )
    status, said = fit(job(spec="priorityClassName: urgent,"), cluster=CLUSTER + other)
    assert status == 0
    assert "default/train fits now" in said


def test_a_generated_name(fit: Fit) -> None:
    """Kubectl create takes it, and the name is one to come."""
    status, said = fit(job(metadata="generateName: sweep-"))
    assert status == 0
    assert "default/sweep-00001 fits now" in said


def test_a_bundle_of_what_is_there(fit: Fit) -> None:
    """What exists is updated, which is said; a Namespace's labels stop nothing."""
    status, said = fit(BUNDLE + job(), cluster=CLUSTER + SPACES)
    assert status == 0
    assert "default/train fits now" in said
    assert "Queue research is there already, and is updated: spec.weight from 1 to 4" in said


@pytest.mark.parametrize("known", [True, False])
def test_a_namespace(fit: Fit, *, known: bool) -> None:
    """One that does not exist is an error of its own; where the snapshot has none, the job fits, and it is told."""
    status, said = fit(job(metadata="name: train, namespace: elsewhere"), cluster=CLUSTER + (SPACES if known else ""))
    assert status == (2 if known else 0)
    assert ("namespace elsewhere does not exist" in said) == known
    assert ("namespace elsewhere is not in the snapshot" in said) != known


def test_a_bundle_that_is_added(fit: Fit, capsys: pytest.CaptureFixture[str]) -> None:
    """--add applies what is there already as well."""
    fit(job(), cluster=CLUSTER + SPACES)
    Path("bundle.yaml").write_text(BUNDLE + job(metadata="name: other"), encoding="utf-8")
    assert main(["simulate", "cluster.yaml", "--add", "bundle.yaml"]) == 0
    said = capsys.readouterr().out
    assert "Queue research is there already, and is updated: spec.weight from 1 to 4" in said


def test_a_bundle_beside_a_snapshot(fit: Fit, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two files that disagree about a Queue, the one with nodes is the cluster, and the other is applied to it."""
    fit(job(), cluster=CLUSTER + SPACES)
    Path("bundle.yaml").write_text(BUNDLE + job(metadata="name: other"), encoding="utf-8")
    for files in (["cluster.yaml", "bundle.yaml"], ["bundle.yaml", "cluster.yaml"]):
        assert main(["simulate", *files, "--format", "json"]) == 0
        captured = capsys.readouterr()
        assert '"weight":4' in captured.out.replace(" ", "")
        assert "Queue research is there already, and is updated: spec.weight from 1 to 4" in captured.err


def test_two_bundles_that_disagree(fit: Fit, capsys: pytest.CaptureFixture[str]) -> None:
    """Where neither has nodes, it is not known which is right."""
    fit(job())
    Path("one.yaml").write_text(BUNDLE, encoding="utf-8")
    Path("other.yaml").write_text(BUNDLE.replace("weight: 4", "weight: 5"), encoding="utf-8")
    assert main(["simulate", "one.yaml", "other.yaml"]) == 2
    assert "Queue research is given twice, first at one.yaml:5" in capsys.readouterr().err
