"""What scenarios stand for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

Read = Callable[[str], Manifests]

NODES = "nodes: [{count: 3, cpu: 4}]\n"


def pods_on(manifests: Manifests) -> Counter[str]:
    """Count the pods on each node."""
    return Counter(pod.spec.node_name for pod in manifests.pods)


def names(objects: list[k8s.Node] | list[k8s.Pod] | list[k8s.PodGroup]) -> list[str]:
    """Return the names of some objects."""
    return [each.metadata.name for each in objects]


# --- nodes and queues -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("[{cpu: 1}]", ["node-0"]),
        ("[{count: 3}]", ["node-0", "node-1", "node-2"]),
        ("[{count: 2}, {name: big}, {count: 2}]", ["node-0", "node-1", "big", "node-2", "node-3"]),
        ("[{name: gpu, count: 2}]", ["gpu-0", "gpu-1"]),
        ("[{name: gpu-7, count: 2}]", ["gpu-7", "gpu-8"]),
        ("[{name: rack-08, count: 3}]", ["rack-08", "rack-09", "rack-10"]),
        ("[{name: n1, count: 1}]", ["n1"]),
        ("[{name: gpu, count: 0}, {name: cpu}]", ["cpu"]),
    ],
)
def test_names_of_nodes(read: Read, entries: str, expected: list[str]) -> None:
    """Several nodes are numbered from the number that the name ends in; nameless ones go on from entry to entry."""
    assert names(read(f"nodes: {entries}\nqueues: [{{name: q}}]").nodes) == expected


def test_a_node(read: Read) -> None:
    """A node has what its entry says, in long names; it takes 110 pods, and knows its own name as a label."""
    [node] = read(
        """
        nodes:
          - name: big
            cpu: 32
            memory: 128Gi
            gpu: 8
            resources: {huawei.com/Ascend910: 4}
            labels: {pool: gpu}
            taints: [{key: dedicated, value: gpu, effect: NoSchedule}]
            unschedulable: true
        """
    ).nodes
    resources = {"cpu": 32, "memory": "128Gi", "nvidia.com/gpu": 8, "huawei.com/Ascend910": 4, "pods": 110}
    assert node.status.allocatable == node.status.capacity == resources
    assert node.metadata.labels == {"kubernetes.io/hostname": "big", "pool": "gpu"}
    assert [taint.key for taint in node.spec.taints] == ["dedicated"]
    assert node.spec.unschedulable


def test_a_queue(read: Read) -> None:
    """A queue has what its entry says, and is open unless it says otherwise."""
    plain, full = read(
        """
        queues:
          - {name: plain}
          - {name: full, weight: 3, parent: plain, priority: 5, reclaimable: false, state: Closed,
             capability: {gpu: 4}, guarantee: {cpu: 2}, deserved: {cpu: 3}}
        """
    ).queues
    assert (plain.spec.weight, plain.status.state) == (1, "Open")
    assert (full.spec.weight, full.spec.parent, full.spec.priority) == (3, "plain", 5)
    assert (full.spec.reclaimable, full.status.state) == (False, "Closed")
    assert full.spec.capability == {"nvidia.com/gpu": 4}
    assert (full.spec.guarantee.resource, full.spec.deserved) == ({"cpu": 2}, {"cpu": 3})


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_a_job(read: Read) -> None:
    """A job is a PodGroup and its pods, which need each other unless minAvailable says otherwise."""
    manifests = read("jobs: [{name: train, replicas: 2, cpu: 500m, memory: 1Gi, gpu: 1}]")
    [group], pods = manifests.pod_groups, manifests.pods
    assert (group.spec.min_member, group.spec.queue, group.status.phase) == (2, "default", "Pending")
    assert group.spec.min_resources == {"cpu": "1", "memory": "2Gi", "nvidia.com/gpu": "2"}
    assert names(pods) == ["train-worker-0", "train-worker-1"]
    assert pods[0].spec.containers[0].resources.requests == {"cpu": "500m", "memory": "1Gi", "nvidia.com/gpu": 1}
    assert pods[0].metadata.annotations == {"scheduling.k8s.io/group-name": "train", "volcano.sh/task-spec": "worker"}
    assert (pods[0].spec.scheduler_name, pods[0].status.phase) == ("volcano", "Pending")


def test_roles(read: Read) -> None:
    """A job of roles needs the minimum of each, and sums up its minimal resources in that order."""
    manifests = read(
        """
        jobs:
          - name: train
            minAvailable: 4
            roles:
              - {name: ps, replicas: 2, minAvailable: 1, cpu: 1}
              - {name: worker, replicas: 4, cpu: 10, minAvailable: 2}
        """
    )
    [group] = manifests.pod_groups
    assert group.spec.min_task_member == {"ps": 1, "worker": 2}
    assert group.spec.min_resources == {"cpu": "22"}, "one ps, two workers, and one more: the first that is left"
    assert names(manifests.pods)[1:3] == ["train-ps-1", "train-worker-0"]


def test_minimum_of_roles(read: Read) -> None:
    """Without a minimum of its own, a job needs what its roles need: all pods of a role, unless it says otherwise."""
    text = "jobs: [{name: j, roles: [{name: a, replicas: 3}, {name: b, replicas: 2, minAvailable: 1}]}]"
    [group] = read(text).pod_groups
    assert group.spec.min_member == 4
    assert group.spec.min_task_member == {"a": 3, "b": 1}


def test_several_jobs(read: Read) -> None:
    """A job with a count is as many jobs, each with its own pods."""
    manifests = read(NODES + "jobs: [{name: one-1, count: 2, replicas: 2, running: 1, cpu: 3}]")
    assert names(manifests.pod_groups) == ["one-1", "one-2"]
    assert names(manifests.pods) == ["one-1-worker-0", "one-1-worker-1", "one-2-worker-0", "one-2-worker-1"]
    assert [pod.spec.node_name for pod in manifests.pods] == ["node-0", "", "node-1", ""]


@pytest.mark.parametrize(
    ("min_resources", "expected"),
    [("auto", {"cpu": "1500m"}), ("none", None), ("{cpu: 4, gpu: 1}", {"cpu": 4, "nvidia.com/gpu": 1})],
)
def test_minimal_resources(read: Read, min_resources: str, expected: dict[str, object] | None) -> None:
    """Minimal resources are summed up, left out or given."""
    [group] = read(f"jobs: [{{name: j, replicas: 3, cpu: 0.5, minResources: {min_resources}}}]").pod_groups
    assert group.spec.min_resources == expected


def test_states(read: Read) -> None:
    """Pods are in the states that are said of them, started ones first; what nothing is said of is pending."""
    pods = read(
        NODES
        + """
jobs:
  - {name: j, replicas: 9, cpu: 1, running: {node-0: 2}, bound: {node-1: 1}, releasing: {node-2: 1},
     succeeded: 1, failed: 1, nominated: {node-1: 1}, gated: 1}
"""
    ).pods
    assert [pod.status.phase for pod in pods] == [
        *["Running", "Running", "Pending", "Running", "Succeeded", "Failed"],
        *["Pending"] * 3,
    ]
    assert [pod.spec.node_name for pod in pods] == ["node-0", "node-0", "node-1", "node-2", "", "", "", "", ""]
    assert [pod.metadata.deletion_timestamp is not None for pod in pods] == [False] * 3 + [True] + [False] * 5
    assert [pod.status.nominated_node_name for pod in pods][6:] == ["node-1", "", ""]
    assert [gate.name for gate in pods[8].spec.scheduling_gates] == ["vqs/gated"]


@pytest.mark.parametrize(
    ("entry", "phase"),
    [
        ("replicas: 2", "Pending"),
        ("replicas: 2, running: 1", "Inqueue"),
        ("replicas: 2, running: 1, minAvailable: 1", "Running"),
        ("replicas: 2, running: 2, phase: Unknown", "Unknown"),
    ],
)
def test_phase(read: Read, entry: str, phase: str) -> None:
    """The phase of a PodGroup follows from how many pods have started, unless it is given."""
    [group] = read(NODES + f"jobs: [{{name: j, cpu: 1, {entry}}}]").pod_groups
    assert group.status.phase == phase


def test_running_pods_find_room(read: Read) -> None:
    """Pods that are said to run are on the first nodes with room, after those whose node is named."""
    manifests = read(
        NODES
        + """
jobs:
  - {name: a, running: 3, cpu: 2}
  - {name: b, running: {node-0: 1}, cpu: 3}
"""
    )
    assert pods_on(manifests) == {"node-0": 1, "node-1": 2, "node-2": 1}


def test_running_pods_avoid_nodes(read: Read) -> None:
    """Where a node is looked for, tainted and cordoned ones are left out, and those without the labels asked for."""
    manifests = read(
        """
        nodes:
          - {name: tainted, cpu: 9, labels: {pool: x}, taints: [{key: k, effect: NoExecute}]}
          - {name: cordoned, cpu: 9, labels: {pool: x}, unschedulable: true}
          - {name: unlabelled, cpu: 9}
          - {name: right, cpu: 9, labels: {pool: x}}
        jobs: [{name: j, running: 1, cpu: 1, nodeSelector: {pool: x}}]
        """
    )
    assert pods_on(manifests) == {"right": 1}


def test_pattern_of_nodes(read: Read) -> None:
    """A pattern puts so many pods on each of the nodes that it stands for."""
    manifests = read(NODES + "jobs: [{name: j, running: {node-*: 2, node-0: 1}, cpu: 1}]")
    assert pods_on(manifests) == {"node-0": 3, "node-1": 2, "node-2": 2}


def test_spec_of_pods(read: Read) -> None:
    """Pods have the constraints that their role has, and anything else of a pod's spec, labels and annotations."""
    [pod] = read(
        """
        jobs:
          - name: j
            replicas: 1
            labels: {app: j}
            annotations: {volcano.sh/preemptable: "true"}
            nodeSelector: {pool: gpu}
            tolerations: [{key: dedicated, operator: Exists}]
            affinity: {nodeAffinity: {}}
            spec: {hostNetwork: true, containers: [{name: own, resources: {limits: {cpu: 2}}}]}
        """
    ).pods
    assert pod.metadata.labels == {"app": "j"}
    assert pod.metadata.annotations["volcano.sh/preemptable"] == "true"
    assert (pod.spec.node_selector, pod.spec.host_network) == ({"pool": "gpu"}, True)
    assert (pod.spec.tolerations[0].key, pod.spec.containers[0].name) == ("dedicated", "own")
    assert pod.spec.affinity is not None


def test_typo_in_a_spec(read: Read) -> None:
    """A key of a pod's spec that looks like another is worth a warning, one that scheduling has no use for is not."""
    [note] = read("jobs: [{name: j, spec: {hostNetwrk: true, serviceAccountName: x}}]").notes
    assert (note.severity, note.path, note.help) == (
        "warning",
        "$.jobs[0].spec.hostNetwrk",
        "did you mean 'hostNetwork'?",
    )


def test_typo_in_a_pod_group(read: Read) -> None:
    """Every key of a PodGroup's spec is known, so that any other is worth a warning."""
    notes = read("jobs: [{name: j, podGroup: {minMembr: 3, spec: {}, minMember: 1}}]").notes
    assert [(note.path, note.help) for note in notes] == [
        ("$.jobs[0].podGroup.minMembr", "did you mean 'minMember'?"),
        ("$.jobs[0].podGroup.spec", ""),
    ]


def test_priorities(read: Read) -> None:
    """A number as priority makes a class, as a PodGroup knows no other way; a role may have its own."""
    manifests = read(
        """
        priorityClasses: {urgent: 1000}
        jobs:
          - {name: a, priorityClass: urgent, replicas: 1}
          - {name: b, priority: -5, roles: [{name: x, replicas: 1}, {name: y, replicas: 1, priority: 7}]}
        """
    )
    values = {each.metadata.name: each.value for each in manifests.priority_classes}
    assert values == {"urgent": 1000, "priority-minus-5": -5, "priority-7": 7}
    assert [group.spec.priority_class_name for group in manifests.pod_groups] == ["urgent", "priority-minus-5"]
    assert [pod.spec.priority for pod in manifests.pods] == [None, -5, 7]
    assert manifests.pods[0].spec.priority_class_name == "urgent"


def test_more_of_a_pod_group(read: Read) -> None:
    """What has no short form goes into the PodGroup's spec as it is."""
    text = "jobs: [{name: j, replicas: 1, podGroup: {networkTopology: {mode: soft}, minMember: 0}}]"
    [group] = read(text).pod_groups
    assert group.spec.network_topology is not None
    assert (group.spec.network_topology.mode, group.spec.min_member) == ("soft", 0)


# --- time -------------------------------------------------------------------------------------------------------------


def test_age_of_jobs(read: Read) -> None:
    """Jobs are created a second apart in their order, the last one now; one may say when it was created."""
    manifests = read(
        """
        now: 2026-03-02T12:00:00Z
        jobs: [{name: a}, {name: b, created: 2026-03-01T00:00:00Z}, {name: c}]
        """
    )
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    times = [group.metadata.creation_timestamp for group in manifests.pod_groups]
    assert times == [now - timedelta(seconds=2), datetime(2026, 3, 1, tzinfo=UTC), now]
    assert manifests.now == now


def test_jobs_are_newer_than_the_rest(read: Read) -> None:
    """Without a time, jobs come after everything in the input: they are what is tried on it."""
    manifests = read(
        """
        jobs: [{name: a}, {name: b}]
        manifests:
          - {apiVersion: v1, kind: Namespace, metadata: {name: n, creationTimestamp: 2026-05-01T00:00:00Z}}
        """
    )
    newest = datetime(2026, 5, 1, tzinfo=UTC)
    times = [group.metadata.creation_timestamp for group in manifests.pod_groups]
    assert times == [newest + timedelta(seconds=1), newest + timedelta(seconds=2)]
    assert manifests.now == times[-1]


def test_nodes_know_the_time(read: Read) -> None:
    """A scenario's time is the newest timestamp of the plain manifests that it stands for."""
    manifests = read("now: 2026-03-02T12:00:00Z\n" + NODES)
    assert manifests.newest_timestamp == manifests.now == datetime(2026, 3, 2, 12, tzinfo=UTC)


# --- configuration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scheduler",
    [
        'scheduler: |\n  actions: "allocate"\n  tiers:\n  - plugins:\n    - name: gang\n      enableJobOrder: false\n',
        "scheduler:\n  actions: allocate\n  tiers:\n  - plugins: [{name: gang, enableJobOrder: false}]\n",
    ],
    ids=["text", "YAML"],
)
def test_configuration(read: Read, scheduler: str) -> None:
    """The scheduler's configuration is given as text or as YAML."""
    configuration = read(scheduler + NODES).scheduler
    assert configuration.actions == ("allocate",)
    [plugin] = configuration.tiers[0].plugins
    assert (plugin.name, plugin.enabled("enableJobOrder")) == ("gang", False)


@pytest.mark.parametrize(
    ("scheduler", "line", "column"),
    [
        ('scheduler: |\n  actions: "allocat"\n', 4, 13),
        ("scheduler:\n  tiers: []\n  actions: allocat\n", 5, 12),
    ],
    ids=["text", "YAML"],
)
def test_wrong_configuration(read: Read, scheduler: str, line: int, column: int) -> None:
    """What is wrong with a configuration is told of the place in the scenario, in text and in YAML."""
    with pytest.raises(InputErrors) as caught:
        read(scheduler + NODES)
    [error] = caught.value.diagnostics
    assert (error.line, error.column) == (line, column)
    assert "did you mean 'allocate'?" in error.help


# --- several files ----------------------------------------------------------------------------------------------------


def scenario(folder: Path, name: str, text: str) -> str:
    """Write a scenario, and return the name of its file."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"apiVersion: vqs/v1\nkind: Scenario\n{text}", encoding="utf-8")
    return str(file)


def test_include(tmp_path: Path) -> None:
    """Files and folders are included from where the scenario is; each is read once, whoever includes it."""
    scenario(tmp_path, "base.yaml", "nodes: [{count: 2, cpu: 4}]\nqueues: [{name: q}]\n")
    scenario(tmp_path, "parts/one.yaml", "include: ../base.yaml\nname: one\n")
    scenario(tmp_path, "parts/two.yaml", "include: [../base.yaml]\njobs: [{name: j, queue: q, running: 1, cpu: 1}]\n")
    file = scenario(tmp_path, "all.yaml", "description: everything\ninclude: [parts, base.yaml]\n")
    manifests = read_manifests([file])
    assert names(manifests.nodes) == ["node-0", "node-1"]
    assert pods_on(manifests) == {"node-0": 1}
    assert [(each.name, each.description) for each in manifests.scenarios] == [
        ("all", "everything"),
        ("one", ""),
        ("two", ""),
        ("base", ""),
    ]
    assert manifests.notes == []


@pytest.mark.parametrize("given", [["a.yaml"], ["a.yaml", "b.yaml"], ["."]])
def test_cyclic_include(tmp_path: Path, given: list[str]) -> None:
    """Files that include one another are refused, however they are given, with the circle and its place."""
    scenario(tmp_path, "a.yaml", "include:\n  - b.yaml\n")
    scenario(tmp_path, "b.yaml", "include: a.yaml\n")
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(tmp_path / name) for name in given])
    [error] = (each for each in caught.value.diagnostics if each.severity == "error")
    assert error.code == "cyclic-include"
    assert error.message.count("a.yaml") + error.message.count("b.yaml") == 3
    assert (error.line, error.path) in {(4, "$.include[0]"), (3, "$.include")}


def test_file_that_includes_itself(tmp_path: Path) -> None:
    """A file that includes itself is a circle too."""
    with pytest.raises(InputErrors, match="include one another"):
        read_manifests([scenario(tmp_path, "a.yaml", "include: a.yaml\n")])


def test_scenario_on_a_dump(tmp_path: Path, read: Read) -> None:
    """Jobs of a scenario may refer to queues and nodes that other files have."""
    del read
    base = scenario(tmp_path, "base.yaml", "nodes: [{cpu: 4}]\nqueues: [{name: q}]\n")
    job = scenario(tmp_path, "job.yaml", "jobs: [{name: j, queue: q, running: {node-0: 1}}]\n")
    assert pods_on(read_manifests([job, base])) == {"node-0": 1}
