"""What makes a fix in a cluster, or in files, gives what was promised of it: to the job, and to all others."""

from __future__ import annotations

import io
import json
import random
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import kubectl
from tests.build import CONF, gang, manifests, node, queue
from tests.explain.jobs.test_remedies import SCENARIOS, not_placed
from vqs.explain.affected import bound_in
from vqs.explain.jobs.outcome import Fix
from vqs.explain.jobs.report import explain_job
from vqs.explain.outlook import Sessions
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.report.job.remedies import kustomization
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.overlay import denied, overlay

SHARED = Path(__file__).parents[4] / "shared"
INPUTS = sorted((SHARED / "answers" / "input").glob("*.json")) + sorted((SHARED / "answers" / "input").glob("*.yaml"))
DUMPS = [each for each in sorted((SHARED / "conformance" / "cluster").glob("*.json")) if "outcome" not in each.name]
RECORDED = sorted((SHARED / "conformance" / "random").glob("*.yaml"))
ROLLED_OUT = ("patch deployment", "patch statefulset")
"""What makes new pods in the place of those that are there, which no session does."""

KUBECTL = shutil.which("kubectl") or ""

MANIFESTS = """\
# the queue of research
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: b}
spec:
  weight: 1  # agreed in March
  capability:
    cpu: 2
---
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {cpu: 16, memory: 64Gi, pods: 110}}
---
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: ns}
spec:
  queue: b  # ours
  minAvailable: 2
  schedulerName: volcano
  tasks:
  - name: w
    replicas: 2
    template:
      spec:
        containers:
        - name: c
          image: i
          resources: {requests: {cpu: 2, memory: 1Gi}}
"""

DEPLOYMENT: dict[str, Any] = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d", "annotations": {"a": "1"}},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "nodeSelector": {"x": "y"},
                "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}}}],
            },
        },
    },
}


def read_text(text: str) -> Manifests:
    """Read a snapshot from a text."""
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def bound(read: Manifests, sessions: int) -> Mapping[str, int]:
    """Return how many pods have a node after some sessions, by job."""
    sequence = Sessions(read, run_session(read, SimulateOptions()), SimulateOptions())
    sequence.until(sessions)
    return bound_in(sequence.sessions[-1].session)


def applied(read: Manifests, before: list[Any], after: list[Any]) -> Manifests:
    """Return a cluster to which the objects are applied that commands have changed; the webhook admits them."""
    old = [json.dumps(each) for each in kubectl.objects_in(before)]
    new = [each for each in map(json.dumps, kubectl.objects_in(after)) if each not in old]
    over = read_text("---\n".join(f"{each}\n" for each in new))
    assert not denied(read, over)
    return overlay(read, over)


def fixes(read: Manifests, job: str) -> Iterator[tuple[str, Fix]]:
    """Yield the fixes that are found for a job, and what the job is called."""
    report = explain_job(read, SimulateOptions(), job, sessions=80)
    for each in report.fixes:
        yield report.job.called, each


def check(file: Path, most: int = 2) -> None:
    """Check the commands, and the lines to change, of all fixes for some of the jobs that wait."""
    text = file.read_text()
    read = read_manifests([str(file)])
    documents = list(yaml.safe_load_all(text))
    jobs = not_placed(read)
    for job in random.Random(file.name).sample(jobs, min(most, len(jobs))):
        for called, fix in fixes(read, job):
            number = fix.outlook.sessions
            promised = {called: fix.outlook.pods_bound, **{each.job: each.pods_after for each in fix.affected}}
            if fix.commands and not any(each in command for each in ROLLED_OUT for command in fix.commands):
                try:
                    changed = kubectl.run(fix.commands, documents)
                except kubectl.NoSuchObjectError:
                    continue  # an owner, or a ConfigMap, that the snapshot does not have
                after = bound(applied(read, documents, changed), number)
                assert {each: after[each] for each in promised} == promised, fix.commands
            if fix.diff:
                assert patched(text, fix.diff, called, number) == fix.outlook.pods_bound, fix.diff


def patched(text: str, diff: str, job: str, sessions: int) -> int:
    """Return how many pods of a job have a node where a file is changed by a diff, which a small reader applies."""
    return bound(read_text(patch_file(text, diff)), sessions)[job]


def patch_file(text: str, diff: str) -> str:
    """Apply a unified diff of one file."""
    old, new, at = text.splitlines(keepends=True), list[str](), 0
    for line in diff.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            start = int(line.split()[1].split(",")[0][1:]) - 1
            new, at = [*new, *old[at:start]], start
        elif line[0] == "+":
            new.append(line[1:])
        elif line[0] in " -":
            assert old[at].rstrip("\n") == line[1:].rstrip("\n")
            new, at = ([*new, old[at]] if line[0] == " " else new), at + 1
    return "".join([*new, *old[at:]])


@pytest.mark.parametrize("file", SCENARIOS[::5], ids=lambda file: file.stem)
def test_fixes_of_a_scenario(file: Path) -> None:
    """The fixes for the jobs of a scenario do as promised."""
    check(file, 1)


@pytest.mark.thorough
@pytest.mark.skipif(not INPUTS, reason="the inputs are not there")
@pytest.mark.parametrize("file", [*INPUTS, *DUMPS[::16], *RECORDED[::16]], ids=lambda file: file.stem)
def test_fixes_of_dumps(file: Path) -> None:
    """The fixes for jobs of dumps and recorded scenarios do as promised, made by commands or in the files."""
    try:
        check(file)
    except InputErrors:
        pytest.skip("it is read together with other files")


def test_lines_of_manifests() -> None:
    """Where manifests are read, the lines to change are named, comments stay, and the diff makes the change."""
    [found] = [fix for _, fix in fixes(read_text(MANIFESTS), "train") if "job/ns/train.spec.queue" in fix.edits[0]]
    assert found.lines == ["<stdin>:19: queue: default  # ours"]
    assert "+  queue: default  # ours\n" in found.diff
    assert found.commands == []  # the queue of a Job that is there cannot be changed
    assert patched(MANIFESTS, found.diff, "ns/train", 1) == 2


def test_dumps_have_no_lines() -> None:
    """What has a uid is in a cluster: nobody edits a dump of it."""
    objects = [node("n", cpu=8), queue("b", capability={"cpu": 2}), *gang("job", 2, cpu=2, queue="b")]
    for each in objects:
        each["metadata"]["uid"] = each["metadata"]["name"]
    found = [fix for _, fix in fixes(manifests(objects, CONF), "ns/job")]
    assert found
    assert not any(each.lines or each.diff for each in found)


@pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")
@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("merge", {"metadata": {"annotations": {"a": "2"}}, "spec": {"template": {"spec": {"nodeSelector": None}}}}),
        ("json", [{"op": "add", "path": "/spec/template/spec/containers/0/resources/requests/cpu", "value": "1"}]),
        ("json", [{"op": "add", "path": "/metadata/annotations/b~1c", "value": "1"}]),
    ],
)
def test_kubectl_agrees(kind: str, change: Any, tmp_path: Path) -> None:
    """What these tests take for a patch is what kubectl makes of it."""
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(DEPLOYMENT))
    command = [KUBECTL, "patch", "--local", "-f", str(path), "--type", kind, "-p", json.dumps(change), "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - kubectl reads a file of this test
    changed = json.loads(json.dumps(DEPLOYMENT))
    kubectl.patch(changed, kind, change)
    assert json.loads(done.stdout) == changed


@pytest.mark.skipif(not KUBECTL, reason="kubectl is not installed")
@pytest.mark.parametrize("knob", ["queue/b.spec.capability.cpu=4", "job/ns/train.spec.minAvailable=1", "containers[0]"])
def test_kustomize_reads_the_patches(knob: str, tmp_path: Path) -> None:
    """The component that is written makes of the manifests what the diff makes of them."""
    [found] = [fix for _, fix in fixes(read_text(MANIFESTS), "train") if knob in fix.edits[0]]
    fix = tmp_path / "fix"
    fix.mkdir()
    (fix / "kustomization.yaml").write_text(kustomization(found))
    (tmp_path / "manifests.yaml").write_text(MANIFESTS)
    (tmp_path / "kustomization.yaml").write_text("resources: [manifests.yaml]\ncomponents: [fix]\n")
    command = [KUBECTL, "kustomize", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - kubectl reads a file of this test
    written = sorted(json.dumps(each, sort_keys=True) for each in yaml.safe_load_all(done.stdout))
    in_files = yaml.safe_load_all(patch_file(MANIFESTS, found.diff))
    assert written == sorted(json.dumps(each, sort_keys=True) for each in in_files)
