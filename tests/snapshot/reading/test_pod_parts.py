"""What pods that are read have in common."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.build import manifests, pod
from vqs.model.kubernetes import Pod
from vqs.snapshot.reading import objects
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.objects import PodParts
from vqs.snapshot.reading.reader import read_manifests

VOLUMES = {"volumes": [{"name": "token-x7f", "persistentVolumeClaim": {"claimName": "data"}}]}


def made(name: str, **more: Any) -> Pod:
    """Return a pod as it is written."""
    return msgspec.convert(pod(name, "j", **more), Pod)


def test_pods_with_equal_specs_share_what_is_in_them() -> None:
    """Each keeps its own node and volumes, in a spec of its own."""
    first, second, third = manifests(
        [pod("p-0", "j", node="n1"), pod("p-1", "j", spec=VOLUMES), pod("p-2", "j", cpu="7")]
    ).pods
    assert first.spec is not second.spec
    assert first.spec.containers is second.spec.containers
    assert first.spec.containers is not third.spec.containers
    assert [each.spec.node_name for each in (first, second, third)] == ["n1", "", ""]
    assert [len(each.spec.volumes) for each in (first, second, third)] == [0, 1, 0]


@pytest.mark.parametrize("most", [1, 10_000])
def test_sharing_changes_no_pod(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """A pod says the same before and after, however few specs are known."""
    monkeypatch.setattr(objects, "_MOST", most)
    pods = [
        made("p-0", node="n1"),
        made("p-1", spec=VOLUMES),
        made("p-2", cpu=2),
        made("p-3", cpu="2"),
        made("p-4", cpu=2.0, node="n2"),
        made("p-5", spec={"priority": 0, "preemptionPolicy": "", "overhead": {}}),
        made("p-6", spec={"resources": {}, "affinity": {}}),
        made("p-7"),
    ]
    parts = PodParts()
    for each in pods:
        before = deepcopy(each)
        parts.share(each)
        assert repr(each) == repr(before)


def test_statuses_of_containers_and_times_are_of_one_pod() -> None:
    """Only a status that says nothing of these is shared."""
    running = {"phase": "Running"}
    alike = [made("p-0"), made("p-1")]
    timed = [made("p-2"), made("p-3")]
    parts = PodParts()
    for each in alike:
        each.status = msgspec.convert(running, type(each.status))
        parts.share(each)
    for each in timed:
        each.status = msgspec.convert({**running, "startTime": "2026-03-02T11:58:01Z"}, type(each.status))
        parts.share(each)
    assert alike[0].status is alike[1].status
    assert timed[0].status is not timed[1].status


def test_what_is_wrong_with_a_shared_spec_is_said_of_each_pod(tmp_path: Path) -> None:
    """Also where the same spec is sound in a pod that is stored: negative amounts are refused in new ones only."""
    stored, new, other = (pod(name, "j", cpu="-1") for name in ("p-0", "p-1", "p-2"))
    stored["metadata"]["uid"] = "1"
    for each in (new, other):
        each["metadata"].pop("uid", None)
        each.pop("status", None)
    file = tmp_path / "pods.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [stored, new, other]}), encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    assert [each.path for each in caught.value.diagnostics] == [
        f"$.items[{index}].spec.containers[0].resources.requests.cpu" for index in (1, 2)
    ]


def test_what_is_wrong_with_the_status_is_found_though_the_spec_is_known(tmp_path: Path) -> None:
    """A phase that there is none of is refused in the second pod, too."""
    pods = [pod("p-0", "j"), pod("p-1", "j")]
    pods[1]["status"] = {"phase": "Sleeping"}
    file = tmp_path / "pods.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}), encoding="utf-8")
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    assert [each.path for each in caught.value.diagnostics] == ["$.items[1].status.phase"]
