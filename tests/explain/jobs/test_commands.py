"""The commands that make a change in a cluster."""

from __future__ import annotations

import pytest

from tests.build import gang, group, job_task, manifests, node, queue, stored_job
from vqs.explain.jobs.commands import commands
from vqs.snapshot.whatif.edits import parse_edits

OBJECTS = [node("n", unschedulable=True), queue("q"), *gang("g", 1), *stored_job("train", job_task(), minimum=1)]
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
        (["conf.actions=allocate"], []),
        (["clone-node n=1"], []),
        (["pod/ns/g-worker-0.spec.tolerations=[]", "queue/q.spec.weight=2"], []),
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
    assert commands(parse_edits(edits, read)[0], read) == expected


def test_what_is_in_a_list_is_a_patch_of_its_own() -> None:
    """A merge would replace the whole list."""
    policy = {"name": "p", "networkTopology": {"mode": "hard"}}
    read = manifests([node("n"), group("g", subGroupPolicy=[policy])])
    edits, _ = parse_edits(["podgroup/ns/g.spec.subGroupPolicy[0].networkTopology.mode=soft"], read)
    [command] = commands(edits, read)
    assert "--type json" in command
    assert '"path": "/spec/subGroupPolicy/0/networkTopology/mode", "value": "soft"' in command
