"""What a cluster holds is not checked again: it has passed its webhooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.snapshot.apiserver.admission import is_stored
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_leniently, read_manifests

JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, %s}
spec:
  minAvailable: 3
  volumes:
    - mountPath: /data
      volumeClaimName: train-data
      volumeClaim: {accessModes: [ReadWriteOnce]}
  tasks:
    - name: worker
      replicas: 1
      template: {spec: {containers: [{name: main, resources: {requests: {cpu: %s}}}]}}
"""
QUEUE = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: %s}
"""


def written(folder: Path, text: str) -> list[str]:
    """Write a file, and return its name."""
    file = folder / "input.yaml"
    file.write_text(text, encoding="utf-8")
    return [str(file)]


@pytest.mark.parametrize("mark", ["uid: abc", 'resourceVersion: "7"'])
def test_a_stored_job_is_not_judged_again(tmp_path: Path, mark: str) -> None:
    """Not even where its controller wrote what the webhook would deny, or the rules were others when it was made."""
    [job] = read_manifests(written(tmp_path, JOB % (mark, 1))).volcano_jobs
    assert job.spec.volumes[0].volume_claim_name == "train-data"


def test_a_status_is_from_a_cluster(tmp_path: Path) -> None:
    """So is an object that has a status, though somebody took its uid away."""
    read_manifests(written(tmp_path, JOB % ("", 1) + "status: {state: {phase: Pending}}\n"))


def test_a_new_job_is_judged(tmp_path: Path) -> None:
    """All that the webhook would deny is told; an empty status, as tools generate it, does not help."""
    with pytest.raises(InputErrors) as caught:
        read_manifests(written(tmp_path, JOB % ("", 1) + "status: {}\n"))
    assert [each.code for each in caught.value.diagnostics] == ["job-denied", "job-denied"]


def test_what_cannot_be_reckoned_with_is_refused_all_the_same(tmp_path: Path) -> None:
    """An amount that cannot be read is an error in a stored object too."""
    with pytest.raises(InputErrors) as caught:
        read_manifests(written(tmp_path, JOB % ("uid: abc", "1x")))
    assert [each.code for each in caught.value.diagnostics] == ["invalid-quantity"]


def test_an_amount_below_zero_is_what_it_is(tmp_path: Path) -> None:
    """Clusters have been seen to hold such amounts, which do not keep the rest from being read."""
    read_manifests(written(tmp_path, JOB % ("uid: abc", -1)))


def test_a_sketched_node_is_judged() -> None:
    """A status is all that matters of a node, so that everybody writes one."""
    assert not is_stored({"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "-1"}}})
    assert is_stored({"kind": "Node", "metadata": {"name": "n", "uid": "1"}, "status": {}})


@pytest.mark.parametrize(("given", "weight"), [("0", 1), ("3", 3)])
def test_a_weight_of_zero_is_one(tmp_path: Path, given: str, weight: int) -> None:
    """The mutating webhook takes it for none, and fills in the default."""
    [queue] = read_manifests(written(tmp_path, QUEUE % given)).queues
    assert queue.spec.weight == weight


def test_what_is_stored_without_a_uid_is_known(tmp_path: Path) -> None:
    """Rules can tell objects that a cluster holds from new ones."""
    manifests = read_leniently(written(tmp_path, JOB % ('resourceVersion: "7"', 1))).manifests
    assert {name for _, name in manifests.stored_without_uid} == {"default/train"}
