"""The summary says how full the cluster is, and which share of the idle resources is stranded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import CONF, gang, group, manifests, node, pod, queue
from vqs.explain import assemble
from vqs.explain.outcome import Utilisation
from vqs.explain.simulate import SimulateOptions, simulate


def of(resource: str, *objects: Any) -> Utilisation:
    """Simulate some objects, and return the figures of a resource."""
    simulation = simulate(manifests(list(objects), CONF), SimulateOptions())
    return next(each for each in simulation.utilisation if each.resource == resource)


def test_what_the_session_placed_is_used_after_it() -> None:
    """Usage before the session and after it tell what the session changed."""
    cpu = of("cpu", node("a", cpu=8), queue("default"), gang("j", 2, cpu=2))
    assert (cpu.total, cpu.used_before, cpu.used_after) == (8, 0, 0.5)
    assert (cpu.stranded_before, cpu.stranded_after) == (0, 0)


def test_idle_resources_without_room_for_the_median_task_are_stranded() -> None:
    """One task of 3 cpu fits on each node of 4; the cpu that is left on each is of no use to another."""
    cpu = of("cpu", node("a", cpu=4), node("b", cpu=4), node("c", cpu=4), queue("default"), gang("j", 2, cpu=3))
    assert cpu.used_after == pytest.approx(6 / 12)
    assert cpu.stranded_before == 0
    assert cpu.stranded_after == pytest.approx(2 / 6)


def test_resources_that_no_task_asks_for_are_left_out() -> None:
    """There is no typical request for them."""
    simulation = simulate(manifests([node("a"), queue("default"), gang("j", 1, cpu=1)], CONF), SimulateOptions())
    assert "pods" not in {each.resource for each in simulation.utilisation}


@pytest.mark.parametrize(("limits", "figures"), [((2, 2), (4, 0, 0.25)), ((2, None), None), ((None, None), None)])
def test_volumes_are_counted_where_every_node_has_a_limit(limits: tuple[int | None, ...], figures: object) -> None:
    """Of what there is no limit to, no part is used; the amounts are volumes, not thousandths of them."""
    driver = "disks.example.com"
    nodes = [node(f"n{number}") for number in range(len(limits))]
    csi_nodes = [
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "CSINode",
            "metadata": {"name": f"n{number}"},
            "spec": {"drivers": [{"name": driver, "nodeID": "x", "allocatable": {"count": most} if most else None}]},
        }
        for number, most in enumerate(limits)
    ]
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": driver,
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ns"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "1Gi"}}},
    }
    using = pod("a", "j", spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]})
    objects = [queue("default"), *nodes, *csi_nodes, storage_class, claim, group("j"), using]
    simulation = simulate(manifests(objects, CONF), SimulateOptions(nodes=True))
    found = {each.resource: (each.total, each.used_before, each.used_after) for each in simulation.utilisation}
    assert found.get(f"attachable-volumes-csi-{driver}") == figures
    allocatable = [each.allocatable[f"attachable-volumes-csi-{driver}"] for each in simulation.nodes or ()]
    assert allocatable == list(limits)


@pytest.mark.parametrize("rows", [1, 2, 5, 8])
def test_median_is_that_of_numpy(rows: int) -> None:
    """The typical task asks for the median of each resource."""
    requests = np.random.default_rng(rows).random((rows, 3))
    assert assemble._median(requests).tolist() == np.median(requests, axis=0).tolist()
