"""What releases decide differently of single nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, group, node, pod, queue, run, switched
from vqs.engine.nodes.pods import ANY_ADDRESS, host_ports
from vqs.model.kubernetes import Container, ContainerPort, PodSpec

OLD = switched(zone_and_affinity_pre_filters="absent")


def torn(*names: str) -> dict[str, Any]:
    """Return an affinity to some nodes at once."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    terms = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}


def test_an_affinity_that_contradicts_itself_is_refused_by_each_node_in_old_releases() -> None:
    """Newer ones refuse it before any node is asked."""
    objects: list[Any] = [
        node("n1"),
        node("n2"),
        queue("default"),
        group("j", 1),
        pod("j-worker-0", "j", spec=torn("n1", "n2")),
    ]
    session = run(objects, CONF, profile=OLD)
    job = session.jobs["ns/j"]
    assert job.scheduling_reason(job.tasks["j-worker-0"])[1] == (
        "0/2 nodes are unavailable: 2 node(s) didn't match Pod's node affinity/selector."
    )
    job = run(objects, CONF).jobs["ns/j"]
    assert "pod affinity terms conflict" in job.scheduling_reason(job.tasks["j-worker-0"])[1]


def claimed() -> list[Any]:
    """Return a pod with a claim that should have a volume and has none, and a node."""
    metadata = {"name": "data", "namespace": "ns"}
    claim = {"kind": "PersistentVolumeClaim", "metadata": metadata, "spec": {"storageClassName": "fast"}}
    storage = {"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "p"}
    volumes = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    return [
        node("n1"),
        queue("default"),
        {"apiVersion": "v1", **claim},
        {"apiVersion": "storage.k8s.io/v1", **storage},
        group("j", 1),
        pod("j-worker-0", "j", spec=volumes),
    ]


@pytest.mark.parametrize(
    ("binding", "text"),
    [
        ("true", "plugin VolumeBinding pre-predicates failed pod has unbound immediate PersistentVolumeClaims"),
        ("false", "0/1 nodes are unavailable: 1 PersistentVolume had no name."),
    ],
)
def test_zones_that_cannot_be_told_come_after_binding_in_old_releases(binding: str, text: str) -> None:
    """Each node refuses the task for it where binding does not matter; newer ones say it first."""
    conf = CONF.replace(
        "  - name: predicates\n",
        f"  - name: predicates\n    arguments:\n      predicate.VolumeBindingEnable: {binding}\n",
    )
    old, new = (run(claimed(), conf, profile=each).jobs["ns/j"] for each in (OLD, switched()))
    assert text in old.scheduling_reason(old.tasks["j-worker-0"])[1]
    assert "plugin VolumeZone pre-predicates failed" in new.scheduling_reason(new.tasks["j-worker-0"])[1]


def test_ports_of_sidecars_may_not_count() -> None:
    """Those of other init containers never do."""
    port = [ContainerPort(host_port=80)]
    spec = PodSpec(init_containers=[Container(name="a", ports=port, restart_policy="Always")])
    assert host_ports(spec) == ((ANY_ADDRESS, "TCP", 80),)
    assert host_ports(spec, sidecars=False) == ()
