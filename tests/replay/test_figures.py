"""The figures of a run: worked out by hand, and what holds for any run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.replay.runs import job, run, sample
from vqs.replay.figures import drain, figures, groups, leaf_queues, services, slowdown, takings
from vqs.replay.outcome import NodeRecord, NodeSample, PodRecord, Replay


def life(of: int, started: float | None, ended: float | None, end: str = "succeeded", **given: object) -> PodRecord:
    """Return a life of the only pod of a job."""
    facts: dict[str, object] = {"pod": "p", "node": "n1", "created": 0.0, "bound": started, **given}
    return PodRecord(job=of, started=started, ended=ended, outcome=end, **facts)  # type: ignore[arg-type]


# --- jobs -------------------------------------------------------------------------------------------------------------


def test_waits_by_hand() -> None:
    """From arrival to admission, to the start and to completion; what did not happen counts in no mean."""
    made = run(
        [
            job("one", times=(0.0, 1.0, 3.0, 30.0)),
            job("two", times=(10.0, 14.0, 20.0, 70.0)),
            job("three", times=(20.0, 21.0, None, None)),
            job("four", "b", (30.0, None, None, None)),
        ]
    )
    found = figures(made)
    every, first, second = found.groups
    assert every.admission is not None
    assert every.wait is not None
    assert every.completion is not None
    assert (every.jobs, every.started, every.completed) == (4, 2, 2)
    assert (every.admission.count, every.admission.mean, every.admission.max) == (3, 2.0, 4.0)
    assert (every.wait.mean, every.wait.median, every.wait.max) == (6.5, 6.5, 10.0)
    assert (every.completion.mean, every.completion.p95) == (45.0, 60.0)
    assert (first.queue, first.jobs, second.queue, second.started, second.wait) == ("a", 3, "b", 0, None)
    assert found.throughput == pytest.approx(2 * 36)


def test_jobs_are_grouped() -> None:
    """By queue, by priority from the highest, and by both where both vary."""
    made = [job("one", priority=5), job("two", "b"), job("three", "b", priority=5)]
    found = [(each.queue, each.priority, each.jobs) for each in groups([run(made)])]
    assert found == [
        (None, None, 3),
        ("a", None, 1),
        ("b", None, 2),
        (None, 5, 2),
        (None, 0, 1),
        ("a", 5, 1),
        ("b", 5, 1),
        ("b", 0, 1),
    ]
    assert next(groups([run(made), run(made)])).jobs == 6


def test_the_service_is_the_work_of_the_longest_pod() -> None:
    """All of its lives together, without what they lost; one that still runs counts until the end."""
    pods = [
        life(0, 0.0, 40.0, "evicted", work_lost=10.0),
        life(0, 50.0, 80.0),
        life(0, 0.0, 20.0, pod="q"),
        life(1, 60.0, None, ""),
        life(2, None, None, ""),
    ]
    assert services(run([job("one"), job("two"), job("three")], pods)) == [60.0, 40.0, 0.0]


def test_slowdowns_by_hand() -> None:
    """A job that took 90 s for 30 s of work; short ones count as 10 s of work, and none is faster than its work."""
    assert slowdown(90.0, 30.0) == 3.0
    assert slowdown(25.0, 1.0) == 2.5
    assert slowdown(20.0, 30.0) == 1.0


def test_the_time_to_drain() -> None:
    """From the last arrival until all are done, and none where some are not."""
    done = [job("one", times=(0.0, 0.0, 1.0, 60.0)), job("two", times=(20.0, 20.0, 21.0, 30.0))]
    assert drain(run(done)) == 40.0
    assert drain(run([*done, job("three", times=(5.0, None, None, None))])) is None
    assert drain(run([])) is None


def test_reasons_are_summed_up_by_queue() -> None:
    """How long jobs waited for each, and how many did, the longest first."""
    made = [
        job("one", waited={"queue-limit": 7800.0, "fragmented": 3000.0}),
        job("two", waited={"queue-limit": 10.0}),
        job("three", "b", waited={"fragmented": 20.0, "gang": 0.0}),
    ]
    found = [(each.queue, each.code, each.jobs, each.seconds) for each in figures(run(made)).waited]
    assert found == [("a", "queue-limit", 2, 7810.0), ("a", "fragmented", 1, 3000.0), ("b", "fragmented", 1, 20.0)]


# --- evictions --------------------------------------------------------------------------------------------------------


def test_evictions_are_summed_up_by_queue() -> None:
    """Who loses to whom by which action; what a controller deletes is no eviction."""
    jobs = [job("one"), job("two", "b")]
    pods = [
        life(0, 0.0, 10.0, "evicted", evictor_job=1, action="reclaim", work_lost=10.0),
        life(0, 20.0, 25.0, "evicted", evictor_job=1, action="reclaim", work_lost=5.0),
        life(1, 0.0, 7.0, "evicted", action="shuffle", work_lost=7.0),
        life(1, 30.0, 40.0, "killed"),
    ]
    made = run(jobs, pods)
    found = [
        (each.victim_queue, each.evictor_queue, each.action, each.pods, each.work_lost)
        for each in figures(made).evictions_by_queue
    ]
    assert found == [("a", "b", "reclaim", 2, 15.0), ("b", "", "shuffle", 1, 7.0)]
    assert [each.time for each in takings(made)] == [10.0, 25.0, 7.0]


# --- nodes ------------------------------------------------------------------------------------------------------------


def with_nodes(used: list[list[float]], cores: list[float], request: float = 4.0) -> Replay:
    """Return a run whose nodes were used that much in stretches of 50 s."""
    samples = [
        NodeSample(time=50.0 * at, seconds=50.0, used=[[part] for part in parts]) for at, parts in enumerate(used)
    ]
    nodes = [(f"n{at}", size) for at, size in enumerate(cores)]
    return run([job("one", request={"cpu": request})], nodes=nodes, node_samples=samples)


def test_utilization_by_hand() -> None:
    """Of 30 cores, 10 and then 20 are used: a half in all, two thirds at the most."""
    [usage] = figures(with_nodes([[1.0, 0.0], [0.0, 1.0]], [10.0, 20.0])).usage
    assert usage.resource == "cpu"
    assert usage.used == pytest.approx(0.5)
    assert usage.peak == pytest.approx(2 / 3)


def test_stranded_by_hand() -> None:
    """The typical pod asks for 4 cores: 2 of the 8 that are idle are on a node without room for it."""
    [usage] = figures(with_nodes([[0.8, 0.4], [0.8, 0.4]], [10.0, 10.0])).usage
    assert usage.stranded == pytest.approx(2 / 8)


def test_a_node_that_is_not_there_has_no_room() -> None:
    """It neither counts as idle nor as a node to use."""
    made = with_nodes([[1.0, 0.0], [1.0, 0.5]], [10.0, 10.0])
    made.nodes[1] = NodeRecord(name="n1", allocatable={"cpu": 10.0}, available=[(50.0, None)])
    found = figures(made)
    assert found.usage[0].used == pytest.approx((10 + 15) / 30)
    assert found.over_time.used["cpu"][0] == pytest.approx(1.0)


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=2, max_size=2), st.floats(0.5, 20))
def test_parts_are_parts(used: list[list[float]], request: float) -> None:
    """Whatever is used, and whatever pods request."""
    for usage in figures(with_nodes(used, [4.0, 8.0, 16.0], request)).usage:
        assert 0 <= usage.used <= usage.peak + 1e-9 <= 1 + 2e-9
        assert 0 <= usage.stranded <= 1 + 1e-9


# --- queues -----------------------------------------------------------------------------------------------------------

JOBS = (job("one"), job("two", "b"))


def test_debts_by_hand() -> None:
    """Queue a deserves 6 and requests 8, and holds 3 for half of the time: it misses 3 of 6 cores for 50 of 100 s."""
    samples = [
        sample(0.0, 50.0, {"a": (3.0, 6.0, 8.0), "b": (4.0, 4.0, 9.0)}),
        sample(50.0, 50.0, {"a": (6.0, 6.0, 8.0), "b": (5.0, 4.0, 9.0)}),
    ]
    found = [
        (each.queue, each.entitled, each.deficit, each.fraction)
        for each in figures(run(JOBS, samples=samples)).deficits
    ]
    assert found == [("a", 600.0, 150.0, 0.25), ("b", 400.0, 0.0, 0.0)]


def test_a_queue_is_owed_no_more_than_it_requests() -> None:
    """One that deserves a lot and wants little has no debt, and one that wants nothing is owed nothing."""
    samples = [sample(0.0, 100.0, {"a": (2.0, 8.0, 2.0), "b": (0.0, 8.0, 0.0)})]
    [debt] = figures(run(JOBS, samples=samples)).deficits
    assert (debt.queue, debt.entitled, debt.deficit) == ("a", 200.0, 0.0)


def test_fairness_by_hand() -> None:
    """One queue has all that it is entitled to and the other none of it for a while: Jain's index is a half then."""
    samples = [
        sample(0.0, 50.0, {"a": (5.0, 5.0, 9.0), "b": (0.0, 5.0, 9.0)}),
        sample(50.0, 50.0, {"a": (5.0, 5.0, 9.0), "b": (5.0, 5.0, 9.0)}),
    ]
    found = figures(run(JOBS, samples=samples))
    fairness = found.fairness
    assert (fairness.window, fairness.contested) == (1.0, 100)
    assert fairness.mean == pytest.approx(0.75)
    assert fairness.lowest == pytest.approx(0.5)
    assert fairness.lowest_at == 0.0
    assert found.over_time.fairness[-1] == pytest.approx(1.0)


def test_one_queue_alone_is_not_contested() -> None:
    """Where fewer than two queues are entitled to anything, there is no index."""
    samples = [sample(0.0, 100.0, {"a": (1.0, 5.0, 9.0), "b": (0.0, 5.0, 0.0)})]
    fairness = figures(run(JOBS, samples=samples)).fairness
    assert (fairness.contested, fairness.mean, fairness.lowest, fairness.lowest_at) == (0, None, None, None)


def test_parents_do_not_count() -> None:
    """What a queue holds counts once, and not again in the queues above it."""
    assert leaf_queues(run(JOBS)) == ["a", "b"]


AMOUNTS = st.floats(0, 10)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS, AMOUNTS), min_size=1, max_size=5))
def test_debts_and_fairness_stay_within_bounds(stretches: list[tuple[float, ...]]) -> None:
    """A debt is at most what a queue is entitled to; the index of two queues is between a half and 1."""
    samples = [
        sample(20.0 * at, 20.0, {"a": one[:3], "b": one[3:]})  # type: ignore[dict-item]
        for at, one in enumerate(stretches)
    ]
    found = figures(run(JOBS, samples=samples))
    assert all(-1e-9 <= each.deficit <= each.entitled * (1 + 1e-9) for each in found.deficits)
    assert all(index is None or 0.5 <= index <= 1 for index in found.over_time.fairness)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=5))
def test_queues_that_hold_what_they_deserve_are_owed_nothing(shares: list[tuple[float, float]]) -> None:
    """However much that is, and however much more they want: no debt, and the index is 1."""
    samples = [
        sample(20.0 * at, 20.0, {"a": (one, one, one + 1), "b": (two, two, two + 5)})
        for at, (one, two) in enumerate(shares)
    ]
    found = figures(run(JOBS, samples=samples))
    assert all(each.deficit == 0 for each in found.deficits)
    assert all(index is None or index == pytest.approx(1) for index in found.over_time.fairness)


def test_a_run_in_which_nothing_happens_has_figures() -> None:
    """Without jobs, nodes and samples all is nothing, and nothing fails."""
    found = figures(run([], nodes=[], end=0.0))
    assert (found.all.jobs, found.throughput, found.usage, found.deficits) == (0, 0.0, [], [])
    assert found.over_time.completed == [0]
