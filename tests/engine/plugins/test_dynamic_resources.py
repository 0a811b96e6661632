"""Dynamic resources: where pods go whose claims ask for devices, and what is said against the other nodes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import CONF, Object, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework.session import Session
from vqs.model.codes import VerdictCode
from vqs.model.job import Task
from vqs.releases.profile import profile_of
from vqs.releases.release import Build, Release

DRA = CONF.replace(
    "predicates\n", "predicates\n    arguments:\n      predicate.DynamicResourceAllocationEnable: true\n"
)
VERSION = "resource.k8s.io/v1"
GPU: Object = {"apiVersion": VERSION, "kind": "DeviceClass", "metadata": {"name": "gpu"}}
REQUEST = {"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}


def devices(on: str, number: int = 1, **spec: Any) -> Object:
    """Return a slice with some devices of a node."""
    pool = {"name": on, "generation": 1, "resourceSliceCount": 1}
    spec = {"nodeName": on, **spec} if "allNodes" not in spec else spec
    names = [{"name": f"gpu-{at}"} for at in range(number)]
    return {
        "apiVersion": VERSION,
        "kind": "ResourceSlice",
        "metadata": {"name": on},
        "spec": {"driver": "gpu.io", "pool": pool, "devices": names, **spec},
    }


def claim(name: str, *requests: Object, owner: str = "", **status: Any) -> Object:
    """Return a claim, that of a pod where it has an owner."""
    owners = [{"apiVersion": "v1", "kind": "Pod", "name": owner, "uid": f"{owner}-uid", "controller": True}]
    metadata = {"name": name, "namespace": "ns", "uid": f"{name}-uid", "ownerReferences": owners if owner else []}
    spec = {"devices": {"requests": list(requests or (REQUEST,))}}
    return {"apiVersion": VERSION, "kind": "ResourceClaim", "metadata": metadata, "spec": spec, "status": status}


def holding(name: str, on: str, device: str = "gpu-0") -> Object:
    """Return a claim that holds a device of a node, which only that node can use."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [on]}]
    results = [{"request": "r", "driver": "gpu.io", "pool": on, "device": device}]
    selector = {"nodeSelectorTerms": [{"matchFields": fields}]}
    return claim(name, allocation={"devices": {"results": results}, "nodeSelector": selector})


def asking(name: str, of: str, claim_name: str, cpu: int = 1) -> Object:
    """Return a pod with a claim by its name."""
    return pod(name, of, cpu=cpu, spec={"resourceClaims": [{"name": "c", "resourceClaimName": claim_name}]})


def from_template(name: str, of: str, made: str | None = "made") -> Object:
    """Return a pod with a claim from a template, and the name of the claim that was made."""
    made_object = pod(name, of, spec={"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}]})
    made_object["metadata"]["uid"] = f"{name}-uid"
    if made is not None:
        made_object["status"]["resourceClaimStatuses"] = [{"name": "c", "resourceClaimName": made}]
    return made_object


def gang_with_claims(name: str, number: int) -> list[Object]:
    """Return a gang of pods with a claim each."""
    pods = [asking(f"{name}-{at}", name, f"{name}-{at}") for at in range(number)]
    return [group(name, number), *pods, *(claim(f"{name}-{at}") for at in range(number))]


def task_named(session: Session, name: str) -> Task:
    """Return the task of a name."""
    return next(task for job in session.jobs.values() for task in job.tasks.values() if task.name == name)


def reasons(session: Session, name: str) -> dict[str, list[str]]:
    """Return why nodes refuse a task, once its claims were looked at."""
    task = task_named(session, name)
    assert session.pre_predicate(task) is None
    codes = session.fit(task).codes
    return {each: list(session.reasons.texts(int(code))) for each, code in zip(session.nodes.names, codes, strict=True)}


def test_a_gang_gets_the_devices_that_there_are() -> None:
    """Each pod holds its device from then on, so that four fit on two nodes with two devices, and five do not."""
    nodes = [node("n1"), node("n2"), queue("default"), GPU, devices("n1", 2), devices("n2", 2)]
    placed = placements(run([*nodes, *gang_with_claims("j", 4)], DRA))
    assert sorted(on for _, on in placed.values() if on) == ["n1", "n1", "n2", "n2"]
    assert {on for _, on in placements(run([*nodes, *gang_with_claims("j", 5)], DRA)).values()} == {None}


def test_devices_of_a_gang_that_is_rolled_back_are_free_again() -> None:
    """A job that comes later gets them."""
    objects = [
        node("n1"),
        queue("default"),
        GPU,
        devices("n1", 2),
        *gang_with_claims("a", 3),
        *gang_with_claims("b", 2),
    ]
    placed = placements(run(objects, DRA))
    assert [on for _, on in placed.values()] == [None, None, None, "n1", "n1"]


def test_devices_that_claims_hold_are_taken() -> None:
    """A node has one less for each, and is refused where none is left."""
    objects = [node("n1"), node("n2"), GPU, devices("n1"), devices("n2"), holding("held", "n1"), group("j")]
    session = open_session([*objects, asking("j-0", "j", "c"), claim("c")], DRA)
    assert reasons(session, "j-0") == {"n1": ["cannot allocate all claims"], "n2": []}


def test_a_claim_that_holds_devices_goes_where_they_are() -> None:
    """Several pods may share it."""
    objects = [node("n1"), node("n2"), GPU, devices("n1"), devices("n2"), holding("held", "n2"), group("j", 2)]
    objects += [asking("j-0", "j", "held"), asking("j-1", "j", "held")]
    assert reasons(open_session(objects, DRA), "j-0") == {"n1": ["resourceclaim not available on the node"], "n2": []}
    placed = placements(run([*objects, queue("default")], DRA))
    assert [on for _, on in placed.values()] == ["n2", "n2"]


def test_a_claim_that_is_shared_waits_for_its_first_user() -> None:
    """It is bound after the session, so a second pod that names it is refused until then."""
    objects = [node("n1"), queue("default"), GPU, devices("n1", 2), claim("c"), group("j", 1)]
    session = run([*objects, asking("j-0", "j", "c"), asking("j-1", "j", "c")], DRA)
    assert [on for _, on in placements(session).values()] == ["n1", None]
    text = "resource claim ns/c is in the process of being allocated"
    assert text in str(session.jobs["ns/j"].fit_errors)


def test_devices_that_all_nodes_reach() -> None:
    """A pool of the network is shared by all nodes."""
    objects = [node("n1"), node("n2"), queue("default"), GPU, devices("net", 1, allNodes=True)]
    placed = placements(run([*objects, *gang_with_claims("a", 1), *gang_with_claims("b", 1)], DRA))
    assert sorted(str(on) for _, on in placed.values()) in (["None", "n1"], ["None", "n2"])


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        ([asking("j-0", "j", "gone"), claim("c")], 'could not find ResourceClaim "ns/gone"'),
        ([from_template("j-0", "j", None), claim("c")], 'pod "ns/j-0": ResourceClaim not created yet'),
        (
            [from_template("j-0", "j", "made"), claim("made")],
            "ResourceClaim ns/made was not created for pod ns/j-0 (pod is not owner)",
        ),
        (
            [asking("j-0", "j", "c"), claim("c", {"name": "r", "exactly": {"deviceClassName": "tpu"}})],
            "request r: device class tpu does not exist",
        ),
        (
            [asking("j-0", "j", "c"), claim("c", {"name": "r", "firstAvailable": [{"name": "s"}]})],
            "request r/s: unsupported request type",
        ),
        ([asking("j-0", "j", "c"), claim("c", {"name": "r"})], "resource claim ns/c, request r: unknown request type"),
    ],
)
def test_claims_that_no_node_can_help(objects: list[Object], text: str) -> None:
    """A claim that misses or asks for what there is not refuses its pod before any node, in the scheduler's words."""
    session = open_session([node("n1"), GPU, devices("n1"), group("j"), *objects], DRA)
    refusal = session.pre_predicate(task_named(session, "j-0"))
    assert refusal is not None
    assert refusal.code is VerdictCode.PRE_PREDICATE_FAILED
    assert refusal.text == f"plugin DynamicResources pre-predicates failed {text}"


def test_the_owner_of_a_claim_is_named_as_the_built_in_kubernetes_does() -> None:
    """From v1.16 on, it is a Pod, as it may be a PodGroup, too."""
    objects = [node("n1"), GPU, devices("n1"), group("j"), from_template("j-0", "j", "made"), claim("made")]
    session = open_session(objects, DRA, profile=V1_16)
    refusal = session.pre_predicate(task_named(session, "j-0"))
    assert refusal is not None
    assert refusal.text.endswith("ResourceClaim ns/made was not created for Pod ns/j-0 (Pod is not owner)")


def test_a_claim_from_a_template_belongs_to_its_pod() -> None:
    """The status of the pod names it, and the pod owns it."""
    objects = [node("n1"), GPU, devices("n1"), group("j"), from_template("j-0", "j"), claim("made", owner="j-0")]
    assert reasons(open_session(objects, DRA), "j-0") == {"n1": []}


def test_no_devices_are_promised() -> None:
    """Where room is still being released, v1.14.4 reserves devices on no node, which fails."""
    leaving = pod("old", cpu=8, node="n1", deleted=True)
    objects = [node("n1"), queue("default"), GPU, devices("n1"), leaving, claim("c"), group("j")]
    session = run([*objects, asking("j-0", "j", "c", cpu=8)], DRA)
    refusal = session.trace.tasks["j-0"][1]
    assert (refusal.code, refusal.text) == (
        VerdictCode.RESERVE_FAILED,
        "DynamicResources: claim allocation not found for node",
    )


def test_without_the_argument_claims_are_not_looked_at() -> None:
    """The pod is placed, and a warning says that it cannot start."""
    session = open_session([node("n1"), GPU, group("j"), asking("j-0", "j", "c")])
    assert session.pre_predicate(task_named(session, "j-0")) is None
    assert [notice.code for notice in session.notices] == ["devices-ignored"]


@pytest.mark.parametrize(
    ("objects", "kinds"),
    [([], "ResourceClaim"), ([claim("c")], "DeviceClass, ResourceSlice"), ([claim("c"), GPU], "ResourceSlice")],
)
def test_kinds_that_were_not_dumped(objects: list[Object], kinds: str) -> None:
    """Where a kind misses altogether, any node will do, with a warning."""
    session = open_session([node("n1"), group("j"), asking("j-0", "j", "c"), *objects], DRA)
    assert reasons(session, "j-0") == {"n1": []}
    (notice,) = session.notices
    assert notice.code == "devices-unknown"
    assert f"the snapshot has no {kinds}:" in notice.message


def test_a_selector_that_is_not_modelled_is_reported() -> None:
    """It is taken to be true."""
    selectors = [{"cel": {"expression": "'%e'.format([1.5]) != ''"}}]
    request = {"name": "r", "exactly": {"deviceClassName": "gpu", "selectors": selectors}}
    objects = [
        node("n1"),
        queue("default"),
        GPU,
        devices("n1"),
        claim("c", request),
        group("j"),
        asking("j-0", "j", "c"),
    ]
    session = run(objects, DRA)
    assert [on for _, on in placements(session).values()] == ["n1"]
    assert [notice.code for notice in session.notices] == ["selector-not-evaluated"]


def test_errors_name_the_claim_of_each_pod() -> None:
    """Claims of one kind share what is found out, but for errors."""
    selectors = [{"cel": {"expression": 'device.attributes["gpu.io"].nothing'}}]
    request = {"name": "r", "exactly": {"deviceClassName": "gpu", "selectors": selectors}}
    objects = [node("n1"), GPU, devices("n1"), group("j", 2), asking("j-0", "j", "c"), asking("j-1", "j", "d")]
    session = open_session([*objects, claim("c", request), claim("d", request)], DRA)
    for name, own in (("j-0", "c"), ("j-1", "d")):
        text = f"claim ns/{own}: selector #0: CEL runtime error: no such key: nothing"
        assert reasons(session, name) == {"n1": [text]}


# --- what Kubernetes 1.36 does ----------------------------------------------------------------------------------------

V1_16 = profile_of(Build(Release.V1_16))


def partitions(on: str, number: int) -> list[Object]:
    """Return the slices of a GPU of a node that has some partitions and room for two of them at a time."""
    half = {"counterSet": "gpu", "counters": {"memory": {"value": "20Gi"}}}
    made = [{"name": f"part-{at}", "consumesCounters": [half]} for at in range(number)]
    shared = [{"name": "gpu", "counters": {"memory": {"value": "40Gi"}}}]
    pool = {"name": on, "generation": 1, "resourceSliceCount": 2}
    slices = [devices(on, devices=made, pool=pool), devices(on, devices=[], pool=pool, sharedCounters=shared)]
    slices[1]["metadata"] = {"name": f"{on}-counters"}
    return slices


def test_partitions_are_given_as_long_as_what_they_share_suffices() -> None:
    """A gang that gets too few gives them back, and a later one gets them."""
    objects = [node("n1"), queue("default"), GPU, *partitions("n1", 4), *gang_with_claims("a", 3)]
    placed = placements(run([*objects, *gang_with_claims("b", 2)], DRA, profile=V1_16))
    assert [on for _, on in placed.values()] == [None, None, None, "n1", "n1"]
    older = placements(run([*objects, *gang_with_claims("b", 2)], DRA))
    assert {on for _, on in older.values()} == {None}


def test_partitions_that_take_of_what_there_is_not_make_their_pool_invalid() -> None:
    """None of its devices is given."""
    wrong = devices(
        "n1", devices=[{"name": "part", "consumesCounters": [{"counterSet": "gone", "counters": {"x": {}}}]}]
    )
    session = open_session(
        [node("n1"), GPU, wrong, group("j"), asking("j-0", "j", "c"), claim("c")], DRA, profile=V1_16
    )
    assert reasons(session, "j-0") == {"n1": ["invalid resource pools were encountered"]}


@pytest.mark.parametrize(
    ("toleration", "fits"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "sick", "operator": "Exists", "effect": "NoSchedule"}, True),
        ({"key": "sick", "value": "yes"}, True),
        ({"key": "sick", "operator": "Equal"}, False),
        ({"key": "sick", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "old", "operator": "Exists"}, False),
        ({"key": "sick", "operator": "In", "value": "yes"}, False),
    ],
)
def test_a_device_with_a_taint_is_given_to_whom_tolerates_it(toleration: Object, *, fits: bool) -> None:
    """As a node is; what has an effect that is not known keeps nobody away."""
    taints = [{"key": "sick", "value": "yes", "effect": "NoSchedule"}, {"key": "new", "effect": "None"}]
    tainted = devices("n1", devices=[{"name": "gpu-0", "taints": taints}])
    exactly = {**REQUEST["exactly"], "tolerations": [toleration]}  # type: ignore[dict-item]
    wanted = claim("c", {"name": "r", "exactly": exactly})
    session = open_session([node("n1"), GPU, tainted, group("j"), asking("j-0", "j", "c"), wanted], DRA, profile=V1_16)
    assert reasons(session, "j-0") == {"n1": [] if fits else ["cannot allocate all claims"]}


def test_devices_that_claims_could_share_are_named() -> None:
    """Each is given to one claim."""
    shared = devices("n1", devices=[{"name": "gpu-0", "allowMultipleAllocations": True}])
    objects = [node("n1"), queue("default"), GPU, shared, *gang_with_claims("a", 1), *gang_with_claims("b", 1)]
    session = run(objects, DRA, profile=V1_16)
    assert [on for _, on in placements(session).values()] == ["n1", None]
    [notice] = [each for each in session.notices if each.code == "devices-shared"]
    assert notice.message.endswith("each such device is given to one claim: gpu.io/n1/gpu-0")
