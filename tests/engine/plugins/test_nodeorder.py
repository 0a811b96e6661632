"""nodeorder: which of the nodes that a pod may go to is best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.build import CONF, Object, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework.session import Session
from vqs.engine.nodes.table import ALL
from vqs.engine.plugins.nodeorder import normalized, standard_deviation
from vqs.model.job import Task, TaskStatus

NAMES = (
    "leastrequested",
    "mostrequested",
    "balancedresource",
    "nodeaffinity",
    "imagelocality",
    "podaffinity",
    "tainttoleration",
    "podtopologyspread",
)


def conf(predicates: bool = True, **weights: int) -> str:
    """Return a configuration of nodeorder alone, with some scores switched on."""
    lines = "".join(f"      {name}.weight: {weights.get(name, 0)}\n" for name in NAMES)
    others = "  - name: predicates\n" if predicates else ""
    return f'actions: "allocate"\ntiers:\n- plugins:\n{others}  - name: nodeorder\n    arguments:\n{lines}'


def first_pending(session: Session) -> Task:
    """Return a pending task."""
    return next(task for job in session.jobs.values() for task in job.having(TaskStatus.Pending).values())


def scores(session: Session) -> list[float]:
    """Return the score of each node by itself for a pending task."""
    return list(
        session.node_plugins.node_order(session.fit(first_pending(session)).task_class, ALL, len(session.nodes))
    )


def compared(session: Session, *columns: int) -> list[float]:
    """Return the scores that compare some candidates, for a pending task."""
    (batch,) = session.node_plugins.batch_scores
    return list(batch.scores(session.fit(first_pending(session)).task_class, np.array(columns, dtype=np.intp)))


def waiting(**more: Any) -> list[Object]:
    """Make a job of one pending pod."""
    return [queue("default"), group("j"), pod("j-0", "j", **more)]


# --- resources --------------------------------------------------------------------------------------------------------


def test_least_and_most_requested_look_at_cpu_and_memory_alike() -> None:
    """A node of 8 cores and 16Gi with a pod of 1 core and 4Gi: 87 and 75 percent stay free, 12 and 25 are taken."""
    objects = [node("n1", cpu=8, memory="16Gi"), *waiting(cpu=1, memory="4Gi")]
    assert scores(open_session(objects, conf(leastrequested=2))) == [162.0]
    assert scores(open_session(objects, conf(mostrequested=2))) == [36.0]


def test_pods_without_requests_count_a_little() -> None:
    """A container without requests is taken to ask for 100m and 200Mi, running or not."""
    idle = {"containers": [{"name": "c"}]}
    running = [group("r", phase="Running"), pod("r-0", "r", node="n1", spec=idle)]
    objects = [node("n1", cpu=1, memory="2000Mi"), *running, *waiting(spec=idle)]
    assert scores(open_session(objects, conf(leastrequested=1))) == [80.0]


def test_a_resource_a_node_has_none_of_is_left_out() -> None:
    """The mean is taken over what a node has; a node that has nothing gets nothing."""
    nodes = [node("n1", cpu=4, memory="0"), node("n2", cpu=0, memory="0")]
    assert scores(open_session([*nodes, *waiting(cpu=1)], conf(leastrequested=1))) == [75.0, 0.0]
    assert scores(open_session([*nodes, *waiting(cpu=1)], conf(mostrequested=1))) == [25.0, 0.0]


def test_balance_counts_gpus_only_for_pods_that_want_some() -> None:
    """Half of cpu, memory and gpus is perfectly even; for a pod without gpus a busy gpu does not matter."""
    nodes = [node("n1", cpu=2, memory="2Gi", gpu=2), node("n2", cpu=2, memory="2Gi", gpu=8)]
    assert scores(open_session([*nodes, *waiting()], conf(balancedresource=1))) == [100.0, 100.0]
    wanting = waiting(requests={"nvidia.com/gpu": 1})
    assert scores(open_session([*nodes, *wanting], conf(balancedresource=1))) == [100.0, 82.0]


def test_a_pod_that_asks_for_nothing_has_no_balance() -> None:
    """Best-effort pods are scored 0, so that they do not pile up on the most even node."""
    objects = [node("n1"), *waiting(best_effort=True)]
    assert scores(open_session(objects, conf(balancedresource=1))) == [0.0]


def test_the_standard_deviation_of_what_is_given() -> None:
    """Of three parts it is the usual one, of two half their difference, of one nothing."""
    parts = np.array([[0.0, 0.25, 0.5], [0.5, 0.75, 0.5], [1.0, 9.0, 9.0]])
    given = np.array([[True, True, True], [True, True, False], [True, False, False]])
    assert standard_deviation(parts, given).tolist() == pytest.approx([np.sqrt(0.5 / 3), 0.25, 0.0])


@pytest.mark.parametrize(("predicates", "seen"), [(True, 50.0), (False, 75.0)])
def test_only_predicates_keeps_the_account_of_pods(predicates: bool, seen: float) -> None:
    """Without predicates, what is placed in the session does not count for the scores of the next pod."""
    pods = [pod("j-0", "j", memory="4Gi"), pod("j-1", "j", memory="4Gi")]
    session = open_session([node("n1", cpu=4), queue("default"), group("j"), *pods], conf(predicates, leastrequested=1))
    session.place(first_pending(session), 0, TaskStatus.Allocated)
    assert scores(session) == [seen]


# --- what lasts -------------------------------------------------------------------------------------------------------


def test_preferred_node_affinity_is_not_scaled() -> None:
    """The weights that hold are added up as they are, times the score's weight."""
    preference = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    preferred = [{"weight": 30, "preference": preference}]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    objects = [node("n1", labels={"disk": "ssd"}), node("n2"), *waiting(spec={"affinity": affinity})]
    assert scores(open_session(objects, conf(nodeaffinity=2))) == [60.0, 0.0]


def test_images_count_by_size_and_by_how_many_nodes_have_them() -> None:
    """An image of 1000Mi that half of the nodes have counts for 500Mi, of which 23Mi are taken off."""
    having = node("n1")
    having["status"]["images"] = [{"names": ["i:latest"], "sizeBytes": 1000 * 1024 * 1024}]
    objects = [having, node("n2"), *waiting(spec={"containers": [{"name": "c", "image": "i"}]})]
    assert scores(open_session(objects, conf(imagelocality=1))) == [48.0, 0.0]


def test_images_without_a_tag_are_the_latest() -> None:
    """The colon of a registry's port is not that of a tag."""
    assert normalized("r.io:5000/i") == "r.io:5000/i:latest"
    assert normalized("i") == "i:latest"
    assert normalized("r.io:5000/i:1") == "r.io:5000/i:1"


# --- candidates compared ----------------------------------------------------------------------------------------------


def test_a_constant_score_is_known_before_the_candidates() -> None:
    """Without taints that ask to stay away, without preferences and constraints, all nodes get 100 for their taints."""
    session = open_session([node("n1"), *waiting()], CONF)
    (batch,) = session.node_plugins.batch_scores
    assert batch.constant(session.fit(first_pending(session)).task_class) == 300.0


def test_taints_are_compared_among_the_candidates() -> None:
    """The candidate with the most taints gets nothing, and where there are no taints at all everyone gets 100."""
    taints = [{"key": f"k{i}", "effect": "PreferNoSchedule"} for i in range(3)]
    nodes = [node("n0"), node("n1", taints=taints[:1]), node("n2", taints=taints)]
    session = open_session([*nodes, *waiting()], conf(tainttoleration=1))
    assert compared(session, 0, 1, 2) == [100.0, 67.0, 0.0]
    assert compared(session, 0, 1) == [100.0, 0.0]
    assert compared(session, 0) == [100.0]
    (batch,) = session.node_plugins.batch_scores
    assert batch.constant(session.fit(first_pending(session)).task_class) is None


def test_tolerated_taints_are_not_held_against_a_node() -> None:
    """A pod that tolerates them all has a constant score."""
    tainted = node("n1", taints=[{"key": "k", "effect": "PreferNoSchedule"}])
    session = open_session([tainted, *waiting(spec={"tolerations": [{"operator": "Exists"}]})], conf(tainttoleration=1))
    (batch,) = session.node_plugins.batch_scores
    assert batch.constant(session.fit(first_pending(session)).task_class) == 100.0


def test_a_pod_goes_near_to_those_it_likes() -> None:
    """Preferred affinity outweighs an emptier node."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "a"}}}
    affinity = {
        "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}
    }
    objects = [
        node("n1"),
        node("n2"),
        *waiting(spec={"affinity": affinity}),
        group("r", phase="Running"),
        pod("r-0", "r", node="n2", labels={"app": "a"}),
    ]
    assert placements(run(objects, CONF))["j-0"] == ("Binding", "n2")


def test_services_spread_their_pods_over_zones() -> None:
    """Without constraints of its own, a pod that a service selects prefers a zone with fewer pods of the service."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "ns"}}
    objects = [
        *(node(f"n{i}", labels={"topology.kubernetes.io/zone": zone}) for i, zone in enumerate("aab")),
        {**service, "spec": {"selector": {"app": "a"}}},
        *waiting(labels={"app": "a"}),
        group("r", phase="Running"),
        *(pod(f"r-{i}", "r", node="n0", labels={"app": "a"}) for i in range(3)),
    ]
    session = open_session(objects, conf(podtopologyspread=1))
    assert compared(session, 0, 1, 2) == [60.0, 60.0, 100.0]
    assert compared(session, 0, 1) == [100.0, 100.0]


def test_weights_of_the_wrong_type_are_noted() -> None:
    """A weight with a fraction keeps the default, and a warning says so."""
    text = conf(leastrequested=1).replace("leastrequested.weight: 1", "leastrequested.weight: 1.5")
    session = open_session([node("n1"), *waiting()], text)
    assert [notice.code for notice in session.notices] == ["wrong-argument"]
