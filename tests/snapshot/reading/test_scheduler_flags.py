"""The flags that the scheduler is started with, as its Deployment has them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.snapshot.controllers.objects import Object, completed, make, names, read, template
from vqs.model.scheduler_flags import NodeSample, read_flags


def scheduler(*args: str) -> Object:
    """Make the Deployment of a scheduler."""
    container = {"name": "s", "image": "volcanosh/vc-scheduler:v1.14.4", "command": ["./vc-scheduler"], "args": [*args]}
    pods = {"metadata": {"labels": {"app": "volcano-scheduler"}}, "spec": {"containers": [container]}}
    return make("Deployment", "volcano-scheduler", "apps/v1", spec={"selector": {}, "template": pods})


def workload(kind: str, scheduler_name: str, **spec: Any) -> Object:
    """Make a workload of one pod for a scheduler, named after it."""
    return make(kind, scheduler_name, "apps/v1", spec={"template": template(schedulerName=scheduler_name), **spec})


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_pods_of_all_its_names_are_its_pods(kind: str) -> None:
    """Of the workloads, those for one of the names get their pods; others are counted, as ever."""
    flags = scheduler("--scheduler-name=volcano", "--scheduler-name", "batch")
    made = completed(flags, *(workload(kind, name) for name in ("volcano", "batch", "other")))
    assert {name.partition("-")[0] for name in names(made.pods)} == {"volcano", "batch"}
    assert len(made.pod_groups) == 2


def test_a_scheduler_of_another_name_only() -> None:
    """Pods of the usual name are not its pods."""
    made = completed(
        scheduler("--scheduler-name=batch"), workload("Deployment", "volcano"), workload("Deployment", "batch")
    )
    assert [name.partition("-")[0] for name in names(made.pods)] == ["batch"]


def test_nodes_without_a_label_of_its_selector_are_left_out() -> None:
    """One label is enough, and a note says how many nodes are not there."""
    nodes = [make("Node", name, metadata={"namespace": "", "labels": {"role": name}}) for name in ("a", "b", "c")]
    made = completed(scheduler("--node-selector=role:a,role:b"), *nodes)
    assert names(made.nodes) == ["a", "b"]
    assert any("1 node left out" in note.message for note in made.notes)


def test_other_flags() -> None:
    """They may stand in one text with others, and what they say is noted."""
    manifests = read(
        scheduler("--default-queue=main --percentage-nodes-to-find=20 --csi-storage -v=3", "--plugins-dir=/p")
    )
    assert (manifests.flags.default_queue, manifests.flags.sample) == ("main", NodeSample(percentage=20))
    assert manifests.csi_storage
    [note] = [note.message for note in manifests.notes if note.code == "scheduler-flags"]
    assert "--percentage-nodes-to-find=20" in note
    assert "what the plugins in that folder decide is not known" in note


def test_flags_that_are_not_read() -> None:
    """They change nothing."""
    assert read_flags(["--leader-elect=true", "--scheduler-conf", "/etc/conf"]).given == ()
