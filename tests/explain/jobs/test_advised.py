"""What maintainers of Volcano advised in public reports of jobs that wait is among the fixes.

Each case has the number of the report, a small cluster with the same trouble, and the change that was advised.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, gang, group, manifests, node, pod, queue
from tests.explain.jobs.searching import find_remedies
from vqs.explain.simulate import SimulateOptions

GPU = "nvidia.com/gpu"
NO_DRF = CONF.replace("  - name: drf\n", "")
HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "small", "namespace": "ns"},
    "spec": {"hard": {"requests.cpu": "3"}},
    "status": {"hard": {"requests.cpu": "3"}, "used": {"requests.cpu": "2"}},
}
SPARES_NONE = CONF.replace("name: gang", "name: gang\n    enablePreemptable: false")
SPARES_NONE = SPARES_NONE.replace("name: drf", "name: drf\n    enablePreemptable: false")
WITH_QUOTAS = CONF.replace("name: gang", "name: gang\n  - name: resourcequota")


def acting(action: str, conf: str = CONF) -> str:
    """Return a configuration with an action behind allocate."""
    return conf.replace("enqueue, allocate,", f"enqueue, allocate, {action},")


def capacity(conf: str = CONF) -> str:
    """Return a configuration with the plugin capacity."""
    return conf.replace("proportion", "capacity")


def running(name: str, pods: int, cpu: int = 1, minimum: int = 0, **more: Any) -> list[Any]:
    """Make a job that runs on node n."""
    made = group(name, minimum or pods, "Running", queue=more.pop("queue", "default"))
    return [made, *(pod(f"{name}-{number}", name, cpu, node="n", **more) for number in range(pods))]


def selecting(pods: int, **labels: str) -> list[Any]:
    """Make a job whose pods select nodes."""
    made, *members = gang("job", pods, cpu=2)
    for each in members:
        each["spec"]["nodeSelector"] = labels
    return [made, *members]


CASES: dict[int, tuple[str, list[Any], str]] = {
    4535: (
        "enableReclaimable",
        [
            node("n", cpu=20),
            *(queue(name, deserved={"cpu": 10}) for name in "ab"),
            *running("j", 12, queue="a"),
            *running("k", 8, queue="b"),
            *gang("job", 2, queue="b"),
        ],
        acting("reclaim", capacity(NO_DRF)),
    ),
    3332: (
        "enablePreemptable",
        [node("n", cpu=4), HIGH, *running("low", 4), *gang("job", 4, created=1, priorityClassName="high")],
        acting("preempt"),
    ),
    5925: (
        "actions: preempt",
        [node("n", cpu=4), HIGH, *running("low", 1, 4), *gang("job", 1, cpu=4, created=1, priorityClassName="high")],
        SPARES_NONE,
    ),
    3910: (
        "actions: allocate, backfill",
        [
            node("n", cpu=10),
            queue("b"),
            group("other", 1, "Inqueue", queue="b", minResources={"cpu": 100}),
            *gang("job", 1, phase="Pending", minResources={"cpu": 1}),
        ],
        CONF,
    ),
    569: (
        "overcommit-factor",
        [
            node("n", cpu=8),
            queue("b"),
            *running("j", 7, minimum=1),
            *gang("job", 4, 1, queue="b", phase="Pending", minResources={"cpu": 4}),
        ],
        acting("reclaim"),
    ),
    3842: (
        "overcommit-factor",
        [
            node("n", cpu=5),
            queue("a", deserved={"cpu": 2}),
            queue("b", deserved={"cpu": 3}),
            *running("j", 5, minimum=2, queue="a"),
            *gang("job", 2, queue="b", phase="Pending", minResources={"cpu": 2}),
        ],
        acting("reclaim", capacity()),
    ),
    1331: (
        "capability",
        [
            node("n", cpu=32, gpu=8),
            queue("a", capability={"cpu": 8, GPU: 3}),
            *gang("job", 1, requests={GPU: 5}, queue="a"),
        ],
        CONF,
    ),
    1295: ("requests", [node("n", cpu=72), *gang("job", 1, cpu=73)], CONF),
    3173: ("state", [node("n"), queue("a", state="Closed"), *gang("job", 1, queue="a")], CONF),
    1083: (
        "weight",
        [
            node("n", cpu=8),
            queue("a"),
            queue("b", weight=7),
            *gang("other", 8, 1, queue="b"),
            *running("j", 2, queue="a"),
            *gang("job", 1, cpu=2, queue="a", created=1),
        ],
        CONF,
    ),
    2384: ("requests", [node("n", cpu=8), *running("one", 1, 5), *gang("job", 1, cpu=4)], CONF),
    1272: (
        "actions: backfill",
        [node("n"), group("job", 1), pod("job-0", "job", best_effort=True)],
        CONF.replace(", backfill", ""),
    ),
    2838: (
        "nodeSelector",
        [
            node("n", cpu=2, labels={"pool": "drivers"}),
            node("m", cpu=8),
            *running("j", 1, 2),
            *selecting(2, pool="drivers"),
        ],
        CONF,
    ),
    3990: (
        "deserved",
        [
            node("n", cpu=10),
            queue("a", deserved={"cpu": 2}),
            queue("b", deserved={"cpu": 2}),
            *running("j", 10, minimum=1, queue="a"),
            *gang("job", 8, queue="b"),
        ],
        acting("reclaim", capacity()).replace("  - name: overcommit\n", ""),
    ),
    4492: (
        "hard",
        [node("n"), QUOTA, *gang("job", 2, phase="Pending", minResources={"requests.cpu": 2})],
        WITH_QUOTAS,
    ),
    2340: (
        "actions: reclaim",
        [
            node("n", cpu=6),
            queue("default"),
            queue("test", weight=5),
            *running("one", 5, minimum=1),
            *running("two", 1),
            *gang("job", 5, 1, queue="test"),
        ],
        CONF,
    ),
    2814: (
        "actions: allocate, backfill",
        [
            *(node(name, gpu=1) for name in "mn"),
            group("big", 1, "Inqueue", minResources={GPU: 2}),
            pod("big-0", "big", 1, requests={GPU: 2}),
            *gang("job", 1, requests={GPU: 1}, phase="Pending", minResources={GPU: 1}),
        ],
        CONF,
    ),
}
"""By the number of the report: the parameter, and what it becomes; reports 195 and 4739 are tested elsewhere."""


@pytest.mark.parametrize("number", CASES)
def test_what_was_advised(number: int) -> None:
    """The change that was advised is found, and proven."""
    advised, objects, conf = CASES[number]
    found = find_remedies(manifests(objects, conf), SimulateOptions(), "ns/job")
    wanted, _, value = advised.partition(": ")
    assert any(wanted in each.parameter and value in str(each.to) for each in found.fixes)
