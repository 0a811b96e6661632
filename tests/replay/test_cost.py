"""What nodes cost: who held them, what was idle, stranded or lost, in money and energy."""

from __future__ import annotations

import io

import pytest

from tests.replay.workloads import BEGIN
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.measured import measured
from vqs.replay.outcome import Replay
from vqs.replay.reading.scenario import workload_of
from vqs.report.replay.page import fact_lines
from vqs.report.replay.parts import ALL, of_run
from vqs.snapshot.reading.reader import read_manifests

HEAD = f"""
apiVersion: vqs/v1
kind: Scenario
now: {BEGIN:%Y-%m-%dT%H:%M:%SZ}
queues: [{{name: a}}, {{name: b}}]
latencies: {{podGroup: 0, pods: 0, start: 0, reaction: 0, removal: 0, write: 0}}
"""
PRICES = "prices: {currency: EUR, nodes: [{perHour: 2, watts: {idle: 100, busy: 300}}]}\n"


def replayed(text: str, until: float = 7200.0) -> Replay:
    """Replay a scenario for two hours."""
    read = read_manifests(["-"], stdin=io.BytesIO((HEAD + text).encode()))
    return replay(workload_of(read, "test"), ReplayOptions(until=until))


HALF = (
    PRICES
    + """
nodes: [{name: n, cpu: 10, memory: 100Gi}]
jobs:
- {name: one, queue: a, cpu: 5, memory: 10Gi, duration: 30m, arrival: 0}
- {name: other, queue: b, cpu: 1, memory: 50Gi, duration: 1h, arrival: 0}
"""
)


def test_a_queue_pays_for_the_largest_part_that_its_pods_request() -> None:
    """Half of the cores, or of the memory, for as long as the pod is there; what is left is idle."""
    cost = replayed(HALF).cost
    assert cost is not None
    assert [each.queue for each in cost.queues] == ["a", "b"]
    assert [each.spent for each in cost.queues] == pytest.approx([0.5, 1.0], abs=0.01)
    assert (cost.money.spent, cost.money.used, cost.money.idle) == pytest.approx((4.0, 1.5, 2.5), abs=0.01)
    assert cost.energy is not None
    # 0.75 h of a busy node, 1.25 h of an idle one
    assert (cost.energy.used, cost.energy.idle) == pytest.approx((0.225, 0.125), abs=0.01)
    assert [each.energy for each in cost.queues] == pytest.approx([0.075, 0.15], abs=0.005)


def test_pods_that_share_a_node_share_its_price() -> None:
    """Where the largest parts of pods add up to more than the node, no more than its price is paid."""
    run = replayed(
        PRICES
        + """
nodes: [{name: n, cpu: 10, memory: 100Gi}]
jobs:
- {name: one, queue: a, cpu: 8, memory: 10Gi, duration: 2h, arrival: 0}
- {name: other, queue: b, cpu: 1, memory: 80Gi, duration: 2h, arrival: 0}
"""
    )
    assert run.cost is not None
    assert [each.spent for each in run.cost.queues] == pytest.approx([2.0, 2.0], abs=0.01)
    assert run.cost.money.idle == pytest.approx(0.0, abs=0.01)


def test_what_is_idle_is_stranded_without_room_for_a_typical_pod() -> None:
    """A node with two cores left is of no use to pods of four; one that is empty is."""
    text = (
        PRICES
        + """
nodes: [{name: n, cpu: 6, memory: 100Gi}]
jobs: [{name: one, queue: a, cpu: 4, memory: 10Gi, duration: 1h, arrival: 0}]
"""
    )
    cost = replayed(text).cost
    assert cost is not None
    assert cost.money.stranded == pytest.approx(2 / 3, abs=0.02)
    assert cost.money.idle == pytest.approx(2 / 3 + 2.0, abs=0.02)


def test_lost_work_is_paid_for_in_vain() -> None:
    """A pod whose node is drained after half an hour has to do that again: its queue has paid for it twice."""
    cost = replayed(
        PRICES
        + """
nodes: [{name: n-0, cpu: 4, memory: 100Gi}, {name: n-1, cpu: 4, memory: 100Gi, unschedulable: true}]
nodeEvents: [{at: 30m, drain: n-0}, {at: 30m, uncordon: n-1}]
jobs:
- {name: one, queue: a, cpu: 4, duration: 1h, arrival: 0, policies: [{event: PodEvicted, action: RestartTask}]}
"""
    ).cost
    assert cost is not None
    assert (cost.queues[0].spent, cost.queues[0].lost) == pytest.approx((3.0, 1.0), abs=0.02)
    assert cost.money.lost == cost.queues[0].lost


def test_a_node_costs_while_it_is_there() -> None:
    """One that joins after an hour and leaves half an hour later costs half an hour."""
    cost = replayed(
        PRICES
        + """
nodes: [{name: n, cpu: 4}]
nodeEvents: [{at: 1h, join: {name: m, cpu: 4}}, {at: 90m, leave: m}]
jobs: [{name: one, queue: a, cpu: 4, duration: 2h, arrival: 0}]
"""
    ).cost
    assert cost is not None
    assert cost.money.spent == pytest.approx(5.0, abs=0.01)


def test_prices_by_name_label_and_type() -> None:
    """The first price that matches a node counts, and a node without one is free, and named."""
    run = replayed("""
prices:
  nodes:
  - {names: gpu-*, labels: {pool: spot}, perHour: 1}
  - {names: gpu-*, perHour: 3}
  - {type: m5, perHour: 10}
nodes:
- {name: gpu-0, cpu: 4, labels: {pool: spot}}
- {name: gpu-1, cpu: 4, labels: {pool: own}}
- {name: plain, cpu: 4, labels: {node.kubernetes.io/instance-type: m5}}
- {name: other, cpu: 4}
jobs: [{name: one, queue: a, cpu: 4, duration: 2h, arrival: 0}]
""")
    assert run.cost is not None
    assert run.cost.money.spent == pytest.approx(2 * (1 + 3 + 10))
    assert (run.cost.unpriced, run.cost.energy) == (["other"], None)
    [part] = [part for part in of_run(run, ALL) if part.title.startswith("Cost")]
    assert part.lines == ["Without a price, so free: other."]


def test_figures_and_words_of_costs() -> None:
    """Costs are figures as others are, and the first lines say what was spent and how much of it was of no use."""
    run = replayed(HALF)
    found = measured(run)
    assert found["queue:a.cost"] == pytest.approx(0.5, abs=0.01)
    assert found["replay.energy.spent"] == pytest.approx(0.35, abs=0.01)
    assert [*fact_lines(run)][1:] == ["Spent: 4.00 EUR and 0.35 kWh; 0% for work that was lost, 62% idle, 0% stranded"]


def test_without_prices_there_are_no_costs() -> None:
    """Nothing is said of costs where nothing says them."""
    run = replayed(HALF.removeprefix(PRICES))
    assert run.cost is None
    assert not [name for name in measured(run) if "cost" in name]
