"""What holds under every way to break ties, and what is luck."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.build import CONF, gang, group, node, pod
from tests.diff.sides import diff, jobs
from vqs.diff.conditions import parse_conditions

if TYPE_CHECKING:
    from vqs.diff.outcome import Diff


def lucky() -> list[object]:
    """Return a cluster where a large job finds room only if a small one happens to take the smaller of two nodes."""
    return [
        node("n1", cpu=4),
        node("n2", cpu=4),
        *gang("small", 1, cpu=1, created=1),
        *gang("large", 1, cpu=4, created=2),
    ]


def test_a_change_that_always_comes_holds() -> None:
    """What is seen under all seeds is no luck."""
    result = diff([node("n1", cpu=4), *gang("a", 4)], [node("n1", cpu=2), *gang("a", 4)], seeds=4)
    assert (result.seeds, jobs(result)["a"].held, jobs(result)["a"].luck) == (4, 4, False)
    assert result.summary.luck == 0


def test_a_move_that_only_some_seeds_show_is_luck() -> None:
    """What is seen only under some seeds is told as luck, last, and is no difference."""
    before = [node(f"n{number}", cpu=4) for number in range(4)]
    running = [group("old", phase="Running"), pod("old-worker-0", "old", 1, node="n3")]
    after = [*before, node("n4", cpu=4)]
    result = diff([*before, *running, *gang("a", 1)], [*after, *running, *gang("a", 1)], seeds=5, placements=True)
    lucky_jobs = [job for job in result.jobs if job.luck]
    assert all(job.held < 5 for job in lucky_jobs)
    assert [job.luck for job in result.jobs] == sorted(job.luck for job in result.jobs)
    assert result.summary.luck >= len(lucky_jobs)
    assert result.summary.jobs >= len(result.jobs) - len(lucky_jobs)


def preempted(*, seeds: int, fail_on: str = "evictions") -> Diff:
    """Compare three jobs, of one of which a task has to go for a fourth job, with none of them having to go."""
    classes = [
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
        for name, value in (("low", 1), ("high", 100))
    ]
    objects: list[object] = [*classes]
    for number in range(3):
        low = [pod(f"low-{number}-worker-{task}", f"low-{number}", 2, node=f"n{number}") for task in range(2)]
        for each in low:
            each["spec"] |= {"priorityClassName": "low", "priority": 1}
        group_of_them = group(f"low-{number}", phase="Running", priorityClassName="low", min_member=1)
        objects += [node(f"n{number}", cpu=4), group_of_them, *low]
    urgent = gang("urgent", 1, cpu=2, priorityClassName="high")
    urgent[1]["spec"] |= {"priorityClassName": "high", "priority": 100}
    conf = CONF.replace("  - name: proportion\n", "")
    other = conf.replace("allocate, backfill", "allocate, preempt, backfill")
    objects += urgent
    return diff(objects, objects, conf, other, seeds=seeds, fail_on=parse_conditions(fail_on))


def test_how_many_are_evicted_holds_where_luck_decides_who() -> None:
    """One eviction is seen under every seed, of another task each time: it counts, and who it is is luck."""
    result = preempted(seeds=8)
    assert len({each.task for each in result.evictions}) > 1
    assert all(each.luck for each in result.evictions)
    assert (result.summary.evictions_added, result.summary.lose) == (1, 1)
    assert result.summary.changes["evicted"] == 1
    assert (result.differs, [each.condition for each in result.failures]) == (True, ["evictions"])


def test_who_is_not_always_evicted_is_counted_as_luck() -> None:
    """Every listed difference that not all seeds show is counted."""
    result = preempted(seeds=8)
    told = [each.luck for differences in (result.jobs, result.evictions, result.queues) for each in differences]
    assert result.summary.luck == sum(told) > 0


def test_what_differs_only_under_some_seeds_is_no_difference() -> None:
    """Where one seed shows nothing, nothing is said to differ."""
    conf = CONF.replace("  - name: binpack\n", "").replace("  - name: nodeorder\n", "")
    objects = lucky()
    other = [node("n1", cpu=4), node("n2", cpu=5), *objects[2:]]
    seen = {bool(diff(objects, other, conf, seed=seed).jobs) for seed in range(8)}
    merged = diff(objects, other, conf, seeds=8)
    assert seen == {True, False}
    assert (merged.summary.jobs, merged.differs) == (0, True)  # the node itself is another one


def test_a_condition_has_to_hold_under_every_seed() -> None:
    """A condition that holds only by luck does not fail."""
    conf = CONF.replace("  - name: binpack\n", "").replace("  - name: nodeorder\n", "")
    conditions = parse_conditions("placed<2")
    outcomes = {diff(lucky(), lucky(), conf, seed=seed, fail_on=conditions).failed for seed in range(12)}
    merged = diff(lucky(), lucky(), conf, seeds=12, fail_on=conditions)
    assert not merged.failed or outcomes == {True}
