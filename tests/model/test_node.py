"""Numatopologies are read as the scheduler's cache reads them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.build import CONF, Object, aligned, group, manifests, node, numa
from vqs.explain.cycles import run_cycles
from vqs.explain.simulate import SimulateOptions
from vqs.model.cpu_set import parse_cpu_set
from vqs.model.kubernetes import Numatopology
from vqs.model.node import numa_topology
from vqs.snapshot.apiserver.checks import defects
from vqs.snapshot.cluster.build import build_cluster
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import parse_edits

NUMA_CONF = CONF.replace("  - name: predicates\n", "  - name: predicates\n  - name: numa-aware\n")


def read(**spec: Any) -> Numatopology:
    """Make a Numatopology."""
    return msgspec.convert({"metadata": {"name": "n"}, "spec": spec}, Numatopology)


def free_cpus(given: Manifests) -> dict[str, str]:
    """Return the allocatable CPUs of each Numatopology."""
    return {each.metadata.name: each.spec.numares["cpu"].allocatable for each in given.numa_topologies}


@pytest.mark.parametrize(
    ("reserved", "cpus"),
    [
        ({}, 0),
        ({"cpu": "2"}, 2),
        ({"cpu": "1001m", "memory": "1Gi"}, 2),
        ({"memory": "1Gi"}, 0),
        ({"cpu": "2", "pods": "1"}, 0),
        ({"cpu": "2", "memory": "-1"}, 0),
        ({"cpu": "two"}, 0),
    ],
)
def test_reserved_cpus(reserved: dict[str, str], cpus: int) -> None:
    """A part of a CPU is a whole one; with any resource that is wrong, nothing is reserved."""
    assert numa_topology(read(resReserved=reserved)).reserved == cpus


def test_free_cpus() -> None:
    """A text that is no set stands for none, and a Numatopology without cpu has no free CPUs to count."""
    assert numa_topology(read(numares={"cpu": {"allocatable": "0-3,6"}})).free == parse_cpu_set("0-3,6")
    assert numa_topology(read(numares={"cpu": {"allocatable": "x"}})).free == ()
    assert numa_topology(read(numares={"gpu": {"allocatable": "0"}})).free is None


def test_a_node_has_the_numatopology_of_its_name() -> None:
    """One of a node that is not there is left out."""
    cluster = build_cluster(manifests([node("a"), node("b"), numa("b"), numa("gone")]))
    assert {each.name: each.numa is not None for each in cluster.nodes} == {"a": False, "b": True}


def test_defects() -> None:
    """What cannot be read is named by its path, all of it at once."""
    wrong = read(
        numares={"cpu": {"allocatable": "0-"}},
        cpuDetail={"first": {}, "1": {"numa": 64}},
        resReserved={"cpu": "x", "pods": "1"},
    )
    assert [defect.path[1:] for defect in defects(wrong)] == [
        ("cpuDetail", "first"),
        ("cpuDetail", "1", "numa"),
        ("numares", "cpu", "allocatable"),
        ("resReserved", "cpu"),
        ("resReserved", "pods"),
    ]


@pytest.mark.parametrize("stored", [False, True])
def test_what_no_node_has_is_refused_also_if_it_is_stored(stored: bool) -> None:
    """More CPUs than Linux knows, and NUMA nodes that no mask of the scheduler holds, cannot be counted."""
    many = read(cpuDetail={str(cpu): {} for cpu in range(8193)})
    assert [defect.message for defect in defects(many, stored=stored)] == ["8,193 CPUs; a node has at most 8,192"]
    far = read(cpuDetail={"0": {"numa": 64}})
    assert [defect.path[-1] for defect in defects(far, stored=stored)] == ["numa"]


def edited(given: Manifests, edit: str) -> Manifests:
    """Return manifests with an edit."""
    return parse_edits([edit], given)[1]


def cluster() -> list[Object]:
    """Make a node with eight CPUs, and a job of a pod that takes three."""
    return [node("a", cpu=20), numa("a"), group("j"), aligned("p", 3)]


def test_the_next_cycle_finds_the_cpus_taken() -> None:
    """A pod that is bound keeps its CPUs from the next session."""
    later = [group("k", created=1), aligned("q", 3, of="k"), aligned("r", 3, of="k")]
    cycles = run_cycles(manifests([*cluster(), *later], NUMA_CONF), SimulateOptions(), 4).cycles
    waiting = [[task.name for task in cycle.simulation.tasks if task.status == "Pending"] for cycle in cycles]
    assert waiting == [["r"]] * len(cycles)
    assert len(cycles) > 1


def test_a_copy_of_a_node_has_all_its_cpus_free() -> None:
    """No pod is on a node that is added; with a node that is removed, its Numatopology goes."""
    given = manifests([node("a"), numa("a", free="3")])
    added = edited(given, "clone-node a=1")
    assert {name: parse_cpu_set(free) for name, free in free_cpus(added).items()} == {
        "a": parse_cpu_set("3"),
        "a-copy-1": parse_cpu_set("0-7"),
    }
    assert free_cpus(edited(given, "remove node/a")) == {}
