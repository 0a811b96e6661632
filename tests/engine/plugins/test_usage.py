"""usage keeps pods off busy nodes, and prefers those that are used least."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import Object, gang, node, placements, queue, run
from vqs.engine.framework.finished import FinishedSession
from vqs.snapshot.cluster.usage import ANNOTATIONS, TIME


def conf(arguments: str = "", flags: str = "", metrics: str = "") -> str:
    """Write a configuration of usage."""
    given = f"    arguments: {{{arguments}}}\n" if arguments else ""
    return f'actions: "allocate"\ntiers:\n- plugins:\n  - name: usage\n{flags}{given}{metrics}'


def used(name: str, cpu: float, memory: float, time: str = "2025-12-31T23:59:30Z") -> Object:
    """Make a node that says how busy it was 30 seconds ago, or at another time."""
    made = node(name)
    made["metadata"]["annotations"] = {ANNOTATIONS["cpu"]: str(cpu), ANNOTATIONS["memory"]: str(memory), TIME: time}
    return made


def ran(nodes: list[Object], configuration: str, pods: int = 1) -> FinishedSession:
    """Run a session with one job."""
    return run([*nodes, queue("default"), gang("j", pods)], configuration)


def chosen(nodes: list[Object], configuration: str) -> str | None:
    """Return the node of the only pod."""
    return placements(ran(nodes, configuration))["j-worker-0"][1]


@pytest.mark.parametrize(
    ("cpu", "memory", "arguments", "reason"),
    [
        (80, 80, "", ""),
        (80.1, 90, "", "the CPU load of the node exceeds the upper limit."),
        (10, 80.1, "", "the memory load of the node exceeds the upper limit."),
        (60, 10, "thresholds: {cpu: 50}", "the CPU load of the node exceeds the upper limit."),
        (60, 60, "thresholds: {mem: 50}", "the memory load of the node exceeds the upper limit."),
        (60, 60, "thresholds: {memory: 50}", ""),
        (1, 0, "thresholds: {cpu: 50.5}", "the CPU load of the node exceeds the upper limit."),
        (60, 60, "thresholds: 50", ""),
    ],
)
def test_a_node_above_a_threshold_takes_no_pod(cpu: float, memory: float, arguments: str, reason: str) -> None:
    """Cpu is looked at first; a threshold that is no whole number is 0."""
    session = ran([used("n1", cpu, memory)], conf(arguments))
    errors = session.jobs["ns/j"].fit_errors
    message = errors["j-worker-0"].message() if errors else ""
    assert message == (f"0/1 nodes are unavailable: 1 {reason}." if reason else "")


def test_it_only_scores_where_the_filter_is_off() -> None:
    """The least busy one is taken, however busy it is."""
    nodes = [used("a", 99, 99), used("b", 98, 99)]
    assert chosen(nodes, conf()) is None
    assert chosen(nodes, conf(flags="    enablePredicate: false\n")) == "b"


@pytest.mark.parametrize(
    ("arguments", "node_name"),
    [
        ("", "both"),
        ("cpu.weight: 3", "memory"),
        ("memory.weight: 3", "cpu"),
        ("usage.weight: -1", "cpu"),
        ("usage.weight: 0", "both"),
    ],
)
def test_the_score_is_what_is_left_by_weight(arguments: str, node_name: str) -> None:
    """A node that is busy in cpu, one in memory, and one a little in both."""
    nodes = [used("both", 30, 30), used("cpu", 70, 10), used("memory", 10, 65)]
    assert chosen(nodes, conf(arguments)) == node_name


def test_scores_are_those_of_the_formula() -> None:
    """The order of the operations is the reference's, so that nodes tie where they tie there."""
    session = ran([used("n1", 33.3, 12.7)], conf("usage.weight: 7, cpu.weight: 2"))
    task_class = session.classes.of(session.jobs["ns/j"].tasks["j-worker-0"])
    [score] = session.node_plugins.node_order(task_class, slice(None), 1)
    assert score == ((100 - 33.3) / 100 * 2.0 + (100 - 12.7) / 100 * 1.0) / 3.0 * 700.0


@pytest.mark.parametrize(("time", "accepted"), [("2025-12-31T23:55:00Z", False), ("2025-12-31T23:54:59Z", True)])
def test_what_is_older_than_five_minutes_does_not_count(time: str, accepted: bool) -> None:
    """Neither against a node nor for it."""
    assert (chosen([used("n1", 90, 90, time)], conf()) == "n1") is accepted
    off = conf(flags="    enablePredicate: false\n")
    assert chosen([used("a", 90, 90, time), used("b", 95, 95, "2025-12-31T23:59:59Z")], off) == (
        "b" if accepted else "a"
    )


def test_nodes_that_nobody_measures_count_as_idle() -> None:
    """Volcano takes no data for 0 percent, but with the type prometheus_adaptor for no measure."""
    nodes: list[Any] = [used("a", 10, 10), node("b")]
    assert chosen(nodes, conf()) == "b"
    assert chosen(nodes, conf(metrics="metrics: {type: prometheus}\n")) == "b"
    assert chosen(nodes, conf(metrics="metrics: {type: prometheus_adaptor}\n")) == "a"


def test_without_any_usage_every_node_is_accepted() -> None:
    """A warning says so."""
    session = ran([node("n1")], conf())
    assert placements(session)["j-worker-0"][1] == "n1"
    assert [notice.code for notice in session.notices] == ["usage-unknown"]


@pytest.mark.parametrize(
    ("weights", "node"),
    [("cpu.weight: 0, memory.weight: 0", ""), ("cpu.weight: 1, memory.weight: -1", "n1")],
)
def test_weights_that_add_up_to_nothing_are_a_warning(weights: str, node: str) -> None:
    """Volcano divides by their sum: nothing by nothing is no score, and a node without one is never the best."""
    session = ran([used("n1", 5, 10), used("n2", 10, 10)], conf(weights))
    assert [notice.code for notice in session.notices] == ["usage-weights"]
    assert (placements(session)["j-worker-0"][1] or "") == node
