"""proportion divides the cluster as Volcano does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import gang, group, node, open_session, pod, queue, run
from vqs.engine.plugins.proportion import ProportionPlugin
from vqs.model.job import TaskStatus


def ledger(session: object) -> ProportionPlugin:
    """Return the plugin of a session."""
    plugin = session.queue_ledger  # type: ignore[attr-defined]
    assert isinstance(plugin, ProportionPlugin)
    return plugin


def deserved_cpu(*objects: object) -> dict[str, float]:
    """Return how many cores each queue deserves of some objects."""
    session = open_session([node("n1", cpu=100, memory="1000Gi", pods=1000), *objects])  # type: ignore[list-item]
    return {name: figures.deserved.milli_cpu / 1000 for name, figures in ledger(session).at_open.items()}


def wanting(name: str, cpu: int) -> list[dict[str, object]]:
    """Make a job in a queue that asks for some cores."""
    return [group(f"job-{name}", queue=name), pod(f"pod-{name}", f"job-{name}", cpu, memory="0")]


def test_what_the_weights_give_is_cut_and_handed_out_again() -> None:
    """Three queues share 100 cores: A may have 50, C asks for 30 and is guaranteed 20; A gets 28, B 42, C 30."""
    assert deserved_cpu(
        queue("a", 2, capability={"cpu": 50}, guarantee={"resource": {"cpu": 10}}),
        queue("b", 3),
        queue("c", 5, guarantee={"resource": {"cpu": 20}}),
        wanting("a", 80),
        wanting("b", 60),
        wanting("c", 30),
    ) == pytest.approx({"a": 28, "b": 42, "c": 30})


def test_what_a_modest_queue_leaves_goes_to_the_others_by_weight() -> None:
    """B asks for 15 of its 30 cores; the rest is split 2 to 5: A 24.29, C 60.71."""
    assert deserved_cpu(
        queue("a", 2), queue("b", 3), queue("c", 5), wanting("a", 80), wanting("b", 15), wanting("c", 200)
    ) == pytest.approx({"a": 20 + 15 * 2 / 7, "b": 15, "c": 50 + 15 * 5 / 7})


def test_queues_without_jobs_take_no_part() -> None:
    """A heavy queue that nobody uses leaves everything to the others."""
    assert deserved_cpu(queue("a", 1), queue("idle", 99), wanting("a", 80)) == {"a": 80}


def test_a_queues_real_capability_leaves_out_what_others_are_guaranteed() -> None:
    """Capability is cut to the cluster without the guarantees of others; without one, that is all there is."""
    session = open_session(
        [
            node("n1", cpu=100, memory="1000Gi"),
            queue("a", guarantee={"resource": {"cpu": 30}}),
            queue("b", capability={"cpu": 90}),
            wanting("a", 1),
            wanting("b", 1),
        ]
    )
    figures = ledger(session).at_open
    assert figures["a"].real_capability.milli_cpu == 100_000
    assert figures["b"].real_capability.milli_cpu == 70_000
    assert figures["b"].capability.memory > 1e300


def test_a_full_queue_is_left_out_of_allocation() -> None:
    """A queue that holds all it deserves of everything, pods too, is overused; its tasks wait without a word."""
    session = run(
        [
            node("n1", cpu=2, pods=2),
            queue("a"),
            queue("b"),
            group("r", phase="Running", queue="a"),
            pod("r-0", "r", cpu=2, memory="0", node="n1"),
            gang("j", 1, queue="a", memory="0", created=1),
            gang("k", 1, queue="b", memory="0", created=2),
        ]
    )
    assert session.jobs["ns/j"].having(TaskStatus.Pending)
    assert session.trace.queues["a"][1].code == "queue-overused"


def test_a_task_that_would_exceed_what_its_queue_deserves_waits() -> None:
    """The limit is checked task by task, in the resources the task asks for."""
    session = run(
        [node("n1", cpu=8), queue("a"), queue("b"), gang("j", 3, 1, 3, queue="a"), gang("k", 1, 1, 4, queue="b")]
    )
    refusal = session.trace.tasks["j-worker-2"][1]
    assert (refusal.code, refusal.resource, refusal.need, refusal.have) == ("queue-limit", "cpu", 6000, 4000)


def test_a_closed_queue_takes_nothing() -> None:
    """Neither jobs nor tasks get into a queue that is not open."""
    session = run(
        [
            node("n1"),
            queue("a", state="Closing"),
            gang("j", 1, queue="a"),
            gang("p", 1, phase="Pending", queue="a", minResources={"cpu": 1}),
        ]
    )
    assert session.trace.tasks["j-worker-0"][1].code == "queue-closed"
    assert session.trace.jobs["ns/p"][1].code == "queue-closed"


def test_min_resources_count_against_the_real_capability_when_a_job_is_let_in() -> None:
    """What jobs that were let in will take counts too; quota names among minResources do not."""
    jobs = [
        gang(f"j{n}", 1, phase="Pending", queue="a", created=n, minResources={"cpu": 2, "requests.cpu": 99})
        for n in range(3)
    ]
    session = run([node("n1", cpu=8), queue("a", capability={"cpu": 5}), *jobs])
    assert [session.jobs[f"ns/j{n}"].phase for n in range(3)] == ["Inqueue", "Inqueue", "Pending"]
    refusal = session.trace.jobs["ns/j2"][1]
    assert (refusal.code, refusal.need, refusal.have) == ("not-enqueued-capability", 6000, 5000)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 90), st.integers(0, 20)), min_size=1, max_size=5),
)
def test_nothing_is_divided_twice_and_nothing_wanted_is_left(queues: list[tuple[int, int, int]]) -> None:
    """No queue deserves more than it asks for or is guaranteed; what is deserved and free make the whole."""
    objects: list[object] = []
    for number, (weight, request, guarantee) in enumerate(queues):
        objects += [
            queue(f"q{number}", weight, guarantee={"resource": {"cpu": guarantee}}),
            wanting(f"q{number}", request),
        ]
    deserved = deserved_cpu(*objects)
    for number, (_, request, guarantee) in enumerate(queues):
        assert guarantee - 1e-6 <= deserved[f"q{number}"] <= max(request, guarantee) + 1e-6
    total = sum(deserved.values())
    guaranteed = sum(guarantee for _, _, guarantee in queues)
    wanted = sum(max(request, guarantee) for _, request, guarantee in queues)
    if guaranteed == 0:
        assert total == pytest.approx(min(100, wanted))
