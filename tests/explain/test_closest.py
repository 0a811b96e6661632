"""A refusal by a plugin that counts says how far the closest node is from taking the task, as for other resources."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import Object, aligned, group, manifests, node, numa, pod, queue
from tests.engine.plugins.test_deviceshare import SHARED, VGPU, conf, gpu_node, vgpu
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.reader import read_manifests

NUMA = (
    'actions: "allocate"\ntiers:\n- plugins:\n  - name: predicates\n  - name: numa-aware\n    arguments: {weight: 10}\n'
)


def closest(objects: list[Any], text: str) -> str:
    """Return what the last pending task is told of the closest node."""
    simulation = simulate(manifests([queue("default"), group("j"), *objects], text), SimulateOptions())
    verdict = [task.verdict for task in simulation.tasks if task.verdict is not None][-1]
    return verdict.text.partition(". ")[2]


@pytest.mark.parametrize(
    ("asked", "held", "said"),
    [
        (
            (1, 11000, 0),
            "",
            (
                "Node n1 comes closest: the request is for 11000 volcano.sh/vgpu-memory on one "
                "GPU, and it has 10000 free "
                "there"
            ),
        ),
        (
            (1, 7000, 0),
            "n1-0,NVIDIA,4000,0:n1-1,NVIDIA,6000,0:",
            (
                "Node n1 comes closest: the request is for 7000 volcano.sh/vgpu-memory on one GPU, "
                "and it has 6000 free there"
            ),
        ),
        (
            (2, 5000, 0),
            "n1-0,NVIDIA,4000,0:n1-1,NVIDIA,6000,0:",
            (
                "Node n1 comes closest: the request is for 5000 volcano.sh/vgpu-memory on each of 2 "
                "GPUs, and it has 4000 free there"
            ),
        ),
        (
            (1, 1, 50),
            "n1-0,NVIDIA,1,60:n1-1,NVIDIA,1,70:",
            "Node n1 comes closest: the request is for 50 volcano.sh/vgpu-cores on one GPU, and it has 40 free there",
        ),
        (
            (1, 5000, 50),
            "n1-0,NVIDIA,1,60:n1-1,NVIDIA,6000,0:",
            "The request is for 1 volcano.sh/vgpu-number, and node n1 has none free",
        ),
        ((3, 1, 0), "", "Node n1 comes closest: the request is for 3 volcano.sh/vgpu-number, and it has 2 free"),
    ],
)
def test_virtual_gpus(asked: tuple[int, int, int], held: str, said: str) -> None:
    """Memory and cores are those of one GPU; where no GPU has both, the number of GPUs is what is short."""
    others = [vgpu("a", at="n1", ids=held)] if held else []
    assert closest([gpu_node(), *others, vgpu("p", *asked)], VGPU) == said


def test_the_closest_of_several_nodes_is_named() -> None:
    """It is the one that lacks the smallest part."""
    objects: list[Any] = [gpu_node("n1"), gpu_node("n2"), vgpu("a", at="n1", ids="n1-0,NVIDIA,9000,0:")]
    more = (
        vgpu("b", at="n1", ids="n1-1,NVIDIA,8000,0:"),
        vgpu("c", at="n2", ids="n2-0,NVIDIA,7000,0:n2-1,NVIDIA,9000,0:"),
    )
    said = closest([*objects, *more, vgpu("p", memory=6000)], VGPU)
    assert (
        said == "Node n2 comes closest: the request is for 6000 volcano.sh/vgpu-memory on one GPU, "
        "and it has 3000 free there"
    )


def shared(name: str, memory: int, number: int) -> Object:
    """Make a node with GPUs that are shared, or given away whole."""
    made = node(name)
    for amounts in (made["status"]["allocatable"], made["status"].setdefault("capacity", {})):
        amounts |= {"volcano.sh/gpu-memory": str(memory), "volcano.sh/gpu-number": str(number)}
    return made


@pytest.mark.parametrize(
    ("limit", "text", "said"),
    [
        (
            "gpu-memory",
            SHARED,
            (
                "Node n1 comes closest: the request is for 5000 volcano.sh/gpu-memory on one GPU, "
                "and it has 4000 free there"
            ),
        ),
        (
            "gpu-number",
            conf(GPUNumberEnable=True),
            "The request is for 1 volcano.sh/gpu-number, and node n1 has none free",
        ),
    ],
)
def test_shares_of_gpus(limit: str, text: str, said: str) -> None:
    """The memory of one GPU, or the number of GPUs that nobody uses."""
    amount = "5000" if limit == "gpu-memory" else "1"
    waiting, running = pod("p", "j"), pod("a", "j", node="n1", phase="Running")
    waiting["spec"]["containers"][0]["resources"]["limits"] = {f"volcano.sh/{limit}": amount}
    running["spec"]["containers"][0]["resources"]["limits"] = {f"volcano.sh/{limit}": "1"}
    running["metadata"]["annotations"]["volcano.sh/gpu-index"] = "0"
    number = 2 if limit == "gpu-memory" else 1
    objects = [shared("n1", 4000 * number, number), *([running] if limit == "gpu-number" else []), waiting]
    assert closest(objects, text) == said


@pytest.mark.parametrize(
    ("policy", "cpus", "said"),
    [
        (
            "single-numa-node",
            4,
            (
                "Node n2 comes closest: the request is for 4 cpu on one NUMA node for container "
                "c0, and it has 3 free there"
            ),
        ),
        (
            "restricted",
            8,
            "Node n2 comes closest: the request is for 8 cpu on 2 NUMA nodes for container c0, and it has 6 free there",
        ),
    ],
)
def test_cpus_of_numa_nodes(policy: str, cpus: int, said: str) -> None:
    """Those of the NUMA nodes with the most free CPUs count, as many as the policy allows."""
    objects = [node("n1", cpu=8), node("n2", cpu=8)]
    topologies = [numa("n1", free="0-1,4-5", policy=policy), numa("n2", free="0-2,4-6", policy=policy)]
    assert closest([*objects, *topologies, aligned("p", cpus, policy=policy)], NUMA) == said


def test_devices_of_a_class() -> None:
    """The class is named as where queues count its devices."""
    simulation = simulate(read_manifests(["scenarios/devices-claimed.yaml"]), SimulateOptions())
    verdicts = [task.verdict for task in simulation.tasks if task.verdict is not None]
    assert [(each.resource, each.need, each.have) for each in verdicts if each.resource] == [("deviceclass/gpu", 1, 0)]
    assert "The request is for 1 deviceclass/gpu, and node n1, for example, has none free" in verdicts[0].text
