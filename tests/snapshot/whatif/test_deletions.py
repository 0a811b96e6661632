"""What a change deletes goes, with what it controls."""

from __future__ import annotations

from tests.build import CONF, gang, group, node, pod, queue
from tests.diff.sides import read_documents
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.applied import delete

CONTAINERS = {"containers": [{"name": "main", "image": "busybox"}]}
JOB = {
    "apiVersion": "batch.volcano.sh/v1alpha1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ns"},
    "spec": {
        "minAvailable": 2,
        "queue": "q",
        "tasks": [{"name": "worker", "replicas": 2, "template": {"spec": CONTAINERS}}],
    },
}


def test_what_is_named_no_longer_goes() -> None:
    """Only what one side names and the other does not is removed; the given manifests stay as they are."""
    there = read_documents([node("n1"), queue("a"), queue("b"), *gang("g", 2, queue="a")])
    made, edits = delete(there, read_documents([queue("a"), queue("b")]), read_documents([queue("b", 5)]))
    assert [each.metadata.name for each in made.queues] == ["b"]
    assert [each.metadata.name for each in there.queues] == ["a", "b"]
    assert (len(made.pods), len(made.origins["queues"])) == (2, 1)
    assert list(map(str, edits)) == ["remove queue/a"]


def test_a_namespace_that_a_queue_cannot_have() -> None:
    """A queue is in no namespace: it goes, or stays, by its name alone."""
    stray = queue("a")
    stray["metadata"]["namespace"] = "volcano-system"
    made, edits = delete(read_documents([queue("a")]), read_documents([stray]), Manifests())
    assert (made.queues, list(map(str, edits))) == ([], ["remove queue/a"])
    assert delete(read_documents([queue("a")]), read_documents([stray]), read_documents([queue("a")]))[1] == []


def test_what_was_never_there_is_no_edit() -> None:
    """What the snapshot does not have cannot go from it."""
    made, edits = delete(read_documents([queue("a")]), read_documents([queue("b")]), Manifests())
    assert ([each.metadata.name for each in made.queues], edits) == (["a"], [])


def test_a_long_chain_of_owners_goes() -> None:
    """However long it is, and though its end is said to own its beginning."""
    length = 1500
    chain = [
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": f"r{i}", "namespace": "ns", "ownerReferences": [_owner(f"r{(i - 1) % length}")]},
            "spec": {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": {"spec": CONTAINERS}},
        }
        for i in range(length)
    ]
    made, edits = delete(read_documents(chain), read_documents(chain[:1]), Manifests())
    assert (made.workloads, len(edits)) == ([], 1)


def _owner(name: str) -> dict[str, object]:
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": "", "controller": True}


def test_what_it_controls_goes_with_it() -> None:
    """A job takes its PodGroup and its pods along, a node what runs on it."""
    owned = [group("train", 2), *(pod(f"train-worker-{number}", "train", node="n2") for number in range(2))]
    for each in owned:
        reference = {"apiVersion": JOB["apiVersion"], "kind": "Job", "name": "train", "controller": True}
        each["metadata"]["ownerReferences"] = [reference]
    there = read_documents([node("n1"), node("n2"), JOB, *owned, group("g"), pod("g-0", "g", node="n1")])
    made, edits = delete(there, read_documents([node("n1"), JOB]), Manifests())
    assert (made.volcano_jobs, made.pods) == ([], [])
    assert [each.metadata.name for each in made.pod_groups] == ["g"]
    assert [each.metadata.name for each in made.nodes] == ["n2"]
    assert list(map(str, edits)) == ["remove node/n1", "remove job/ns/train"]


def test_kinds_of_one_name_are_told_apart() -> None:
    """A Job of Kubernetes goes, and one of Volcano that has its name stays."""
    other = {
        **JOB,
        "apiVersion": "batch/v1",
        "spec": {"template": {"spec": {**CONTAINERS, "schedulerName": "volcano"}}},
    }
    there = read_documents([JOB, other])
    assert [len(there.jobs), len(there.volcano_jobs)] == [1, 1]
    made, _ = delete(there, read_documents([other]), Manifests())
    assert [len(made.jobs), len(made.volcano_jobs)] == [0, 1]


def test_a_configuration_goes() -> None:
    """The scheduler then runs with Volcano's default, which is told."""
    conf = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": "ns"}}
    conf["data"] = {"volcano-scheduler.conf": CONF}
    there = read_documents([node("n1"), conf])
    assert there.conf is not None
    made, edits = delete(there, there, read_documents([node("n1")]))
    assert (made.conf, made.config_maps, list(map(str, edits))) == (None, [], ["remove configmap/ns/mine"])
    assert [each.code for each in made.notes] == ["configuration-gone"]
