"""The commands that make a change in a cluster."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.build import CONF, gang, group, job_task, manifests, node, queue, stored_job
from vqs.snapshot.whatif.commands import HowTo
from vqs.snapshot.whatif.edits import parse_edits

OBJECTS = [node("n", unschedulable=True), queue("q"), *gang("g", 1), *stored_job("train", job_task(), minimum=1)]
PATCH = "kubectl patch"
REPLICAS = '[{"op": "add", "path": "/spec/tasks/0/replicas", "value": 3}]'
CLASS = '{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "c"}, "value": 1}'


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        (
            ["queue/q.spec.capability.cpu=4", 'queue/q.spec.capability["nvidia.com/gpu"]=2'],
            ["""kubectl patch queue q --type merge -p '{"spec": {"capability": {"cpu": 4, "nvidia.com/gpu": 2}}}'"""],
        ),
        (
            ["job/ns/train.spec.minAvailable=1"],
            ["""kubectl patch vcjob train -n ns --type merge -p '{"spec": {"minAvailable": 1}}'"""],
        ),
        (["node/n.spec.unschedulable=false", "node/n.spec.taints=[]"], ["kubectl uncordon n"]),
        (["queue/q.status.state=Open"], ["vcctl queue operate -n q --action open"]),
        (["scale job/ns/train=3"], [f"{PATCH} vcjob train -n ns --type json -p '{REPLICAS}'"]),
        (["clone-node n=1"], []),
        (["pod/ns/g-worker-0.spec.affinity=null", "queue/q.spec.weight=2"], []),
        (
            [
                f"add {CLASS}",
                "podgroup/ns/g.spec.priorityClassName=c",
            ],
            [
                "kubectl create priorityclass c --value 1",
                """kubectl patch podgroup g -n ns --type merge -p '{"spec": {"priorityClassName": "c"}}'""",
            ],
        ),
    ],
)
def test_commands(edits: list[str], expected: list[str]) -> None:
    """What is set in one object is one patch; where a part of a change has no command, there is none."""
    read = manifests(OBJECTS)
    assert HowTo(parse_edits(edits, read)[0], read).commands == expected


def test_what_is_in_a_list_is_a_patch_of_its_own() -> None:
    """A merge would replace the whole list."""
    policy = {"name": "p", "networkTopology": {"mode": "hard"}}
    read = manifests([node("n"), group("g", subGroupPolicy=[policy])])
    edits, _ = parse_edits(["podgroup/ns/g.spec.subGroupPolicy[0].networkTopology.mode=soft"], read)
    [command] = HowTo(edits, read).commands
    assert "--type json" in command
    assert '"path": "/spec/subGroupPolicy/0/networkTopology/mode", "value": "soft"' in command


def test_the_configuration_is_changed_as_a_whole() -> None:
    """The text in the ConfigMap gets the new value, and keeps its comments."""
    conf = CONF.replace("  - name: gang", "  # all or nothing\n  - name: gang")
    read = manifests([node("n")], conf)
    [command] = HowTo(parse_edits(["conf.tiers[0].plugins[1].enablePreemptable=false"], read)[0], read).commands
    start = "kubectl patch configmap volcano-scheduler-configmap -n volcano-system --type merge -p "
    assert command.startswith(start)
    [text] = json.loads(shlex.split(command)[-1])["data"].values()
    assert text == conf.replace("  - name: gang", "  - name: gang\n    enablePreemptable: false")


def owned(kind: str, name: str, api: str) -> dict[str, Any]:
    """Return the fields of an object that a controller made."""
    owner = {"apiVersion": api, "kind": kind, "name": name, "uid": "u", "controller": True}
    return {"ownerReferences": [owner], "uid": "v"}


def test_the_deployment_is_patched() -> None:
    """Of pods whose ReplicaSet is not there, the Deployment is known by the hash in its name."""
    [found, member] = gang("web-6f7", 1)
    member["metadata"] |= owned("ReplicaSet", "web-6f7", "apps/v1") | {"labels": {"pod-template-hash": "6f7"}}
    read = manifests([node("n"), found, member])
    name = member["metadata"]["name"]
    [command] = HowTo(parse_edits([f"pod/ns/{name}.spec.nodeSelector={{}}"], read)[0], read).commands
    start = "kubectl patch deployment web -n ns --type merge"
    assert command == f"""{start} -p '{{"spec": {{"template": {{"spec": {{"nodeSelector": null}}}}}}}}'"""


def test_a_job_that_is_not_there_is_patched() -> None:
    """The minimum of a PodGroup follows that of its Volcano Job; its queue is set by itself."""
    [found, *_] = gang("train-1f0c", 2)
    found["metadata"] |= owned("Job", "train", "batch.volcano.sh/v1alpha1")
    read = manifests([node("n"), queue("q"), found])

    def command(edit: str) -> str:
        [made] = HowTo(parse_edits([f"podgroup/ns/train-1f0c.{edit}"], read)[0], read).commands
        return made

    assert command("spec.minMember=1").startswith("kubectl patch vcjob train -n ns --type merge")
    assert command("spec.queue=q").startswith("kubectl patch podgroup train-1f0c -n ns")
