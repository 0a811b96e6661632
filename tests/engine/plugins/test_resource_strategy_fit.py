"""resource-strategy-fit scores nodes by a strategy for each resource, and keeps room for scarce resources."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, gang, group, node, open_session, placements, pod, queue, run
from vqs.engine.framework import points
from vqs.engine.framework.session import Session
from vqs.engine.plugins.resource_strategy_fit import ResourceStrategyFitPlugin

GPU = "nvidia.com/gpu"
MOST, LEAST = "MostAllocated", "LeastAllocated"
TYPE = "volcano.sh/resource-strategy-scoring-type"
WEIGHTS = "volcano.sh/resource-strategy-weight"


def conf(**arguments: object) -> str:
    """Return a configuration with arguments for the plugin."""
    return f"""
actions: "allocate"
tiers:
- plugins:
  - name: predicates
  - name: resource-strategy-fit
    arguments: {json.dumps(arguments)}
"""


def plugin_of(session: Session) -> ResourceStrategyFitPlugin:
    """Return the plugin of a session."""
    return next(plugin for plugin in session._opened if isinstance(plugin, ResourceStrategyFitPlugin))


def scores(objects: list[Any], **arguments: object) -> list[float]:
    """Return what each node gets for the one pending pod, all at once; one by one it has to be the same."""
    session = open_session([queue("default"), *objects], conf(**arguments))
    plugin = plugin_of(session)
    [task] = [task for job in session.jobs.values() for task in job.tasks.values() if not task.node]
    task_class = session.fit(task).task_class
    found: list[float] = plugin.score(task_class, slice(None)).tolist()
    assert plugin.score(task_class, np.array([len(found) - 1])).tolist() == found[-1:]
    return found


def job(
    cpu: str | int = 1, memory: str = "1Gi", gpu: int = 0, annotations: dict[str, str] | None = None
) -> list[Object]:
    """Make a job of one pending pod."""
    requests = {GPU: gpu} if gpu else {}
    return [group("j"), pod("j-0", "j", cpu, memory, requests=requests, annotations=annotations or {})]


def busy(name: str, cpu: int) -> list[Object]:
    """Make a node of 8 cores and 16Gi on which a pod holds some cores."""
    return [node(name), group(f"on-{name}", phase="Running"), pod(f"on-{name}-0", f"on-{name}", cpu, "0", node=name)]


# --- strategies -------------------------------------------------------------------------------------------------------


def test_by_default_empty_nodes_score_most() -> None:
    """Of 8 cores 7 are left and of 16Gi 15: the mean is 0.90625, times 100 and the weight 10."""
    assert scores([node("n1"), job()]) == [906.25]
    assert scores([*busy("n1", 4), node("n2"), job()]) == [656.25, 906.25]


def test_most_allocated_prefers_full_nodes() -> None:
    """What counts is the part in use with the task, cpu three times as much as memory."""
    strategies = {"cpu": {"type": MOST, "weight": 3}, "memory": {"type": LEAST}}
    weighted = [*busy("n1", 4), node("n2"), job()]
    expected = [(0.625 * 3 + 0.9375) / 4 * 100, (0.125 * 3 + 0.9375) / 4 * 100]
    assert scores(weighted, resources=strategies, resourceStrategyFitWeight=1) == expected


def test_a_resource_that_is_not_configured_does_not_count() -> None:
    """Neither does one that the task does not request, nor its weight."""
    strategies = {"memory": {"type": MOST}, GPU: {"type": MOST, "weight": 9}}
    assert scores([node("n1", gpu=4), job()], resources=strategies) == [0.0625 * 1000]


def test_a_resource_that_the_node_does_not_have_weighs_in_with_nothing() -> None:
    """Its weight counts in the mean, on any node."""
    strategies = {"cpu": {"type": MOST}, GPU: {"type": MOST, "weight": 3}}
    both = [node("n1"), node("n2", gpu=2), job(cpu=2, gpu=1)]
    assert scores(both, resources=strategies) == [0.25 / 4 * 1000, (0.25 + 0.5 * 3) / 4 * 1000]


def test_a_node_where_a_resource_that_counts_is_short_scores_nothing() -> None:
    """However much of the others there is."""
    assert scores([*busy("n1", 8), node("n2"), job()], resources={"cpu": {}}) == [0, 875]


@pytest.mark.parametrize("weight", [-1, None])
def test_a_weight_that_makes_no_sense_is_replaced(weight: int | None) -> None:
    """A negative weight of the plugin counts as 10; null counts as 0."""
    if weight is None:
        session = open_session([node("n1")], conf(resourceStrategyFitWeight=None))
        assert not session.plugins.is_answered(points.NODE_ORDER)
    else:
        assert scores([node("n1"), job()], resourceStrategyFitWeight=weight) == [906.25]


def test_strategies_and_weights_that_make_no_sense_are_replaced() -> None:
    """An unknown type is LeastAllocated, a weight of 0 or below is 1."""
    strategies = {"cpu": {"type": "Fullest", "weight": 0}, "memory": {"type": MOST, "weight": -3}}
    assert scores([node("n1"), job()], resources=strategies) == [(0.875 + 0.0625) / 2 * 1000]


def test_the_longest_pattern_that_fits_counts_and_a_name_before_all() -> None:
    """nvidia.com/* goes before nvidia*, and the name itself before both; patterns that cannot be read are left out."""
    least = {"type": LEAST}
    gpu_node, gpu_job = node("n1", gpu=4), job(gpu=1)
    patterns: dict[str, Any] = {"nvidia*": least, "nvidia.com/*": {"type": MOST}}
    assert scores([gpu_node, gpu_job], resources=patterns) == [250]
    assert scores([gpu_node, gpu_job], resources={**patterns, GPU: least}) == [750]
    assert scores([gpu_node, gpu_job], resources={"*": least, "*/gpu": least, "nvidia.*/gpu": least}) == [0]


def test_a_pattern_that_cannot_be_read_is_a_warning() -> None:
    """Volcano only says so in its log."""
    session = open_session([node("n1")], conf(resources={"*": {}}))
    [notice] = session.notices
    assert "resources.*: an asterisk may only stand at the end of a name" in notice.message


# --- annotations ------------------------------------------------------------------------------------------------------


def test_annotations_of_the_pod_replace_the_strategies() -> None:
    """One strategy for all resources that have a weight there, whatever the configuration says."""
    annotated = job(annotations={TYPE: MOST, WEIGHTS: '{"cpu": 3, "memory": 1}'})
    expected = (0.125 * 3 + 0.0625) / 4 * 1000
    assert scores([node("n1"), annotated], resources={GPU: {}}) == [expected]
    assert scores([node("n1"), job(annotations={TYPE: MOST, WEIGHTS: '{"memory": 5}'})]) == [0.0625 * 1000]


@pytest.mark.parametrize("weights", [None, "", "cpu=1", "[1]", '{"cpu": 1.5}', '{"cpu": "1"}', '{"cpu": true}', "null"])
def test_annotations_that_cannot_be_read_give_nothing(weights: str | None) -> None:
    """Also where there are none, as the strategy is named."""
    annotated = job(annotations={TYPE: MOST, **({} if weights is None else {WEIGHTS: weights})})
    assert scores([node("n1"), annotated]) == [0]


def test_a_strategy_in_an_annotation_that_does_not_exist_gives_nothing() -> None:
    """It is not replaced, and does not look at whether there is room."""
    assert scores([*busy("n1", 8), node("n2"), job(annotations={TYPE: "Fullest", WEIGHTS: '{"cpu": 1}'})]) == [0, 0]


def test_weights_without_a_strategy_do_not_count() -> None:
    """The configuration does then."""
    assert scores([node("n1"), job(annotations={WEIGHTS: '{"cpu": 1}'})]) == [906.25]


def test_equal_pods_with_different_annotations_are_told_apart() -> None:
    """One wants the full node, the other the empty one."""
    annotations = [{TYPE: MOST, WEIGHTS: '{"cpu": 1}'}, {}]
    pods = [pod(f"j-{i}", "j", 1, "0", annotations=each) for i, each in enumerate(annotations)]
    session = run([*busy("n1", 2), node("n2"), queue("default"), group("j", 2), *pods], conf())
    found = placements(session)
    assert (found["j-0"], found["j-1"]) == (("Binding", "n1"), ("Binding", "n2"))


# --- scarce resources -------------------------------------------------------------------------------------------------

SRA = {"enable": True, "resources": f" {GPU}, example.com/fpga", "weight": 6, "resourceWeight": {GPU: 3}}


def test_nodes_without_scarce_resources_score_most() -> None:
    """A node with GPUs loses 3 of the 4 parts of 600; the resource of no node keeps its part."""
    nodes = [node("n1", gpu=2), node("n2")]
    assert scores([*nodes, job()], sra=SRA, resourceStrategyFitWeight=0) == [150, 600]


def test_the_scores_are_added_up() -> None:
    """906.25 for the room and 600 for being free of GPUs."""
    assert scores([node("n1"), job()], sra=SRA) == [1506.25]


def test_a_node_without_what_is_requested_is_not_preferred_for_it() -> None:
    """A task that needs a GPU gives nothing to nodes without."""
    nodes = [node("n1", gpu=2), node("n2")]
    assert scores([*nodes, job(gpu=1)], sra=SRA, resourceStrategyFitWeight=0) == [150, 0]


@pytest.mark.parametrize("change", [{"enable": False}, {"weight": 0}, {"weight": -1}])
def test_avoidance_is_off_by_default(change: dict[str, Any]) -> None:
    """It has to be enabled, and to have a weight."""
    assert scores([node("n1"), job()], sra={**SRA, **change}) == [906.25]


def test_a_resource_that_is_listed_twice_counts_twice_in_the_sum_alone() -> None:
    """Of a sum of 2, the node has 1."""
    sra = {"enable": True, "resources": f"{GPU},{GPU}", "weight": 1}
    assert scores([node("n1", gpu=1), job()], sra=sra, resourceStrategyFitWeight=0) == [50]


def test_without_any_name_nothing_is_avoided() -> None:
    """No resource is scarce, and no node is better than another."""
    sra = {"enable": True, "weight": 5}
    assert scores([node("n1"), job()], sra=sra, resourceStrategyFitWeight=0) == [0]


# --- proportions ------------------------------------------------------------------------------------------------------

KEEP = {"enable": True, "resources": GPU, "resourceProportion": {f"{GPU}.cpu": 2, f"{GPU}.memory": 1}}


def refused(objects: list[Any], **proportional: object) -> list[str]:
    """Return the reasons of the nodes against the one pending pod."""
    session = open_session([queue("default"), *objects], conf(proportional={**KEEP, **proportional}))
    [task] = [task for job in session.jobs.values() for task in job.tasks.values() if not task.node]
    return ["; ".join(session.reasons.texts(code)) for code in session.fit(task).codes.tolist()]


REFUSED = f"proportional of resource {GPU} check failed"


def test_cpu_and_memory_are_kept_for_idle_gpus() -> None:
    """Two GPUs keep 4 of 8 cores and 2 GB of 16 GiB."""
    assert refused([node("n1", gpu=2), job(cpu=4)]) == [""]
    assert refused([node("n1", gpu=2), job(cpu="4001m")]) == [REFUSED]
    assert refused([node("n1", gpu=2), job(memory="15179869184")]) == [""]
    assert refused([node("n1", gpu=2), job(memory="15179869185")]) == [REFUSED]


def test_tasks_that_use_the_resource_are_let_in() -> None:
    """It is kept for them."""
    assert refused([node("n1", gpu=2), job(cpu=8, gpu=1)]) == [""]


def test_nodes_without_the_resource_keep_nothing() -> None:
    """All of such a node may be used."""
    assert refused([node("n1"), job(cpu=8)]) == [""]


def test_gpus_that_are_taken_keep_nothing() -> None:
    """What counts is what is idle."""
    user = [group("r", phase="Running"), pod("r-0", "r", 1, "1Gi", node="n1", requests={GPU: 2})]
    assert refused([node("n1", gpu=2), *user, job(cpu=7)]) == [""]


def test_a_node_with_gpus_is_not_promised_what_is_being_released() -> None:
    """Even with no idle GPU, nothing may be taken beyond what is idle now; a node without any may be promised."""

    def emptied(name: str, gpu: int) -> list[Object]:
        leaving = pod(f"{name}-0", name, 8, "1Gi", node=name, requests={GPU: gpu} if gpu else {}, deleted=True)
        return [node(name, gpu=gpu), group(name, phase="Running"), leaving]

    assert refused([*emptied("n1", 2), job()]) == [REFUSED]
    assert refused([node("n1"), group("r", phase="Running"), pod("r-0", "r", 8, node="n1", deleted=True), job()]) == [
        ""
    ]


def test_the_reason_stands_whatever_is_evicted() -> None:
    """As the scheduler has it, though an eviction might help."""
    session = open_session([node("n1", gpu=2), queue("default"), job(cpu=8)], conf(proportional=KEEP))
    fit = session.fit(session.jobs["ns/j"].tasks["j-0"])
    assert session.reasons.unresolvable(fit.codes).all()


def test_proportions_of_one_by_default_and_where_they_are_negative() -> None:
    """One GPU keeps one core and one GB."""
    for rates in ({}, {f"{GPU}.cpu": -1, f"{GPU}.memory": -2.5}):
        assert refused([node("n1", gpu=1), job(cpu=7)], resourceProportion=rates) == [""]
        assert refused([node("n1", gpu=1), job(cpu="7001m")], resourceProportion=rates) == [REFUSED]


def test_proportions_are_off_by_default() -> None:
    """Then no node is refused, whatever else is said."""
    assert refused([node("n1", gpu=2), job(cpu=8)], enable=False) == [""]


def test_answers_follow_what_is_placed() -> None:
    """Three pods of a core fit beside the 4 cores that two GPUs keep of 7; the fourth has to wait."""
    session = run([node("n1", cpu=7, gpu=2), queue("default"), gang("j", 4, 1)], conf(proportional=KEEP))
    assert sorted(status for status, _ in placements(session).values()) == ["Binding"] * 3 + ["Pending"]


# --- the kernel -------------------------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 3), st.integers(0, 9)), min_size=1),
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)),
    st.tuples(*[st.tuples(st.sampled_from([MOST, LEAST]), st.integers(1, 4))] * 3),
)
def test_scores_agree_with_the_formula(
    nodes: list[tuple[int, int, int, int]],
    request: tuple[int, int, int],
    strategies: tuple[tuple[str, int], tuple[str, int], tuple[str, int]],
) -> None:
    """On random nodes, requests, strategies and weights, every node's score is the formula's."""
    names = ("cpu", "memory", GPU)
    units = (1000.0, 2.0**30, 1000.0)
    objects: list[Any] = []
    for number, (cpu, memory, gpu, used) in enumerate(nodes):
        objects += [node(f"n{number:02}", cpu=cpu, memory=f"{memory}Gi", gpu=gpu)]
        objects += [group(f"r{number}", phase="Running"), pod(f"r{number}-0", f"r{number}", used, node=f"n{number:02}")]
    found = scores(
        [*objects, job(request[0], f"{request[1]}Gi", request[2])],
        resources={name: {"type": kind, "weight": w} for name, (kind, w) in zip(names, strategies, strict=True)},
    )

    def slow(cpu: int, memory: int, gpu: int, used: int) -> float:
        score, total = 0.0, 0
        amounts = zip(request, (used, 1, 0), (cpu, memory, gpu), strategies, units, strict=True)
        for wanted, taken, capacity, (kind, weight), unit in amounts:
            if not wanted:
                continue
            total += weight
            if not capacity:
                continue
            finally_used = wanted * unit + taken * unit
            if finally_used > capacity * unit:
                return 0.0
            part = finally_used if kind == MOST else capacity * unit - finally_used
            score += part * weight / (capacity * unit)
        return (score / total if total else score) * 1000

    assert found == [slow(*each) for each in nodes]
