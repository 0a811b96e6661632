"""What becomes of each field."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from vqs.anonymize import rules
from vqs.anonymize.key import Key
from vqs.anonymize.run import anonymize
from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.kinds import JUDGED_ONLY
from vqs.snapshot.reading.manifests import Manifests

Read = Callable[..., Manifests]


def renamed(manifests: Manifests) -> tuple[list[dict[str, Any]], Key]:
    """Return the objects of a snapshot under other names, and the key."""
    result = anonymize([manifests], Key())
    return [json.loads(each) for each in result.snapshots[0]], result.key


def pod(**spec: Any) -> dict[str, Any]:
    """Return a pod."""
    metadata = {"name": "train-w-0", "namespace": "research", "uid": "1f2504e0-4f89-41d3-9a0c-0305e82c3301"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"schedulerName": "volcano", **spec}}


def node(**labels: str) -> dict[str, Any]:
    """Return a node."""
    metadata = {"name": "gpu-1", "labels": {key.replace("_", "-"): value for key, value in labels.items()}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def test_every_text_is_renamed_revealed_or_well_known(read: Read) -> None:
    """What comes back through the key is the object as vqs reads it, whatever field a name is in."""
    given = pod(
        priorityClassName="urgent",
        nodeSelector={"acme.com/rack": "r17", "kubernetes.io/os": "linux"},
        containers=[{"name": "main", "image": "registry.acme.com/train:1.2", "resources": {"limits": {"cpu": "500m"}}}],
        tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
        volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data-train"}}],
    )
    objects, key = renamed(read(given))
    assert json.loads(key.reveal(json.dumps(objects[0]))) == given
    spec = objects[0]["spec"]
    assert list(spec["nodeSelector"])[1] == "kubernetes.io/os"
    assert spec["nodeSelector"]["kubernetes.io/os"] == "linux"
    assert spec["tolerations"] == given["spec"]["tolerations"]
    assert "acme" not in json.dumps(objects)
    assert "train" not in json.dumps(objects)


def test_devices_are_renamed_wherever_they_are_named(read: Read) -> None:
    """A pod's devices stay those of its node, and instances those of a geometry; models and amounts are public."""
    on_node, held = "volcano.sh/node-vgpu-register", "volcano.sh/vgpu-ids-new"
    machine, user = node(), pod()
    machine["metadata"]["annotations"] = {on_node: "acme,10,8192,NVIDIA-A100,true,mig:"}
    user["metadata"]["annotations"] = {held: "acme[fold-0],NVIDIA,8192,50:;"}
    text = "nvidia: {knownMigGeometries: [{models: [A100], allowedGeometries: [{group: fold, geometries: []}]}]}"
    metadata = {"name": "volcano-vgpu-device-config", "namespace": "kube-system"}
    configured = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"device-config.yaml": text}}
    objects, _ = renamed(read(machine, user, configured))
    of_kind = {each["kind"]: each for each in objects}
    uuid, _, rest = of_kind["Node"]["metadata"]["annotations"][on_node].partition(",")
    assert rest == "10,8192,NVIDIA-A100,true,mig:"
    config = json.loads(of_kind["ConfigMap"]["data"]["device-config.yaml"])
    (known,) = config["nvidia"]["knownMigGeometries"]
    group = known["allowedGeometries"][0]["group"]
    assert known["models"] == ["A100"]
    assert of_kind["Pod"]["metadata"]["annotations"][held] == f"{uuid}[{group}-0],NVIDIA,8192,50:;"
    assert not {"acme", "fold"} & {uuid, group}


def test_long_texts_that_are_nearly_public(read: Read) -> None:
    """A model of digits, an amount and a message, each with a wrong end, are names: reading them takes no long time."""
    on_node = "volcano.sh/node-vgpu-register"
    machine, user = node(), pod()
    machine["metadata"]["annotations"] = {on_node: f"acme,10,8192,{'1Ti' * 40}!,true,mig:"}
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "." * 100_000 + "!"}
    user["status"] = {"phase": "Pending", "conditions": [condition]}
    objects, _ = renamed(read(machine, user))
    assert "1Ti1Ti" not in json.dumps(objects)


def test_microseconds_are_written_in_ascii(read: Read) -> None:
    """A span of time in the configuration stays, in letters that need no escape."""
    conf = 'actions: "allocate"\ntiers:\n- plugins:\n  - {name: sla, arguments: {sla-waiting-time: 5\u00b5s}}\n'
    metadata = {"name": "volcano-scheduler-configmap", "namespace": "volcano-system"}
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"volcano-scheduler.conf": conf},
    }
    objects, _ = renamed(read(node(), config_map))
    assert "5us" in json.dumps(objects)


def test_annotations_of_old_releases_still_decide(read: Read) -> None:
    """When a device plugin was asked stays; the HyperNode that holds a job is renamed as everywhere."""
    machine, member = node(), pod()
    machine["metadata"]["annotations"] = {"volcano.sh/node-vgpu-handshake": "Requesting_2026.01.02 11:58:59"}
    member["metadata"]["annotations"] = {
        "volcano.sh/job-allocated-hypernode": "acme",
        "hami.io/Ascend310P-devices-to-allocate": "acme,Ascend310P,21527,8:;",
    }
    objects, _ = renamed(read(machine, member))
    kept = {each["kind"]: each["metadata"]["annotations"] for each in objects}
    assert kept["Node"] == machine["metadata"]["annotations"]
    held, given = (kept["Pod"][key] for key in member["metadata"]["annotations"])
    assert given == f"{held},Ascend310P,21527,8:;"
    assert held != "acme"


def test_weights_of_resources_keep_the_names_of_published_resources(read: Read) -> None:
    """Others are renamed as everywhere; what Volcano cannot read is a name."""
    annotated = pod()
    annotated["metadata"]["annotations"] = {
        "volcano.sh/resource-strategy-scoring-type": "MostAllocated",
        "volcano.sh/resource-strategy-weight": '{"nvidia.com/gpu": 2, "acme.com/chip": 1}',
    }
    [written] = renamed(read(annotated))[0]
    kind, weights = written["metadata"]["annotations"].values()
    assert kind == "MostAllocated"
    assert list(json.loads(weights).values()) == [2, 1]
    assert '"nvidia.com/gpu"' in weights
    assert "acme" not in weights
    annotated["metadata"]["annotations"] = {"volcano.sh/resource-strategy-weight": "acme=1"}
    assert "acme" not in json.dumps(renamed(read(annotated))[0])


def test_what_scheduling_does_not_look_at_is_left_out(read: Read) -> None:
    """Fields that no rule knows, unknown annotations and texts of a node's own conditions are not written."""
    given = pod(
        containers=[{"name": "main", "command": ["run", "--user=alice"], "env": [{"name": "TOKEN", "value": "s"}]}]
    )
    given["metadata"]["annotations"] = {
        "kubectl.kubernetes.io/last-applied-configuration": '{"secret": "alice"}',
        "scheduling.k8s.io/group-name": "train",
    }
    given["metadata"]["managedFields"] = [{"manager": "alice"}]
    given["status"] = {"conditions": [{"type": "Ready", "status": "False", "message": "alice's container"}]}
    objects, key = renamed(read(given))
    assert "alice" not in json.dumps(objects) + json.dumps(list(key.fakes))
    assert objects[0]["spec"]["containers"] == [{"name": key.fakes["main"]}]
    assert objects[0]["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": key.fakes["train"]}


def test_messages_of_the_scheduler_keep_their_words(read: Read) -> None:
    """Names in the message of a condition are renamed, the scheduler's words and numbers stay."""
    text = (
        "pod group is not ready, 1 Pending, 1 minAvailable; Pending: 1 Unschedulable. Origin reason is train-w-0: "
        "0/2 nodes are unavailable: 1 Insufficient cpu, 1 node(s) had untolerated taint {acme: yes}."
    )
    given = pod()
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": text}
    given["status"] = {"conditions": [condition]}
    objects, key = renamed(read(given))
    fakes = key.fakes
    expected = text.replace("train-w", f"{fakes['train']}-{fakes['w']}").replace(
        "acme: yes", f"{fakes['acme']}: {fakes['yes']}"
    )
    assert objects[0]["status"]["conditions"][0]["message"] == expected


def test_labels_that_are_compared_as_numbers_keep_them(read: Read) -> None:
    """A long number stays where a pod asks for more of it, and is a name where nobody does."""
    term = {"matchExpressions": [{"key": "acme.com/memory", "operator": "Gt", "values": ["65536"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    given = pod(affinity={"nodeAffinity": required})
    machine = node()
    machine["metadata"]["labels"] = {"acme.com/memory": "131072", "acme.com/serial": "4711471147"}
    objects, _ = renamed(read(machine, given))
    assert next(iter(objects[0]["metadata"]["labels"].values())) == "131072"
    assert "4711471147" not in json.dumps(objects)


def test_what_decides_by_its_name_stays(read: Read) -> None:
    """Critical priority classes, kube-system, the two built-in queues and devices of vendors are what they are."""
    given = pod(
        priorityClassName="system-node-critical", containers=[{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    )
    given["metadata"]["namespace"] = "kube-system"
    queue = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "eng"}}
    queue["spec"] = {"parent": "root", "capability": {"cpu": 4, "acme.com/fpga": 2}}
    objects, key = renamed(read(queue, given))
    assert objects[1]["metadata"]["namespace"] == "kube-system"
    assert objects[1]["spec"]["priorityClassName"] == "system-node-critical"
    assert objects[1]["spec"]["containers"][0]["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert objects[0]["spec"]["parent"] == "root"
    fpga = f"{key.fakes['acme']}.{key.fakes['com']}/{key.fakes['fpga']}"
    assert objects[0]["spec"]["capability"] == {"cpu": 4, fpga: 2}


def test_patterns_of_hyper_nodes_become_the_names_they_match(read: Read) -> None:
    """A pattern would not fit the fake names, so the members are named."""
    member = {"type": "Node", "selector": {"regexMatch": {"pattern": "^gpu-"}}}
    hyper = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": "rack"}}
    hyper["spec"] = {"tier": 1, "members": [member]}
    objects, key = renamed(read(node(), hyper))
    exact = {"type": "Node", "selector": {"exactMatch": {"name": f"{key.fakes['gpu']}-1"}}}
    assert [each["spec"]["members"] for each in objects if each["kind"] == "HyperNode"] == [[exact]]


def test_cpus_and_policies_of_nodes_stay(read: Read) -> None:
    """Of a Numatopology, all but the name of the node is public; a policy that nobody has published is a name."""
    written = {
        "policies": {"CPUManagerPolicy": "static", "TopologyManagerPolicy": "secret"},
        "resReserved": {"cpu": "1500m"},
        "numares": {"cpu": {"allocatable": "0-1,3", "capacity": 4}},
        "cpuDetail": {"0": {}, "1": {"core": 1}, "12": {"numa": 1, "socket": 1, "core": 12}},
    }
    numa = {"apiVersion": "nodeinfo.volcano.sh/v1alpha1", "kind": "Numatopology", "metadata": {"name": "gpu-1"}}
    objects, key = renamed(read(node(), {**numa, "spec": written}))
    spec = objects[1]["spec"]
    policies = spec.pop("policies")
    assert policies == {"CPUManagerPolicy": "static", "TopologyManagerPolicy": key.fakes["secret"]}
    assert spec == {name: each for name, each in written.items() if name != "policies"}


def test_plugins_of_jobs_find_their_tasks(read: Read) -> None:
    """A plugin that looks for the tasks master and worker is told their new names."""
    container = {"name": "main", "image": "a"}
    tasks = [
        {"name": name, "replicas": 1, "template": {"spec": {"containers": [container]}}}
        for name in ("master", "worker")
    ]
    job = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "train"}}
    job["spec"] = {"minAvailable": 1, "tasks": tasks, "plugins": {"mpi": ["--port=22"], "svc": []}}
    objects, key = renamed(read(job))
    master, worker = key.fakes["master"], key.fakes["worker"]
    assert objects[0]["spec"]["plugins"] == {
        "mpi": [f"--master={master}", f"--worker={worker}", "--port=22"],
        "svc": [],
    }


LEFT_OUT = (*JUDGED_ONLY, k8s.CronJobSpec)
"""Kinds that scheduling does not look at, which are not written."""

CHOICES = [
    (type_, field.name)
    for type_ in vars(k8s).values()
    if isinstance(type_, type) and issubclass(type_, msgspec.Struct) and type_ not in LEFT_OUT
    for field, (*_, rule) in zip(msgspec.structs.fields(type_), rules._plan(type_), strict=True)
    if field.type is str and rule is rules.plain
]


NAMES = {
    "claim_name",
    "generate_name",
    "highest_tier_name",
    "image",
    "key",
    "message",
    "mount_path",
    "name",
    "namespace",
    "node_id",
    "node_name",
    "nominated_node_name",
    "parent",
    "pattern",
    "queue",
    "reason",
    "reference",
    "runtime_class_name",
    "storage_class_name",
    "tier_name",
    "transition_id",
    "type",
    "uid",
    "value",
    "volume_claim_name",
    "volume_handle",
    "volume_name",
}


def test_texts_without_a_rule_are_names() -> None:
    """Each field with a text has a rule, or is known to be a name: a new field of the model has to be thought of."""
    assert {attribute for _, attribute in CHOICES} - NAMES == set()
