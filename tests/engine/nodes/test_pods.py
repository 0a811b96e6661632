"""Which pods are where: kinds of pods, tallies, and what pods say about each other."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.build import CONF, Object, group, node, open_session, pod, queue
from vqs.engine.nodes.pods import (
    NO_TERMS,
    Owners,
    PodKind,
    PodLedger,
    PodTerm,
    Relations,
    Surroundings,
    host_ports,
    pod_terms,
)
from vqs.model.job import TaskStatus
from vqs.model.kubernetes import (
    Affinity,
    Container,
    ContainerPort,
    LabelSelector,
    Namespace,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodAffinity,
    PodAffinityTerm,
    PodSpec,
    ReplicaSet,
    ReplicationController,
    ReplicationControllerSpec,
    Service,
    ServiceSpec,
    StatefulSet,
    TopologySpreadConstraint,
    WorkloadSpec,
)
from vqs.model.selectors import EVERYTHING, Selector, equal_to

NO_OWNERS = Owners([], [], [])


def a_pod(namespace: str = "ns", spec: PodSpec | None = None, **labels: str) -> Pod:
    """Make a pod with labels."""
    return Pod(ObjectMeta(name="p", namespace=namespace, labels=labels), spec or PodSpec())


def about(key: str, **labels: str) -> PodAffinityTerm:
    """Make a pod affinity term about pods with some labels."""
    return PodAffinityTerm(label_selector=LabelSelector(labels), topology_key=key)


def far_from(**labels: str) -> PodSpec:
    """Make the spec of a pod that wants to be far from others."""
    return PodSpec(affinity=Affinity(pod_anti_affinity=PodAffinity([about("zone", **labels)])))


def ledger_of(*pods: Pod, width: int = 3) -> PodLedger:
    """Make an empty ledger for a session with some pods."""
    return PodLedger(Relations(pods, {}, NO_OWNERS), width)


# --- ports ------------------------------------------------------------------------------------------------------------


def test_only_host_ports_of_containers_that_stay_count() -> None:
    """Container ports and the ports of init containers that end are free for others."""
    port = ContainerPort(80, 8080)
    spec = PodSpec(
        containers=[Container(ports=[ContainerPort(81), ContainerPort(82, 8082, "10.0.0.1", "UDP")])],
        init_containers=[Container(ports=[ContainerPort(1, 1)]), Container(ports=[port], restart_policy="Always")],
    )
    assert host_ports(spec) == (("0.0.0.0", "TCP", 8080), ("10.0.0.1", "UDP", 8082))  # noqa: S104


# --- terms ------------------------------------------------------------------------------------------------------------


def test_a_term_is_about_the_own_namespace_by_default() -> None:
    """Where a term names neither namespaces nor a selector of them, it means the namespace of its pod."""
    term = pod_terms(Affinity(pod_affinity=PodAffinity([about("zone", app="a")])), "ns").affinity[0]
    assert term.selects("ns", {}, {"app": "a"})
    assert not term.selects("other", {}, {"app": "a"})
    assert not term.selects("ns", {}, {"app": "b"})


def test_an_incoming_pods_namespace_selector_is_looked_up() -> None:
    """The selected namespaces are named, and a selector that only excludes selects all others as well."""
    namespaces = {name: Namespace(ObjectMeta(name=name, labels={"team": name})) for name in ("red", "blue")}
    red = PodTerm("zone", frozenset(), Selector(equal_to({"team": "red"})), EVERYTHING).resolved(namespaces)
    assert red.namespaces == {"red"}
    assert not red.selects("blue", {}, {})
    given_to_all = PodTerm("zone", frozenset(), EVERYTHING, EVERYTHING)
    assert given_to_all.resolved(namespaces) is given_to_all
    assert given_to_all.selects("unknown", {}, {})


def test_empty_affinities_are_declared_all_the_same() -> None:
    """A pod with an empty list of affinities is one of the pods with affinities."""
    assert pod_terms(Affinity(pod_affinity=PodAffinity()), "ns").declared
    assert pod_terms(Affinity(), "ns") is NO_TERMS


# --- relations --------------------------------------------------------------------------------------------------------


def test_without_rules_it_does_not_matter_which_pods_are_where() -> None:
    """Pods without rules about others are all alike."""
    relations = Relations([a_pod(app="a")], {}, NO_OWNERS)
    assert not relations.active
    assert relations.signature(a_pod(app="a")) is relations.signature(a_pod("other", app="b")) is None


def test_only_labels_that_some_rule_looks_at_tell_pods_apart() -> None:
    """A label of its own does not make a pod a kind of its own."""
    spread = TopologySpreadConstraint(1, "zone", "DoNotSchedule", LabelSelector({"tier": "x"}), match_label_keys=["v"])
    pods = [a_pod(spec=far_from(app="a")), a_pod(spec=PodSpec(topology_spread_constraints=[spread]))]
    relations = Relations(pods, {}, NO_OWNERS)
    assert relations.keys == ("app", "tier", "v")
    assert relations.signature(a_pod(app="a", unique="1")) == relations.signature(a_pod(app="a", unique="2"))
    assert relations.signature(a_pod(app="a", v="1")) != relations.signature(a_pod(app="a", v="2"))
    assert relations.signature(a_pod(app="a")) != relations.signature(a_pod("other", app="a"))


def test_terms_about_a_pod_are_found_by_its_labels() -> None:
    """Terms that name labels are looked up by them, and those that do not are tried each time."""
    excluding = PodAffinityTerm(label_selector=LabelSelector(), topology_key="host")
    anti = Affinity(pod_anti_affinity=PodAffinity([about("zone", app="a"), about("zone", app="b"), excluding]))
    relations = Relations([a_pod(spec=PodSpec(affinity=anti))], {}, NO_OWNERS)
    found = relations.about(a_pod(app="a"), relations.anti_affinity)
    assert sorted(term.topology_key for term in found) == ["host", "zone"]
    assert relations.about(a_pod("other", app="a"), relations.anti_affinity) == []


# --- owners -----------------------------------------------------------------------------------------------------------


def owned(kind: str, api_version: str, **labels: str) -> Pod:
    """Make a pod that a workload controls."""
    owner = OwnerReference(api_version, kind, "w", controller=True)
    return Pod(ObjectMeta(name="p", namespace="ns", labels=labels, owner_references=[owner]))


def test_services_and_workloads_give_the_default_selector() -> None:
    """The labels of all services that select a pod, and those of its workload, must be met by pods spread with it."""
    service = Service(ObjectMeta(name="s", namespace="ns"), ServiceSpec({"app": "a"}))
    meta = ObjectMeta(name="w", namespace="ns")
    replicas = ReplicaSet(meta, WorkloadSpec(LabelSelector({"hash": "1"})))
    pods = [owned("ReplicaSet", "apps/v1", app="a", hash="1"), owned("ReplicaSet", "extensions/v1beta1", app="b")]
    owners = Owners([service], [replicas], pods)
    selector = owners.selector(pods[0])
    assert selector == Selector(equal_to({"app": "a", "hash": "1"}))
    assert owners.selector(a_pod(app="b")).empty
    assert owners.selector(pods[1]).empty
    assert owners.keys() == {"app", "hash"}


def test_every_kind_of_workload_is_known() -> None:
    """Replica sets, stateful sets and replication controllers stand for their pods."""
    meta = ObjectMeta(name="w", namespace="ns")
    stateful = StatefulSet(meta, WorkloadSpec(LabelSelector({"a": "1"})))
    controller = ReplicationController(meta, ReplicationControllerSpec({"b": "2"}))
    kinds = [("StatefulSet", "apps/v1"), ("ReplicationController", "v1"), ("ReplicaSet", "apps/v1")]
    pods = [owned(kind, version) for kind, version in kinds]
    owners = Owners([], [stateful, controller, ReplicaSet(meta)], pods)
    assert owners.selector(pods[0]) == Selector(equal_to({"a": "1"}))
    assert owners.selector(pods[1]) == Selector(equal_to({"b": "2"}))
    assert owners.selector(pods[2]).empty


def test_owners_of_nobody_do_not_matter() -> None:
    """What selects or controls none of the pods in question makes no rule about any."""
    here = ObjectMeta(name="s", namespace="ns")
    unselective = Service(here)
    elsewhere = Service(ObjectMeta(name="s", namespace="kube-system"), ServiceSpec({"app": "a"}))
    stricter = Service(here, ServiceSpec({"app": "a", "tier": "front"}))
    replicas = ReplicaSet(here, WorkloadSpec(LabelSelector({"app": "a"})))
    assert not Owners([unselective, elsewhere, stricter], [replicas], [a_pod(app="a")])


# --- kinds and tallies ------------------------------------------------------------------------------------------------


def is_a(kind: PodKind) -> float:
    """Weigh pods of app a."""
    return 2.0 * (kind.labels.get("app") == "a")


@given(st.integers(0, 10**9))
def test_a_tally_is_right_whenever_it_was_made(seed: int) -> None:
    """A tally made early, late, or of a kind not yet seen sums up the pods that are on the nodes."""
    rnd = random.Random(seed)
    ledger = ledger_of(a_pod(spec=far_from(app="a")))
    early = ledger.tally("early", is_a, [("app", "a")])
    truth = np.zeros(3)
    for _ in range(rnd.randint(0, 12)):
        app, column = rnd.choice("abc"), rnd.randrange(3)
        ledger.add(a_pod(app=app), column, 1)
        truth[column] += 2.0 * (app == "a")
        if rnd.random() < 0.4:
            ledger.add(a_pod(app=app), column, -1)
            truth[column] -= 2.0 * (app == "a")
    late = ledger.tally("late", is_a, None)
    assert early.amounts.tolist() == late.amounts.tolist() == truth.tolist()


def test_a_tally_is_made_once() -> None:
    """The same key gives the same tally."""
    ledger = ledger_of()
    assert ledger.tally("key", is_a, None) is ledger.tally("key", is_a, None)


def test_a_tally_may_count_on_some_nodes_only() -> None:
    """Nodes outside of the mask stay at zero, for pods that are there and pods that come."""
    ledger = ledger_of(a_pod(spec=far_from(app="a")))
    ledger.add(a_pod(app="a"), 0, 1)
    ledger.add(a_pod(app="a"), 1, 1)
    tally = ledger.tally("key", is_a, None, np.array([True, False, True]))
    ledger.add(a_pod(app="a"), 1, 1)
    ledger.add(a_pod(app="a"), 2, 1)
    assert tally.amounts.tolist() == [2.0, 0.0, 2.0]


def test_nodes_with_a_kind_of_pod() -> None:
    """Nodes are found by the kinds of the pods that are on them now."""
    repelling = a_pod(spec=far_from(app="a"))
    ledger = ledger_of(repelling)
    ledger.add(repelling, 0, 1)
    ledger.add(repelling, 1, 1)
    ledger.add(repelling, 1, -1)
    ledger.add(a_pod(app="a"), 2, 1)
    assert ledger.nodes_with(lambda kind: bool(kind.terms.anti_affinity)).tolist() == [True, False, False]


# --- what Kubernetes' plugins see -------------------------------------------------------------------------------------

ANTI: Object = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "a"}}}
        ]
    }
}


def repelling_pods() -> list[Object]:
    """Make a running and a pending pod that want to be far from app a, and a finished one."""
    spec = {"affinity": ANTI}
    return [
        node("n1"),
        node("n2"),
        queue("default"),
        group("j"),
        pod("j-0", "j", node="n1", spec=spec),
        pod("j-1", "j", spec=spec),
        pod("j-2", "j", node="n2", phase="Succeeded", spec=spec),
    ]


def test_lists_of_nodes_are_those_of_the_beginning() -> None:
    """A node whose first pod with affinities came during the session is not in the lists; finished pods have left."""
    session = open_session(repelling_pods())
    surroundings = Surroundings(session)
    task = next(task for job in session.jobs.values() for task in job.having(TaskStatus.Pending).values())
    session.place(task, 1, TaskStatus.Allocated)
    assert surroundings.with_anti_affinity.tolist() == surroundings.with_terms.tolist() == [True, False]
    assert surroundings.ledger.nodes_with(lambda kind: kind.terms.declared).tolist() == [True, True]


def test_without_predicates_nothing_is_brought_up_to_date() -> None:
    """Only the predicates plugin keeps up to date what Kubernetes' plugins see."""
    session = open_session(repelling_pods(), CONF.replace("  - name: predicates\n", ""))
    surroundings = Surroundings(session)
    assert not surroundings.live
    task = next(task for job in session.jobs.values() for task in job.having(TaskStatus.Pending).values())
    session.place(task, 1, TaskStatus.Allocated)
    assert surroundings.ledger.nodes_with(lambda kind: kind.terms.declared).tolist() == [True, False]
