"""Nodes come for pods that are unschedulable and go where they are unneeded, as cluster-autoscaler's FAQ says."""

from __future__ import annotations

import io

import pytest

from vqs.model import kubernetes as k8s
from vqs.replay.autoscaler import Autoscaler, NodeGroup, Pod, Scaler
from vqs.replay.distribution import Fixed
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.measured import measured
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.replay.summary import Growth
from vqs.report.replay.page import fact_lines
from vqs.report.replay.parts import ALL, of_run
from vqs.snapshot.reading.reader import read_manifests

HEAD = """
apiVersion: vqs/v1
kind: Scenario
now: 2026-03-02T08:00:00Z
latencies: {podGroup: 0, pods: 0, start: 0, reaction: 0, removal: 0, write: 0}
scheduler: |
  actions: "allocate, backfill"
  tiers:
  - plugins:
    - name: gang
    - name: predicates
    - name: capacity
    - name: nodeorder
nodes: [{name: own, cpu: 4, memory: 16Gi}]
"""
GROUP = "nodeGroups: [{name: more, max: 3, startDelay: 90s, node: {cpu: 8, memory: 32Gi}}]\n"


def replayed(text: str, until: float | None = None) -> Replay:
    """Replay a scenario with a node of four cores."""
    read = read_manifests(["-"], stdin=io.BytesIO((HEAD + text).encode()))
    return replay(workload_of(read, "test"), ReplayOptions(until=until))


def grown(run: Replay) -> Growth:
    """Return what the autoscaler did."""
    assert run.growth is not None
    return run.growth


def times(run: Replay) -> dict[str, list[tuple[float, float | None]]]:
    """Return when nodes of groups were there."""
    return {node.name: node.available for node in run.nodes if node.name != "own"}


def test_nodes_come_for_pods_that_fit_on_none() -> None:
    """At the next scan as many nodes are asked for as hold the pods; they join later, and the pods run."""
    run = replayed(GROUP + "jobs: [{name: a, arrival: 12, replicas: 3, cpu: 4, memory: 1Gi, duration: 1m}]")
    [bought] = grown(run).purchases
    # One pod of the gang is Schedulable, and one of the two that are not fits on the node that is there.
    assert (bought.time, bought.nodes, bought.queues) == (20.0, ["more-1"], {"default": 1})
    assert times(run)["more-1"][0][0] == 110.0
    assert run.jobs[0].started == pytest.approx(110.0, abs=1.5)


def test_nodes_on_their_way_are_counted() -> None:
    """Pods that fit on nodes that were asked for ask for no others, and those of another job do."""
    run = replayed(
        GROUP
        + """
jobs:
- {name: a, arrival: 1, cpu: 8, duration: 1m}
- {name: b, arrival: 31, cpu: 8, duration: 1m}
"""
    )
    assert [(each.time, each.nodes) for each in grown(run).purchases] == [(10.0, ["more-1"]), (40.0, ["more-2"])]


def test_a_group_has_a_maximum() -> None:
    """Four pods that fill a node each get three nodes, and the fourth waits for one of them."""
    run = replayed(GROUP + "jobs: [{name: a, count: 4, arrival: 1, cpu: 8, duration: 1m}]")
    assert [len(each.nodes) for each in grown(run).purchases] == [3]
    assert max(job.started or 0.0 for job in run.jobs) == pytest.approx(161.0, abs=3)


def test_a_group_whose_nodes_do_not_take_the_pods_does_not_grow() -> None:
    """A taint, a node selector or a request that is too large."""
    for node, job in (
        ("cpu: 8, taints: [{key: k, effect: NoSchedule}]", "cpu: 8"),
        ("cpu: 8", "cpu: 8, spec: {nodeSelector: {pool: gpu}}"),
        ("cpu: 6", "cpu: 8"),
    ):
        run = replayed(
            f"nodeGroups: [{{name: m, max: 3, node: {{{node}}}}}]\njobs: [{{name: a, arrival: 1, {job}}}]", 60
        )
        assert grown(run).purchases == []
    labelled = "nodeGroups: [{name: m, max: 3, node: {cpu: 8, labels: {pool: gpu}}}]\n"
    run = replayed(labelled + "jobs: [{name: a, arrival: 1, cpu: 8, spec: {nodeSelector: {pool: gpu}}}]", 60)
    assert len(grown(run).purchases) == 1


def test_pods_beyond_the_share_of_their_queue_are_unschedulable_too() -> None:
    """Volcano writes the same reason on them, so nodes are bought that the queue may not use."""
    run = replayed(
        GROUP
        + """
queues: [{name: q, capability: {cpu: 8}}]
jobs: [{name: a, queue: q, count: 3, arrival: 1, cpu: 8, duration: 30m}]
"""
    )
    [first, *_] = grown(run).purchases
    assert (len(first.nodes), len(first.unused), first.queues) == (3, 2, {"q": 3})
    assert first.reasons == {"queue-capability": 3}
    found = measured(run)
    assert found["replay.boughtUnused"] > 0
    line = next(line for line in fact_lines(run) if line.startswith("Autoscaler"))
    assert "never used (their pods waited for" in line
    assert "queue-capability" in line


def test_a_volcano_job_that_is_not_admitted_is_not_seen() -> None:
    """It has no pods; a page says how many such jobs there were."""
    text = HEAD.replace('"allocate, backfill"', '"enqueue, allocate, backfill"').replace("capacity", "overcommit")
    text += GROUP + "jobs: [{name: a, arrival: 1, replicas: 2, cpu: 8, duration: 1m}]"
    read = read_manifests(["-"], stdin=io.BytesIO(text.encode()))
    run = replay(workload_of(read, "test"), ReplayOptions(until=300))
    growth = grown(run)
    assert (growth.purchases, growth.not_admitted) == ([], 1)
    [part] = [part for part in of_run(run, ALL) if "autoscaler" in part.title]
    assert part.lines[1:] == ["It asked for none."]
    assert part.lines[0].startswith("1 job had no pods for ")


def test_nodes_go_where_they_are_unneeded() -> None:
    """Ten minutes after a node was empty, and no sooner than ten minutes after others were asked for."""
    run = replayed(GROUP + "jobs: [{name: a, arrival: 1, cpu: 8, duration: 5m}]")
    [(joined, left)] = times(run)["more-1"]
    assert joined == 100.0
    # The pod ends after 402 s, and the next scan sees it.
    assert left == pytest.approx(410.0 + 600.0, abs=11)
    assert grown(run).removed == 1


def test_a_group_keeps_its_minimum() -> None:
    """Of two nodes that are empty, one stays where one is the minimum."""
    run = replayed("""
nodeGroups: [{name: own, min: 1, max: 3, names: own*, startDelay: 10, scaleDownDelay: 1m, node: {cpu: 8}}]
autoscaler: {delayAfterAdd: 30s}
jobs: [{name: a, arrival: 1, cpu: 8, duration: 1m}]
""")
    assert grown(run).removed == 1
    assert [until for node in run.nodes for _, until in node.available].count(None) == 1


def test_pods_of_volcano_jobs_keep_their_node() -> None:
    """A node of which a quarter is requested stays, as its pod belongs to a custom controller."""
    run = replayed(
        GROUP
        + """
jobs:
- {name: a, arrival: 1, cpu: 8, duration: 1m}
- {name: b, arrival: 2m, cpu: 5, duration: 2h}
""",
        3600,
    )
    assert times(run)["more-1"] == [(100.0, None)]


def node(name: str, cpu: str, memory: str = "32Gi") -> k8s.Node:
    """Return a node."""
    amounts: k8s.ResourceList = {"cpu": cpu, "memory": memory}
    return k8s.Node(metadata=k8s.ObjectMeta(name=name), status=k8s.NodeStatus(allocatable=amounts))


def pod(name: str, cpu: int, *, node_name: str = "", **metadata: object) -> Pod:
    """Return a pod that requests some cores and a GiB for each."""
    made = k8s.ObjectMeta(name=name, namespace="ns", **metadata)  # type: ignore[arg-type]
    return Pod(k8s.Pod(metadata=made, spec=k8s.PodSpec(node_name=node_name)), (1000.0 * cpu, cpu * 2.0**30), "q", "c")


def scaler(expander: str = "least-waste", **groups: str) -> Scaler:
    """Return an autoscaler with groups of nodes with some cores; the later ones have the higher priority."""
    made = tuple(
        NodeGroup(name, node(name, cpu), most=9, start_delay=Fixed(60.0), priority=at)
        for at, (name, cpu) in enumerate(groups.items())
    )
    return Scaler(Autoscaler(made, expander), ["cpu", "memory"], [], seed=1, phase=0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expander", "picked"), [("least-waste", "fits"), ("most-pods", "large"), ("priority", "small")]
)
def test_expanders_pick_a_group(expander: str, picked: str) -> None:
    """The one that leaves the least, that holds the most pods, or that has the highest priority."""
    groups = scaler(expander, large="64", fits="12", small="6")
    waiting = [pod("a", 6), pod("b", 6), pod("c", 20)] if expander == "most-pods" else [pod("a", 6), pod("b", 6)]
    [*_] = groups.asked_for(waiting, [], {}, 0.0)
    assert [each.group for each in groups.purchases] == [picked]


def test_what_a_node_has_to_be_to_go() -> None:
    """Less than half is requested, all pods may be moved, and there is room for them elsewhere."""
    owner = [k8s.OwnerReference(api_version="apps/v1", kind="ReplicaSet", name="r", controller=True)]
    job = [k8s.OwnerReference(api_version="batch.volcano.sh/v1alpha1", kind="Job", name="j", controller=True)]
    safe = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
    for own, others, goes in (
        ([], [], True),
        ([pod("a", 3, owner_references=owner)], [], True),
        ([pod("a", 3, owner_references=owner)], [pod("b", 6)], False),
        ([pod("a", 4, owner_references=owner)], [], False),
        ([pod("a", 3, owner_references=job)], [], False),
        ([pod("a", 3, owner_references=job, annotations=safe)], [], True),
        ([pod("a", 3)], [], False),
    ):
        group = NodeGroup("g", node("g", "8"), most=3, scale_down_delay=60.0, names=None)
        made = Scaler(Autoscaler((group,)), ["cpu", "memory"], [], seed=1, phase=0.0)
        [(_, there)] = made.asked_for([pod("first", 8)], [], {}, -1000.0)
        nodes = {there.metadata.name: there, "own": node("own", "8")}
        pods = {there.metadata.name: own, "own": others}
        assert made.unneeded(nodes, pods, 0.0) == []
        assert made.unneeded(nodes, pods, 61.0) == ([there.metadata.name] if goes else [])
