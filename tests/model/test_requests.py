"""What a pod asks for is counted as Volcano and as Kubernetes' scorers do."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from vqs.model.kubernetes import Pod
from vqs.model.requests import (
    DEFAULT_MEMORY,
    DEFAULT_MILLI_CPU,
    RequestTable,
    is_guaranteed,
    pod_requests,
    volcano_request,
)
from vqs.model.resource import Resource
from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

GI = 2**30


def pod(**spec: Any) -> Pod:
    """Make a pod of a spec and perhaps a status."""
    status = spec.pop("status", {})
    return msgspec.convert({"spec": spec, "status": status}, Pod)


def container(name: str = "c", **requests: str) -> dict[str, Any]:
    """Make a container that requests something."""
    return {"name": name, "resources": {"requests": requests}}


def test_containers_add_up() -> None:
    """Containers run side by side, and every pod is one pod."""
    assert volcano_request(pod(containers=[container(cpu="1"), container(cpu="500m", memory="1Gi")])) == Resource(
        1500, GI, {"pods": 1}
    )


def test_init_containers_run_before_and_one_by_one() -> None:
    """The larger of starting and running counts, in each resource by itself."""
    made = pod(
        containers=[container(cpu="2", memory="1Gi")],
        initContainers=[container(cpu="1", memory="3Gi"), container(cpu="1", memory="2Gi")],
    )
    assert volcano_request(made) == Resource(2000, 3 * GI, {"pods": 1})


def test_a_sidecar_runs_on() -> None:
    """A sidecar counts while the pod runs, and beside every init container after it."""
    made = pod(
        containers=[container(cpu="1")],
        initContainers=[{**container(cpu="2"), "restartPolicy": "Always"}, container(cpu="5")],
    )
    assert volcano_request(made) == Resource(7000, 0, {"pods": 1})


def test_a_limit_without_a_request_is_one() -> None:
    """What a manifest limits and does not request, the API server takes to be requested."""
    resources = {"requests": {"cpu": "1"}, "limits": {"cpu": "4", "memory": "1Gi"}}
    assert volcano_request(pod(containers=[{"name": "c", "resources": resources}])) == Resource(1000, GI, {"pods": 1})


def test_overhead_counts() -> None:
    """What the runtime needs for the pod itself is part of its request, but not of its start."""
    made = pod(containers=[container(cpu="1")], overhead={"cpu": "250m"}, initContainers=[container(cpu="1200m")])
    assert volcano_request(made).milli_cpu == 1250


def test_a_container_that_is_being_resized_counts_at_its_largest() -> None:
    """Until a resize is done, the largest of wanted, actual and allocated is held."""
    status = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}
    assert volcano_request(pod(containers=[container(cpu="1")], status=status)).milli_cpu == 3000


def test_a_resize_that_cannot_be_done_counts_as_it_is() -> None:
    """Where the node cannot give what is wanted, only what the container has counts."""
    status = {
        "containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
        "conditions": [{"type": "PodResizePending", "reason": "Infeasible"}],
    }
    assert volcano_request(pod(containers=[container(cpu="8")], status=status)).milli_cpu == 1000


def test_scorers_give_a_default_to_each_container_without_a_request() -> None:
    """An explicit zero is a request; nothing is not."""
    counted = pod_requests(pod(containers=[container(cpu="1"), container(memory="0")]))
    assert counted.nonzero == (1000 + DEFAULT_MILLI_CPU, DEFAULT_MEMORY)
    assert counted.scoring_nonzero == (1000 + DEFAULT_MILLI_CPU, DEFAULT_MEMORY)
    assert counted.scoring == {"cpu": 1000, "memory": 0}


def test_quantities_are_summed_before_they_are_rounded() -> None:
    """Two halves of a millicore are one for Kubernetes, and two for Volcano, which rounds each container up."""
    counted = pod_requests(pod(containers=[container(cpu="0.0005"), container(cpu="0.0005")]))
    assert counted.requested["cpu"] == 1
    assert counted.resource.milli_cpu == 2


def test_requests_of_the_whole_pod_are_seen_on_the_node_only() -> None:
    """Requests set for a pod as a whole count on its node, not in Volcano's account nor for an incoming pod's score."""
    counted = pod_requests(pod(containers=[container(cpu="1")], resources={"requests": {"cpu": "4"}}))
    assert counted.requested["cpu"] == 4000
    assert counted.resource.milli_cpu == 1000
    assert counted.scoring["cpu"] == 1000


def test_equal_requests_share_an_entry() -> None:
    """Pods that ask for the same are one entry of the table."""
    table = RequestTable()
    numbers = [table.number(pod(containers=[container(cpu=cpu)])) for cpu in ("1", "2", "1")]
    assert numbers == [0, 1, 0]


def test_requests_that_no_pod_has_are_forgotten() -> None:
    """Their numbers go to the next new requests; all others stay as they are."""
    table = RequestTable()
    one, two, three = (pod(containers=[container(cpu=cpu)]) for cpu in ("1", "2", "3"))
    table.number(one), table.number(two)
    table.keep_only({1})
    assert [entry.resource.milli_cpu for entry in table.entries] == [0, 2000]
    assert [table.number(each) for each in (two, three, one)] == [1, 0, 2]
    assert [entry.resource.milli_cpu for entry in table.entries] == [3000, 2000, 1000]


@pytest.mark.parametrize("volumes", [{}, {"attachable-volumes-csi-x": 2}])
def test_volumes_are_a_resource_of_volcano_alone(volumes: dict[str, int]) -> None:
    """Attached volumes are counted by Volcano, not by Kubernetes' scorers."""
    counted = pod_requests(pod(containers=[container(cpu="1")]), volumes)
    assert counted.resource.scalars == {"pods": 1, **volumes}
    assert "attachable-volumes-csi-x" not in counted.requested


def test_a_table_may_count_pods_as_old_releases_do() -> None:
    """Without what a resized pod has, and without requests of the whole pod."""
    status = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "3"}}}]}
    resized = pod(containers=[container(cpu="1")], status=status)
    whole = pod(containers=[container(cpu="1")], resources={"requests": {"cpu": "5"}})
    for table, amounts in (
        (RequestTable(), (3000, 5000)),
        (RequestTable(profile_of(Build(Release.V1_13)).pods), (1000, 1000)),
    ):
        entries = [table.entries[table.number(each)] for each in (resized, whole)]
        assert (entries[0].resource.milli_cpu, entries[1].requested["cpu"]) == amounts


BOTH = {"cpu": "1", "memory": "1Gi"}


def limited(requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    """Make a container with limits."""
    return {"resources": {"requests": requests, "limits": limits}}


def read(spec: dict[str, Any], status: dict[str, Any] | None = None) -> Pod:
    """Make a pod."""
    return msgspec.convert({"spec": spec, "status": status or {}}, Pod)


@pytest.mark.parametrize(
    ("containers", "guaranteed"),
    [
        ([limited(BOTH, BOTH)], True),
        ([limited({"cpu": "1000m", "memory": "1024Mi"}, BOTH)], True),
        ([limited({}, BOTH)], True),
        ([limited({**BOTH, "nvidia.com/gpu": "1"}, BOTH)], True),
        ([limited(BOTH, {})], False),
        ([limited({"cpu": "1"}, {"cpu": "1"})], False),
        ([limited({"cpu": "500m", "memory": "1Gi"}, BOTH)], False),
        ([limited({"cpu": "0", "memory": "1Gi"}, {"cpu": "0", "memory": "1Gi"})], False),
        ([limited(BOTH, BOTH), limited({}, {})], False),
        ([], False),
    ],
)
def test_by_containers(containers: list[dict[str, Any]], guaranteed: bool) -> None:
    """All containers need limits for cpu and memory, and requests, which are the limits if not given, equal to them."""
    assert is_guaranteed(read({"containers": containers})) is guaranteed


def test_init_containers_count() -> None:
    """One init container without limits is enough for a pod not to be Guaranteed."""
    assert not is_guaranteed(read({"containers": [limited(BOTH, BOTH)], "initContainers": [limited({}, {})]}))


def test_by_the_resources_of_the_pod() -> None:
    """Where the pod itself has resources, those of its containers do not count."""
    assert is_guaranteed(read({"containers": [limited({}, {})], "resources": {"limits": BOTH}}))
    assert not is_guaranteed(read({"containers": [limited(BOTH, BOTH)], "resources": {"requests": BOTH}}))


@pytest.mark.parametrize("qos", ["Guaranteed", "Burstable"])
def test_the_status_goes_first(qos: str) -> None:
    """What the status says counts, whatever the containers are."""
    pod = read({"containers": [limited(BOTH, BOTH if qos == "Burstable" else {})]}, {"qosClass": qos})
    assert is_guaranteed(pod) is (qos == "Guaranteed")
