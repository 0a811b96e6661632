"""The pods that ResourceQuotas admit to a namespace."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.snapshot.controllers.objects import (
    Object,
    completed,
    make,
    names,
    notes,
    pod,
    pod_group,
    read,
    task,
    template,
    volcano_job,
)
from vqs.model.awaited import ADMISSION, ORDER, REFUSED, AwaitedPods
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.applied import added
from vqs.snapshot.whatif.edits import Edit, Remove, apply

UID = {"uid": "u-1"}


def quota(used: Object | None = None, *, scopes: Object | None = None, **hard: Any) -> Object:
    """Make a quota of namespace ns; without what is used, it has no status yet. A dot in a name is written ``__``."""
    limits = {name.replace("__", "."): amount for name, amount in hard.items()}
    status = {} if used is None else {"hard": limits, "used": {**dict.fromkeys(limits, "0"), **used}}
    return make("ResourceQuota", "q", metadata={"uid": "q"}, spec={"hard": limits, **(scopes or {})}, status=status)


def seen_job(*tasks: Object, **spec: Any) -> list[Object]:
    """Make a Volcano Job that a cluster has admitted already."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "uid": "u-1"}
    owners = [{**owner, "controller": True}]
    return [
        volcano_job(*tasks, metadata=UID, minAvailable=1, **spec),
        pod_group("train-u-1", metadata={"ownerReferences": owners}),
    ]


def workload(kind: str, **fields: Any) -> Object:
    """Make a workload named web that a cluster has seen."""
    spec = {"selector": {"matchLabels": {"app": "web"}}, "template": template(schedulerName="volcano"), **fields}
    return make(kind, "web", "batch/v1" if kind == "Job" else "apps/v1", metadata=UID, spec=spec)


def plain(written: Object) -> Manifests:
    """Read an object as a file that is written by hand has it."""
    return read_manifests(["-"], stdin=io.BytesIO(json.dumps(written).encode()))


def awaited(made: Manifests) -> AwaitedPods:
    """Return the only pods that are still to come."""
    [pods] = made.awaited.values()
    return pods


def test_pods_beyond_a_quota_are_not_made() -> None:
    """Of the pods of a Job, those are made that fit into the quota; the others say which one refuses them, and why."""
    made = completed(*seen_job(task(replicas=4)), quota({"requests.cpu": "10"}, requests__cpu="12"))

    assert names(made.pods) == ["train-worker-0", "train-worker-1"]
    pods = awaited(made)
    assert [(role.names, role.waits_for) for role in pods.roles] == [(("train-worker-2", "train-worker-3"), REFUSED)]
    assert pods.refusal is not None
    assert (pods.refusal.by, pods.refusal.resource) == ("ResourceQuota ns/q", "requests.cpu")
    assert (pods.refusal.asked, pods.refusal.used, pods.refusal.hard) == ("1", "12", "12")
    assert notes(made)[-1] == (
        "the API server refuses 2 pods of Job ns/train: "
        "ResourceQuota ns/q allows 12 requests.cpu, 12 are in use, and each pod asks for 1"
    )


@pytest.mark.parametrize(
    "made_from",
    [
        workload("ReplicaSet", replicas=3),
        workload("Deployment", replicas=3),
        workload("StatefulSet", replicas=3, podManagementPolicy="Parallel"),
        workload("Job", parallelism=3, completions=3),
        workload("Job", parallelism=3, completions=3, completionMode="Indexed"),
    ],
    ids=lambda made: made["kind"],
)
def test_a_quota_holds_for_all_kinds_of_makers(made_from: Object) -> None:
    """What a controller makes for a workload of Kubernetes has to fit in as well."""
    made = completed(made_from, quota({"pods": "1"}, pods="3"))

    assert len(made.pods) == 2
    assert awaited(made).number_waiting_for(REFUSED) == 1


def test_a_stateful_set_stops_at_the_pod_that_is_refused() -> None:
    """Where pods are made one after another, those after the refused one wait behind it, and are refused too."""
    first = pod("web-0", "Running", workload("StatefulSet"))
    made = completed(workload("StatefulSet", replicas=4), first, quota({"pods": "1"}, pods="2"))

    assert names(made.pods) == ["web-0", "web-1"]
    assert awaited(made).number_waiting_for(REFUSED) == 2


def test_pods_that_wait_for_something_else_are_refused_beforehand() -> None:
    """Pods that wait for the admission of their PodGroup are only promised as far as the quota has room for them."""
    job, group = seen_job(task(replicas=3))
    group["status"]["phase"] = "Pending"
    made = completed(job, group, quota({"pods": "2"}, pods="4"))

    assert made.pods == []
    assert [(len(role.names), role.waits_for) for role in awaited(made).roles] == [(2, ADMISSION), (1, REFUSED)]


def test_an_order_is_not_a_refusal() -> None:
    """Pods of a stateful set that wait for those before them wait for that, where the quota has room."""
    first = pod("web-0", "Pending", workload("StatefulSet"))
    made = completed(workload("StatefulSet", replicas=2), first, quota({"pods": "1"}, pods="2"))

    assert [role.waits_for for role in awaited(made).roles] == [ORDER]


def test_completing_twice_changes_nothing() -> None:
    """What was refused once is refused again: the pods that were made are counted."""
    once = completed(*seen_job(task(replicas=4)), quota({"pods": "1"}, pods="3"))
    twice = complete(once)

    assert twice.pods == once.pods
    assert twice.awaited == once.awaited


@pytest.mark.parametrize(
    ("hard", "refuses"),
    [
        ({"cpu": "1"}, True),
        ({"requests.cpu": "1"}, True),
        ({"count/pods": "0"}, True),
        ({"pods": "0"}, True),
        ({"requests.nvidia.com/gpu": "1"}, True),
        ({"nvidia.com/gpu": "1"}, False),
        ({"limits.cpu": "3"}, True),
        ({"limits.cpu": "4"}, False),
        ({"requests.amd.com/gpu": "0"}, False),
        ({"count/jobs.batch.volcano.sh": "0"}, False),
        ({"services": "0"}, False),
        ({"limits.memory": "1Gi"}, True),
    ],
)
def test_each_resource_is_counted_as_kubernetes_does(hard: dict[str, Any], refuses: bool) -> None:
    """A pod is refused for what a quota counts of it, under the name that the quota gives it."""
    made_from = task(replicas=1)
    resources = {"requests": {"cpu": "2", "nvidia.com/gpu": "2"}, "limits": {"cpu": "4", "nvidia.com/gpu": "2"}}
    made_from["template"]["spec"]["containers"][0]["resources"] = resources
    made = completed(*seen_job(made_from), quota({}, **{name.replace(".", "__"): each for name, each in hard.items()}))

    assert bool(made.pods) is not refuses


def test_a_container_has_to_say_what_is_limited() -> None:
    """Where a quota limits memory, a pod that does not ask for any is refused, and told so."""
    made = completed(*seen_job(task(replicas=1)), quota({}, requests__memory="1Gi"))

    assert made.pods == []
    assert notes(made)[-1].endswith(
        "ResourceQuota ns/q allows 1Gi requests.memory, and a container does not say how much of it it asks for"
    )


@pytest.mark.parametrize(
    ("scope", "spec", "refuses"),
    [
        ({"scopes": ["BestEffort"]}, {}, False),
        ({"scopes": ["NotBestEffort"]}, {}, True),
        ({"scopes": ["Terminating"]}, {}, False),
        ({"scopes": ["Terminating"]}, {"activeDeadlineSeconds": 60}, True),
        ({"scopes": ["NotTerminating"]}, {"activeDeadlineSeconds": 60}, False),
        ({"scopes": ["PriorityClass"]}, {}, False),
        ({"scopes": ["PriorityClass"]}, {"priorityClassName": "gold"}, True),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {}, False),
        ({"in": ["gold"]}, {"priorityClassName": "gold"}, True),
        ({"in": ["gold"]}, {"priorityClassName": "tin"}, False),
        ({"notIn": ["gold"]}, {"priorityClassName": "tin"}, True),
        ({"doesNotExist": []}, {}, True),
    ],
)
def test_a_quota_counts_the_pods_of_its_scopes(scope: Object, spec: Object, refuses: bool) -> None:
    """A pod outside a scope of a quota is no matter of it."""
    if "scopes" not in scope:
        [(operator, values)] = scope.items()
        written = {"scopeName": "PriorityClass", "operator": operator[0].upper() + operator[1:], "values": values}
        scope = {"scopeSelector": {"matchExpressions": [written]}}
    made = completed(*seen_job(task(replicas=1, pod=spec)), quota({}, scopes=scope, pods="0"))

    assert bool(made.pods) is not refuses


def test_a_quota_of_another_namespace_is_no_matter() -> None:
    """Pods count where they are."""
    other = quota({}, pods="0")
    other["metadata"]["namespace"] = "elsewhere"

    assert len(completed(*seen_job(task(replicas=2)), other).pods) == 2


def test_the_status_follows_the_spec() -> None:
    """Its controller copies spec.hard to status.hard, and counts what was not limited before."""
    changed = quota({"pods": "7"}, pods="9")
    changed["spec"]["hard"] = {"pods": "8", "requests.cpu": "5"}
    made = completed(changed, pod("a"), pod("b", "Succeeded"))

    [kept] = made.resource_quotas
    assert kept.status.hard == {"pods": "8", "requests.cpu": "5"}
    assert kept.status.used == {"pods": "7", "requests.cpu": "1"}


def test_a_new_pod_has_to_fit_in() -> None:
    """A pod that is added to a cluster by itself is refused as well; one that is there stays, whatever the quota."""
    given = added(read(pod("there", uid="u-2"), quota({"pods": "4"}, pods="4")), plain({**pod("new"), "status": {}}))
    made = complete(given)

    assert names(made.pods) == ["there"]
    assert notes(made)[-1].startswith("the API server refuses Pod ns/new: ResourceQuota ns/q allows 4 pods")


@pytest.mark.parametrize(
    ("made_from", "resource"),
    [
        (workload("ReplicaSet", replicas=1), "replicasets.apps"),
        (workload("Deployment", replicas=1), "deployments.apps"),
        (workload("Deployment", replicas=1), "replicasets.apps"),
        (workload("StatefulSet", replicas=1), "statefulsets.apps"),
        (workload("Job"), "jobs.batch"),
        (volcano_job(task()), "jobs.batch.volcano.sh"),
    ],
)
def test_objects_are_counted_too(made_from: Object, resource: str) -> None:
    """Of a kind that a quota counts, no more are created; what a cluster has already stays."""
    fresh = {**made_from, "metadata": {"name": made_from["metadata"]["name"], "namespace": "ns"}}
    fresh.pop("status", None)
    hard: dict[str, Any] = {f"count/{resource}".replace(".", "__"): "2"}
    there = read(quota({f"count/{resource}": "2"}, **hard))
    made = complete(added(there, plain(fresh)))

    assert made.pods == []
    assert notes(made)[-1].endswith(f"ResourceQuota ns/q allows 2 count/{resource}, and 2 are in use")
    assert complete(plain(fresh)).pods != []


def test_what_a_deleted_pod_used_is_free() -> None:
    """A deleted pod is taken off the quota that counted it; one that had ended was not counted."""
    request = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], "nodeName": "n"}
    pods = [make("Pod", name, metadata={"uid": name}, spec=request) for name in ("a", "b")]
    counted = quota({"requests.cpu": "5", "pods": "2"}, requests__cpu="6", pods="9")
    gone: list[Edit] = [Remove("pod", "ns", "a")]
    [left] = apply(read(counted, *pods), gone).resource_quotas
    assert left.status.used == {"requests.cpu": "4", "pods": "1"}
    ended = read(counted, {**pods[0], "status": {"phase": "Succeeded"}})
    assert apply(ended, gone).resource_quotas == ended.resource_quotas


def limits(kind: str = "Container", **item: Any) -> Object:
    """Make a LimitRange of namespace ns."""
    return make("LimitRange", "l", metadata={"uid": "l"}, spec={"limits": [{"type": kind, **item}]})


def asking(resources: Object) -> list[Object]:
    """Make a Job of one pod with two containers that ask for some resources each."""
    made = task(replicas=1)
    made["template"]["spec"]["containers"] = [{"name": name, "resources": resources} for name in "ab"]
    return seen_job(made)


@pytest.mark.parametrize(
    ("resources", "limit", "said"),
    [
        ({"requests": {"cpu": "1"}}, limits(min={"cpu": "2"}), "each container has to request at least 2 cpu"),
        ({"requests": {"cpu": "2"}}, limits(min={"cpu": "2"}), ""),
        ({"limits": {"cpu": "4"}}, limits(max={"cpu": "2"}), "the limit of each container has to be at most 2 cpu"),
        ({"limits": {"cpu": "2"}}, limits(max={"cpu": "2"}), ""),
        ({"requests": {"cpu": "3"}}, limits(max={"cpu": "2"}), "each container has to request at most 2 cpu"),
        ({"limits": {"cpu": "4"}}, limits("Pod", max={"cpu": "6"}), "the limit of each pod has to be at most 6 cpu"),
        ({"requests": {"cpu": "1"}}, limits("Pod", max={"cpu": "6"}), "here it is not given"),
        ({"requests": {"cpu": "1"}}, limits("Pod", min={"cpu": "3"}), "each pod has to request at least 3 cpu"),
        (
            {"requests": {"cpu": "3", "memory": "4Gi"}},
            limits(max={"cpu": "2", "memory": "1Gi"}),
            "each container has to request at most 2 cpu and 1Gi memory, and here it is 3 and 4Gi",
        ),
        (
            {"requests": {"cpu": "2"}},
            limits(max={"cpu": "4"}, default={"cpu": "1"}),
            "each container without a limit has to request at most 1 cpu, and here it is 2",
        ),
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}, limits(default={"cpu": "1"}), ""),
        # A request above a limit that the pod has itself is its own mistake, with or without a LimitRange.
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}, limits(default={"cpu": "1"}), ""),
        ({"requests": {"cpu": "1"}}, limits("PersistentVolumeClaim", min={"storage": "1Gi"}), ""),
    ],
)
def test_pods_outside_the_range_are_not_made(resources: Object, limit: Object, said: str) -> None:
    """A pod that asks for less than the least or more than the most is refused, and told why."""
    made = completed(*asking(resources), limit)

    assert len(made.pods) == (0 if said else 1)
    assert (said in notes(made)[-1]) or not said


def test_what_is_not_said_is_filled_in() -> None:
    """A container gets the defaults for what it does not ask for, and keeps what it asks for."""
    made = completed(
        *asking({"requests": {"cpu": "1"}}), limits(default={"memory": "2Gi"}, defaultRequest={"cpu": "5"})
    )

    [pod] = made.pods
    assert pod.spec.containers[0].resources.requests == {"cpu": "1", "memory": "2Gi"}
    assert pod.spec.containers[0].resources.limits == {"memory": "2Gi"}


def test_another_namespace_has_its_own_limits() -> None:
    """Pods are measured where they are."""
    other = limits(min={"cpu": "9"})
    other["metadata"]["namespace"] = "elsewhere"

    assert len(completed(*asking({"requests": {"cpu": "1"}}), other).pods) == 1
