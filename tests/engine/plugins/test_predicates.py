"""predicates: which nodes a pod may go to, and what is said against the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.build import CONF, Object, gang, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework.session import Session
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.table import ALL
from vqs.engine.plugins.predicates import RESOLVABLE
from vqs.engine.plugins.predicates.filters import CACHED
from vqs.model.codes import VerdictCode
from vqs.model.job import Task, TaskStatus

UNSCHEDULABLE = "node(s) were unschedulable"
AFFINITY = "node(s) didn't match Pod's node affinity/selector"
POD_NUMBER = "node(s) pod number exceeded"
PORTS = "node(s) didn't have free ports for the requested pod ports"
FAR = "node(s) didn't match pod anti-affinity rules"
AGAINST = "node(s) didn't satisfy existing pods anti-affinity rules"


def session_with(*objects: Object | list[Object], **arguments: object) -> Session:
    """Open a session on objects, with arguments of predicates."""
    lines = "".join(f"      {key}: {value}\n" for key, value in arguments.items())
    conf = CONF.replace("predicates\n", f"predicates\n    arguments:\n{lines}") if lines else CONF
    return open_session([queue("default"), *objects], conf)


def task_named(session: Session, name: str) -> Task:
    """Return a task of a session."""
    return next(task for job in session.jobs.values() for task in job.tasks.values() if task.name == name)


def reasons(session: Session, name: str = "j-0") -> list[tuple[str, ...]]:
    """Return what the plugin says against each node for a task."""
    (predicate,) = session.node_plugins.predicates
    codes = predicate.codes(session.fit(task_named(session, name)).task_class, ALL)
    return [session.reasons.texts(code) for code in codes.tolist()]


def waiting(**spec: Any) -> list[Object]:
    """Make a job of one pending pod."""
    return [group("j"), pod("j-0", "j", labels={"app": "a"}, spec=spec)]


def taint(key: str, effect: str = "NoSchedule") -> Object:
    """Make a taint."""
    return {"key": key, "value": "v", "effect": effect}


# --- a node's own description -----------------------------------------------------------------------------------------


def test_the_first_stable_reason_ends_the_examination() -> None:
    """Unschedulable comes before node affinity, and that before taints; only the pod number comes on top."""
    nodes = [
        node("n1", pods=0, unschedulable=True, taints=[taint("k")]),
        node("n2", pods=0, taints=[taint("k")]),
        node("n3", labels={"disk": "ssd"}, taints=[taint("k"), taint("l", "NoExecute")]),
        node("n4", labels={"disk": "ssd"}, taints=[taint("k", "PreferNoSchedule")]),
        node("n5", pods=0, labels={"disk": "ssd"}),
    ]
    assert reasons(session_with(nodes, waiting(nodeSelector={"disk": "ssd"}))) == [
        (POD_NUMBER, UNSCHEDULABLE),
        (POD_NUMBER, AFFINITY),
        ("node(s) had untolerated taint {k: v}",),
        (),
        (POD_NUMBER,),
    ]


def test_switches_of_the_stable_filters() -> None:
    """Node affinity and taints can be switched off; the unschedulable mark cannot."""
    nodes = [node("n1", taints=[taint("k")]), node("n2"), node("n3", unschedulable=True)]
    job = waiting(nodeSelector={"disk": "ssd"})
    off = {"predicate.NodeAffinityEnable": "false", "predicate.TaintTolerationEnable": "false"}
    assert reasons(session_with(nodes, job, **off)) == [(), (), (UNSCHEDULABLE,)]


def test_a_pod_on_an_unschedulable_node_must_tolerate_the_mark() -> None:
    """Tolerating the taint that stands for the mark is enough, tainted or not."""
    toleration = {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}
    assert reasons(session_with(node("n1", unschedulable=True), waiting(tolerations=[toleration]))) == [()]


def test_tolerations_that_matter_to_no_node_make_no_class() -> None:
    """Pods that differ in tolerations of taints that no node has are of one class."""
    toleration = {"key": "elsewhere", "operator": "Exists"}
    pods = [pod("j-0", "j"), pod("j-1", "j", spec={"tolerations": [toleration]})]
    session = session_with(node("n1", taints=[taint("k")]), group("j"), pods)
    assert session.fit(task_named(session, "j-0")).task_class is session.fit(task_named(session, "j-1")).task_class


def test_conflicting_node_names_are_refused_before_any_node() -> None:
    """A pod that asks for two different node names in every term fits nowhere, in the scheduler's own words."""
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in ("n1", "n2")]
    required = {"nodeSelectorTerms": [{"matchFields": fields}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    session = session_with(node("n1"), waiting(affinity=affinity))
    text = "plugin NodeAffinity pre-predicates failed pod affinity terms conflict"
    assert session.pre_predicate(task_named(session, "j-0")) == Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=text)
    off = session_with(node("n1"), waiting(affinity=affinity), **{"predicate.NodeAffinityEnable": "false"})
    assert off.pre_predicate(task_named(off, "j-0")) is None


# --- one template, one answer -----------------------------------------------------------------------------------------


def templated(name: str, uid: str, **spec: Any) -> Object:
    """Make a pending pod of a template."""
    return pod(name, "j", annotations={"volcano.sh/template-uid": uid}, spec=spec)


def test_the_first_pod_of_a_template_decides_for_the_others() -> None:
    """With the cache on, a node that was asked says the same of each pod of the template, and not why."""
    pods = [templated("j-0", "t", nodeSelector={"disk": "ssd"}), templated("j-1", "t"), templated("j-2", "u")]
    session = session_with(
        node("n1", pods=0),
        node("n2", labels={"disk": "ssd"}),
        node("n3"),
        group("j"),
        pods,
        **{"predicate.CacheEnable": "true"},
    )
    assert reasons(session, "j-0") == [(POD_NUMBER, AFFINITY), (), (AFFINITY,)]
    session.note_search(task_named(session, "j-0"), np.array([True, True, False]))
    assert reasons(session, "j-0") == [(POD_NUMBER, CACHED), (), (AFFINITY,)]
    assert reasons(session, "j-1") == [(POD_NUMBER, CACHED), (), ()]
    assert reasons(session, "j-2") == [(POD_NUMBER,), (), ()]
    session.note_search(task_named(session, "j-1"), np.ones(3, np.bool_))
    assert reasons(session, "j-0") == [(POD_NUMBER, CACHED), (), ()]


def test_whoever_asks_a_node_first_decides() -> None:
    """Pods of other roles and specs, and those that other actions try, are answered from the cache."""
    pods = [templated("j-0", "t"), templated("j-1", "t", nodeSelector={"disk": "ssd"})]
    pods.append(pod("j-2", "j", annotations={"volcano.sh/template-uid": "t"}, best_effort=True))
    for each in pods:
        each["metadata"]["annotations"]["volcano.sh/task-spec"] = each["metadata"]["name"]
    conf = CONF.replace("predicates\n", "predicates\n    arguments: {predicate.CacheEnable: true}\n")
    session = run([queue("default"), node("n1", unschedulable=True), group("j"), *pods], conf)
    told = {uid: list(errors.reasons) for uid, errors in session.jobs["ns/j"].fit_errors.items()}
    assert told == {"j-0": [UNSCHEDULABLE], "j-1": [CACHED], "j-2": [CACHED]}


def test_without_the_cache_each_pod_is_judged_by_itself() -> None:
    """The cache is off by default."""
    pods = [templated("j-0", "t", nodeSelector={"disk": "ssd"}), templated("j-1", "t")]
    session = session_with(node("n1"), group("j"), pods)
    assert (reasons(session, "j-0"), reasons(session, "j-1")) == ([(AFFINITY,)], [()])


# --- host ports -------------------------------------------------------------------------------------------------------


def with_port(**more: str) -> list[Object]:
    """Make the containers of a pod with a host port."""
    return [{"name": "c", "ports": [{"containerPort": 1, "hostPort": 80, **more}]}]


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        ({}, {}, True),
        ({"protocol": "UDP"}, {}, False),
        ({"hostIP": "10.0.0.1"}, {}, True),
        ({}, {"hostIP": "10.0.0.1"}, True),
        ({"hostIP": "10.0.0.1"}, {"hostIP": "10.0.0.2"}, False),
    ],
)
def test_host_ports(mine: dict[str, str], theirs: dict[str, str], clash: bool) -> None:
    """A port is taken for its protocol, on its address, and all addresses include each."""
    running = [group("r", phase="Running"), pod("r-0", "r", node="n1", spec={"containers": with_port(**theirs)})]
    session = session_with(node("n1"), running, waiting(containers=with_port(**mine)))
    assert reasons(session) == [(PORTS,) if clash else ()]


def test_host_ports_can_be_switched_off() -> None:
    """Then two pods may have the same one."""
    running = [group("r", phase="Running"), pod("r-0", "r", node="n1", spec={"containers": with_port()})]
    job = waiting(containers=with_port())
    assert reasons(session_with(node("n1"), running, job, **{"predicate.NodePortsEnable": "false"})) == [()]


def test_a_port_taken_in_the_session_is_taken_for_the_next() -> None:
    """Of two pods that want the same port, one waits where there is one node, and says why."""
    pods = [pod(f"j-{i}", "j", role="", spec={"containers": with_port()}) for i in range(2)]
    session = run([node("n1"), queue("default"), group("j", 1), pods])
    assert sorted(status for status, _ in placements(session).values()) == ["Binding", "Pending"]
    (errors,) = session.jobs["ns/j"].fit_errors.values()
    assert errors.reasons == {PORTS: 1}


# --- other pods -------------------------------------------------------------------------------------------------------


def terms(kind: str, key: str = "kubernetes.io/hostname", app: str = "a") -> Object:
    """Make a required affinity or anti-affinity to the pods of an app."""
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def alike(number: int, **spec: Any) -> list[Object]:
    """Make a job of equal pending pods of app a."""
    return [group("j", 1), *(pod(f"j-{i}", "j", role="", labels={"app": "a"}, spec=spec) for i in range(number))]


def nodes_used(session: Session) -> list[str]:
    """Return the nodes that were used, one for each pod placed."""
    return sorted(where for _, where in placements(session).values() if where)


def zones(*names: str) -> list[Object]:
    """Make nodes n0, n1, ... in zones."""
    return [node(f"n{i}", labels={"zone": name}) for i, name in enumerate(names)]


def test_pods_that_repel_each_other_take_a_node_each() -> None:
    """Anti-affinity to one's own kind sees the pods placed in the session."""
    session = run([node("n1"), node("n2"), queue("default"), alike(3, affinity=terms("podAntiAffinity"))])
    assert nodes_used(session) == ["n1", "n2"]


def test_pods_that_attract_each_other_share_a_zone() -> None:
    """The first goes anywhere, the others follow it."""
    session = run([*zones("a", "b", "b"), queue("default"), alike(4, affinity=terms("podAffinity", "zone"))])
    assert set(nodes_used(session)) in ({"n0"}, {"n1", "n2"}, {"n1"}, {"n2"})


def test_several_reasons_may_stand_against_a_node() -> None:
    """Ports and anti-affinity do not end the examination; required affinity does."""
    containers = with_port()
    holder = pod("r-0", "r", node="n0", labels={"app": "a"}, spec={"containers": containers})
    spec: Object = {"containers": containers, "affinity": terms("podAntiAffinity")}
    skew = {"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule"}
    session = session_with(
        zones("a"), group("r", phase="Running"), holder, waiting(**spec, topologySpreadConstraints=[skew])
    )
    label = "node(s) didn't match pod topology spread constraints (missing required label)"
    assert reasons(session) == [(PORTS, FAR, label)]
    spec["affinity"] |= terms("podAffinity", app="nobody")
    session = session_with(zones("a"), group("r", phase="Running"), holder, waiting(**spec))
    assert reasons(session) == [(PORTS, "node(s) didn't match pod affinity rules")]


@pytest.mark.parametrize(("running", "seen"), [(True, True), (False, False)])
def test_anti_affinity_of_others_counts_on_nodes_that_had_some(running: bool, seen: bool) -> None:
    """A pod that repels others is heeded only where such a pod was on the node when the session opened."""
    repelling = {"affinity": terms("podAntiAffinity")}
    before = [pod("r-0", "r", node="n1", labels={"app": "x"}, spec={"affinity": terms("podAntiAffinity", app="y")})]
    session = session_with(
        node("n1"),
        group("r", phase="Running"),
        before if running else [],
        pod("r-1", "r", labels={"app": "x"}, spec=repelling),
        waiting(),
    )
    (predicate,) = session.node_plugins.predicates
    assert predicate.volatile(session.fit(task_named(session, "j-0")).task_class) is running
    session.place(task_named(session, "r-1"), 0, TaskStatus.Allocated)
    assert reasons(session) == [(AGAINST,) if seen else ()]


def test_pod_affinity_can_be_switched_off() -> None:
    """Then pods that repel each other may share a node."""
    session = session_with(
        node("n1"),
        group("r", phase="Running"),
        pod("r-0", "r", node="n1", labels={"app": "a"}),
        waiting(affinity=terms("podAntiAffinity")),
        **{"predicate.PodAffinityEnable": "false"},
    )
    assert reasons(session) == [()]
    (predicate,) = session.node_plugins.predicates
    assert not predicate.volatile(session.fit(task_named(session, "j-0")).task_class)


def constraint(**more: Any) -> Object:
    """Make a topology spread constraint over zones for app a."""
    made: Object = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    return {**made, "labelSelector": {"matchLabels": {"app": "a"}}, **more}


def test_pods_spread_over_zones() -> None:
    """Zones differ by one pod at most, however many nodes they have."""
    session = run([*zones("a", "a", "b"), queue("default"), alike(5, topologySpreadConstraints=[constraint()])])
    used = nodes_used(session)
    assert abs(sum(name in ("n0", "n1") for name in used) - used.count("n2")) == 1
    assert len(used) == 5


def test_too_few_domains_count_as_empty_ones() -> None:
    """Where there should be more zones than there are, the smallest number of pods is taken to be 0."""
    session = run([*zones("a", "b"), queue("default"), alike(4, topologySpreadConstraints=[constraint(minDomains=3)])])
    assert nodes_used(session) == ["n0", "n1"]


def test_topology_spread_can_be_switched_off() -> None:
    """Then a node without the label is as good as any."""
    job = waiting(topologySpreadConstraints=[constraint()])
    assert reasons(session_with(node("n1"), job, **{"predicate.PodTopologySpreadEnable": "false"})) == [()]


def test_resolvable_reasons_are_those_that_do_not_end_the_examination() -> None:
    """Evicting pods may help against these, and against no others."""
    skewed, volumes = "node(s) didn't match pod topology spread constraints", "node(s) exceed max volume count"
    assert {POD_NUMBER, PORTS, FAR, AGAINST, skewed, volumes} == RESOLVABLE


# --- volumes ----------------------------------------------------------------------------------------------------------

ZONE = "topology.kubernetes.io/zone"
CLAIMS = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]


def claim(volume: str = "", phase: str = "", storage_class: str | None = None, **metadata: Any) -> Object:
    """Make the claim c."""
    spec: Object = {"volumeName": volume, "accessModes": ["ReadWriteOnce"]}
    if storage_class is not None:
        spec["storageClassName"] = storage_class
    spec["resources"] = {"requests": {"storage": "1Gi"}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "ns", **metadata},
        "spec": spec,
        "status": {"phase": phase or ("Bound" if volume else "Pending")},
    }


def volume(name: str, phase: str = "Bound", affinity: Object | None = None, **labels: str) -> Object:
    """Make a volume, on the nodes of a zone where an affinity is given."""
    spec: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    if affinity is not None:
        expressions = [{"key": key, "operator": "In", "values": [label]} for key, label in affinity.items()]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}
    metadata = {"name": name, "labels": {f"topology.kubernetes.io/{key}": label for key, label in labels.items()}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": metadata,
        "spec": spec,
        "status": {"phase": phase},
    }


def storage_class(name: str, provisioner: str, mode: str = "WaitForFirstConsumer", *allowed: str) -> Object:
    """Make a storage class whose volumes are made in some zones."""
    made: Object = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}}
    made |= {"provisioner": provisioner, "volumeBindingMode": mode}
    if allowed:
        made["allowedTopologies"] = [{"matchLabelExpressions": [{"key": ZONE, "values": list(allowed)}]}]
    return made


def placed_in(*names: str) -> list[Object]:
    """Make nodes n0, n1, ... in zones as Kubernetes labels them; none where the name is empty."""
    return [node(f"n{i}", labels={ZONE: name} if name else {}) for i, name in enumerate(names)]


def test_volumes_are_fine_where_none_were_dumped() -> None:
    """A snapshot without claims says nothing about volumes; that is noted once."""
    session = session_with(node("n1"), waiting(volumes=CLAIMS))
    assert session.pre_predicate(task_named(session, "j-0")) is None
    assert reasons(session) == [()]
    assert [notice.code for notice in session.notices] == ["volumes-unknown"]


def test_a_bound_volume_ties_a_pod_to_its_zone_and_its_nodes() -> None:
    """The zone of a volume binds nodes that have a zone, its node affinity all nodes."""
    bound = [claim("pv"), volume("pv", affinity={ZONE: "a"}, zone="a__b")]
    assert reasons(session_with(placed_in("a", "b", "c", ""), bound, waiting(volumes=CLAIMS))) == [
        (),
        ("node(s) didn't match PersistentVolume's node affinity",),
        ("node(s) had no available volume zone",),
        ("node(s) didn't match PersistentVolume's node affinity",),
    ]


def test_the_checks_of_volumes_can_be_switched_off() -> None:
    """Then a pod goes where its volume is not."""
    off = {"predicate.VolumeZoneEnable": "false", "predicate.VolumeBindingEnable": "false"}
    bound = [claim("pv"), volume("pv", affinity={ZONE: "a"}, zone="a")]
    assert reasons(session_with(placed_in("b"), bound, waiting(volumes=CLAIMS), **off)) == [()]


def test_an_unbound_claim_finds_a_free_volume_or_has_one_made() -> None:
    """A claim that waits for its pod allows nodes with a free volume, and nodes where its class can make one."""
    nothing = ("node(s) didn't find available persistent volumes to bind",)
    free = [volume("free", "Available", {ZONE: "a"}), volume("taken", "Bound", {ZONE: "b"})]
    local = [claim(storage_class="local"), storage_class("local", "kubernetes.io/no-provisioner")]
    nodes = placed_in("a", "b", "c")
    assert reasons(session_with(nodes, *local, *free, waiting(volumes=CLAIMS))) == [(), nothing, nothing]
    made = [claim(storage_class="fast"), storage_class("fast", "csi", "WaitForFirstConsumer", "b", "c")]
    assert reasons(session_with(nodes, *made, waiting(volumes=CLAIMS))) == [nothing, (), ()]
    chosen = claim(storage_class="fast", annotations={"volume.kubernetes.io/selected-node": "n2"})
    assert reasons(session_with(nodes, chosen, made[1], waiting(volumes=CLAIMS))) == [nothing, nothing, ()]


MISSING = 'persistentvolumeclaim "c" not found'


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        ([{**claim("pv"), "metadata": {"name": "d", "namespace": "ns"}}], f"VolumeZone {MISSING}"),
        ([claim()], "VolumeZone PersistentVolumeClaim had no pv name and storageClass name"),
        ([claim("pv"), volume("other")], 'VolumeZone persistentvolume "pv" not found'),
        (
            [claim(storage_class="gone"), storage_class("other", "csi")],
            'VolumeZone storageclass.storage.k8s.io "gone" not found',
        ),
        (
            [claim(storage_class="now"), storage_class("now", "csi", "Immediate")],
            "VolumeZone PersistentVolume had no name",
        ),
        ([claim("pv", "Pending"), volume("pv")], "VolumeBinding pod has unbound immediate PersistentVolumeClaims"),
        (
            [claim("pv", "Lost"), volume("pv")],
            'VolumeBinding persistentvolumeclaim "c" bound to non-existent persistentvolume "pv"',
        ),
        (
            [claim("pv", deletionTimestamp="2026-01-01T00:00:00Z"), volume("pv")],
            'VolumeBinding persistentvolumeclaim "c" is being deleted',
        ),
    ],
)
def test_claims_that_no_node_can_help(objects: Sequence[Object], text: str) -> None:
    """A claim that is missing, unbound or on its way out refuses its pod before any node, in the scheduler's words."""
    session = session_with(node("n1"), *objects, waiting(volumes=CLAIMS))
    plugin, _, message = text.partition(" ")
    text = f"plugin {plugin} pre-predicates failed {message}"
    assert session.pre_predicate(task_named(session, "j-0")) == Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=text)


def test_the_claim_of_a_volume_that_lives_with_its_pod() -> None:
    """Until its controller has made that claim, the pod waits."""
    volumes = [{"name": "v", "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}]
    session = session_with(node("n1"), claim("pv"), volume("pv"), waiting(volumes=volumes))
    text = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "j-0-v"'
    text = f"plugin VolumeBinding pre-predicates failed {text}"
    assert session.pre_predicate(task_named(session, "j-0")) == Refusal(VerdictCode.PRE_PREDICATE_FAILED, text=text)


def test_pods_whose_volumes_are_elsewhere_are_of_other_classes() -> None:
    """Claims tell pods apart by the nodes they allow, not by name."""
    other = {**claim("pv2"), "metadata": {"name": "d", "namespace": "ns"}}
    third = {**claim("pv3"), "metadata": {"name": "e", "namespace": "ns"}}
    volumes = [volume("pv", zone="a"), volume("pv2", zone="b"), volume("pv3", zone="a")]
    pods = [
        pod(f"j-{i}", "j", spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]})
        for i, name in enumerate("cde")
    ]
    session = session_with(placed_in("a", "b"), claim("pv"), other, third, volumes, group("j"), pods)
    first, second, last = (session.fit(task_named(session, f"j-{i}")).task_class for i in range(3))
    assert first is last
    assert first is not second


def test_arguments_of_the_wrong_type_are_noted() -> None:
    """Such an argument keeps its default, and a warning says so."""
    session = session_with(node("n1"), gang("j", 1), **{"predicate.NodePortsEnable": "'no'"})
    assert [notice.code for notice in session.notices] == ["wrong-argument"]
