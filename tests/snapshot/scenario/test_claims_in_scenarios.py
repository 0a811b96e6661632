"""The short forms for shards, volumes and devices, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vqs.model.kubernetes import NodeSelector, NodeSelectorRequirement
from vqs.snapshot.reading.diagnostics import Diagnostic
from vqs.snapshot.reading.manifests import Manifests

Read = Callable[[str], Manifests]
Errors = Callable[[str], list[Diagnostic]]

NODES = "nodes: [{name: a-0, count: 2, cpu: 4}, {name: b, cpu: 4}]\n"
STORAGE = (
    "storageClasses: [{name: local}]\n"
    "volumes: [{name: disk-0, count: 2, size: 9Gi, class: local, nodes: ['a-*']}]\n"
    "volumeClaims: [{name: data, class: local, volume: disk-1}]\n"
)
DEVICES = (
    "nodes: [{name: n, cpu: 4, devices: [{driver: d.io, name: gpu, count: 3, attributes: {model: A, fast: true},"
    " capacity: {memory: 8Gi}}, {driver: e.io}]}]\n"
    "deviceClasses: [{name: gpu, driver: d.io, where: 'true'}]\n"
    "deviceClaims: [{name: held, class: gpu, holds: {node: n, devices: [gpu-1, gpu-2]}}]\n"
)


def accepted(selector: NodeSelector | None) -> list[NodeSelectorRequirement]:
    """Return what the only term of a node selector asks of labels."""
    assert selector is not None
    [term] = selector.node_selector_terms
    return term.match_expressions


def test_a_shard(read: Read) -> None:
    """What is to be added and to be left follows from what is wanted and what is in use."""
    first, second = read(NODES + "shards: [{name: x, nodes: ['a-*']}, {name: y, nodes: [b], inUse: [a-1]}]").node_shards
    assert (first.spec.nodes_desired, first.status.nodes_in_use) == (["a-0", "a-1"], ["a-0", "a-1"])
    assert first.status.nodes_to_add == first.status.nodes_to_remove == []
    assert (second.status.nodes_to_add, second.status.nodes_to_remove) == (["b"], ["a-1"])


def test_a_storage_class(read: Read) -> None:
    """Without a provisioner its volumes have to be there, and they are bound once their pods have nodes."""
    plain, made = read("storageClasses: [{name: x}, {name: y, provisioner: p, topology: {zone: [z]}}]").storage_classes
    assert (plain.provisioner, plain.volume_binding_mode) == ("kubernetes.io/no-provisioner", "WaitForFirstConsumer")
    [term] = made.allowed_topologies
    assert [(each.key, each.values) for each in term.match_label_expressions] == [("zone", ["z"])]


def test_volumes(read: Read) -> None:
    """A volume that a claim of the scenario has is bound to it; the nodes that reach it are found by name."""
    free, bound = read(NODES + STORAGE).volumes
    assert (free.spec.claim_ref, free.status.phase) == (None, "Available")
    assert bound.spec.claim_ref is not None
    assert (bound.spec.claim_ref.namespace, bound.spec.claim_ref.name) == ("default", "data")
    assert bound.status.phase == "Bound"
    assert bound.spec.node_affinity is not None
    [requirement] = accepted(bound.spec.node_affinity.required)
    assert (requirement.key, requirement.values) == ("kubernetes.io/hostname", ["a-0", "a-1"])


def test_claims_of_pods(read: Read) -> None:
    """Each pod has claims of its own, or all of them the one that is named."""
    manifests = read(
        NODES + STORAGE + "jobs: [{name: j, replicas: 2, volumes: [{name: v, class: local, size: 1Gi}, {claim: data}]}]"
    )
    data, *own = manifests.claims
    assert (data.spec.volume_name, data.status.phase) == ("disk-1", "Bound")
    assert [each.metadata.name for each in own] == ["v-j-worker-0", "v-j-worker-1"]
    assert own[0].spec.resources.requests == {"storage": "1Gi"}
    for pod, claim in zip(manifests.pods, own, strict=True):
        sources = [each.persistent_volume_claim for each in pod.spec.volumes]
        assert [source.claim_name for source in sources if source] == [claim.metadata.name, "data"]


def test_limits_of_volumes(read: Read) -> None:
    """Nodes have the CSI drivers of a scenario that is about volumes, without a limit unless one is given."""
    limited, other = read(
        "nodes: [{name: n, volumeLimits: {d.io: 2}}, {}]\n"
        "storageClasses: [{name: x}, {name: y, provisioner: d.io}]\n"
        "volumes: [{name: v, size: 1, driver: e.io}]"
    ).csi_nodes
    first, second = limited.spec.drivers
    assert first.allocatable is not None
    assert (first.name, first.allocatable.count) == ("d.io", 2)
    assert (second.name, second.allocatable) == ("e.io", None)
    assert [(each.name, each.allocatable) for each in other.spec.drivers] == [("d.io", None), ("e.io", None)]
    assert read(NODES).csi_nodes == []


def test_devices_of_nodes(read: Read) -> None:
    """Each driver has a slice of its own; attributes have the types of their values."""
    first, second = read(DEVICES).resource_slices
    assert (first.spec.driver, first.spec.node_name, second.spec.driver) == ("d.io", "n", "e.io")
    assert [each.name for each in first.spec.devices] == ["gpu-0", "gpu-1", "gpu-2"]
    gpu = first.spec.devices[0]
    assert (gpu.attributes["model"].typed, gpu.attributes["fast"].typed) == (("string", "A"), ("bool", True))
    assert gpu.capacity["memory"].value == "8Gi"
    assert [each.name for each in second.spec.devices] == ["device-0"]


def test_many_devices_of_a_node(read: Read) -> None:
    """A slice has at most 128 devices, as the API server takes no more."""
    slices = read("nodes: [{devices: [{driver: d, count: 130}]}]").resource_slices
    assert [(len(each.spec.devices), each.spec.pool.resource_slice_count) for each in slices] == [(128, 2), (2, 2)]


def test_a_claim_that_holds_devices(read: Read) -> None:
    """It asks for as many as it holds, and can be used on their node alone."""
    manifests = read(DEVICES)
    [claim] = manifests.resource_claims
    [request] = claim.spec.devices.requests
    assert request.exactly is not None
    assert (request.exactly.device_class_name, request.exactly.count) == ("gpu", 2)
    assert claim.status.allocation is not None
    given = claim.status.allocation.devices.results
    assert [(each.driver, each.pool, each.device) for each in given] == [("d.io", "n", "gpu-1"), ("d.io", "n", "gpu-2")]
    [selector] = manifests.device_classes[0].spec.selectors[:1]
    assert selector.cel is not None
    assert selector.cel.expression == 'device.driver == "d.io"'


def test_device_claims_of_pods(read: Read) -> None:
    """Claims of a pod's own have a template, from which the controller makes them; its container uses them all."""
    manifests = read(DEVICES + "jobs: [{name: j, cpu: 1, devices: [{class: gpu, count: all}, {claim: held, name: h}]}]")
    [pod] = manifests.pods
    own, named = pod.spec.resource_claims
    assert (own.resource_claim_template_name, named.resource_claim_name) == ("j-worker-device-0", "held")
    assert [each.metadata.name for each in manifests.resource_claim_templates] == ["j-worker-device-0"]
    [request] = manifests.resource_claim_templates[0].spec.spec.devices.requests
    assert request.exactly is not None
    assert request.exactly.allocation_mode == "All"


WRONG = {
    "shard": (NODES + "shards: [{name: x, nodes: [a-0, c]}]\n", "$.shards[0].nodes[1]", "no node 'c'"),
    "volume's node": (NODES + "volumes: [{name: v, size: 1, nodes: [c]}]\n", "$.volumes[0].nodes[0]", "no node 'c'"),
    "size": ("volumes: [{name: v, size: 1x}]\n", "$.volumes[0].size", "'1x' is not a quantity"),
    "class": (
        STORAGE.replace("['a-*']", "[]") + "jobs: [{name: j, volumes: [{class: loca}]}]\n",
        *("$.jobs[0].volumes[0].class", "did you mean 'local'?"),
    ),
    "volume": ("volumeClaims: [{name: c, volume: v}]\n", "$.volumeClaims[0].volume", "there is no volume 'v'"),
    "claim": ("jobs: [{name: j, volumes: [{claim: c}]}]\n", "$.jobs[0].volumes[0].claim", "no volume claim 'c'"),
    "claim and size": (
        NODES + STORAGE + "jobs: [{name: j, volumes: [{claim: data, size: 1}]}]\n",
        *("$.jobs[0].volumes[0].size", "size is given, and the claim 'data'"),
    ),
    "no class": ("jobs: [{name: j, volumes: [{size: 1}]}]\n", "$.jobs[0].volumes[0]", "class is missing"),
    "running": (
        DEVICES + "jobs: [{name: j, running: 1, devices: [{class: gpu}]}]\n",
        *("$.jobs[0].devices[0]", "one of deviceClaims"),
    ),
    "twice": (
        DEVICES + "jobs: [{name: j, devices: [{class: gpu, name: g}, {claim: held, name: g}]}]\n",
        *("$.jobs[0].devices[1].name", "g is given twice"),
    ),
    "in the spec too": (
        DEVICES + "jobs: [{name: j, devices: [{class: gpu}], spec: {resourceClaims: []}}]\n",
        *("$.jobs[0].spec.resourceClaims", "given twice"),
    ),
    "device class": (
        DEVICES + "jobs: [{name: j, devices: [{class: gpus}]}]\n",
        *("$.jobs[0].devices[0].class", "did you mean 'gpu'?"),
    ),
    "device": (
        DEVICES.replace("gpu-2", "gpu-3"),
        *("$.deviceClaims[0].holds.devices[1]", "there is no device of node n 'gpu-3'"),
    ),
}


@pytest.mark.parametrize(("text", "path", "fragment"), WRONG.values(), ids=WRONG)
def test_what_is_wrong(errors: Errors, *, text: str, path: str, fragment: str) -> None:
    """What is not there and what contradicts itself is named once, where it is written."""
    [error] = errors(text)
    assert error.path == path
    assert fragment in f"{error.message} ({error.help})"
