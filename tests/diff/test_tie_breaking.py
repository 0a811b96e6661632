"""What holds under every way to break ties, and what is luck."""

from __future__ import annotations

from msgspec.structs import replace

from tests.build import CONF, gang, group, node, pod, queue
from tests.diff.sides import diff, jobs
from vqs.diff.compare import merged
from vqs.diff.conditions import parse_conditions
from vqs.diff.outcome import Diff, Effect, JobChange, QueueDifference
from vqs.report.formats import Format, View
from vqs.report.registry import write


def test_a_change_that_always_comes_holds() -> None:
    """What is seen under all seeds is no luck."""
    result = diff([node("n1", cpu=4), *gang("a", 4)], [node("n1", cpu=2), *gang("a", 4)], seeds=4)
    assert (result.seeds, jobs(result)["a"].seen_under_seeds, jobs(result)["a"].tie_dependent) == (4, 4, False)
    assert result.summary.tie_dependent == 0


def test_a_move_that_only_some_seeds_show_is_luck() -> None:
    """What is seen only under some seeds is told as luck, last, and is no difference."""
    before = [node(f"n{number}", cpu=4) for number in range(4)]
    running = [group("old", phase="Running"), pod("old-worker-0", "old", 1, node="n3")]
    after = [*before, node("n4", cpu=4)]
    result = diff([*before, *running, *gang("a", 1)], [*after, *running, *gang("a", 1)], seeds=5, placements=True)
    lucky_jobs = [job for job in result.jobs if job.tie_dependent]
    assert all(job.seen_under_seeds < 5 for job in lucky_jobs)
    assert [job.tie_dependent for job in result.jobs] == sorted(job.tie_dependent for job in result.jobs)
    assert result.summary.tie_dependent >= len(lucky_jobs)
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
    assert all(each.tie_dependent for each in result.evictions)
    assert (result.summary.evictions_added, result.summary.lose) == (1, 1)
    assert result.summary.changes["evicted"] == 1
    assert (result.differs, [each.condition for each in result.failures]) == (True, ["evictions"])


def test_who_is_not_always_evicted_is_counted_as_luck() -> None:
    """Every listed difference that not all seeds show is counted."""
    result = preempted(seeds=8)
    told = [
        each.tie_dependent for differences in (result.jobs, result.evictions, result.queues) for each in differences
    ]
    assert result.summary.tie_dependent == sum(told) > 0


EVEN = CONF.replace("  - name: binpack\n", "").replace("  - name: nodeorder\n", "")
"""Nodes that fit are equally good."""


def crowded(*, large_first: bool) -> list[object]:
    """Return a cluster where a large job always has room if it comes first, and else only by luck."""
    small, large = gang("small", 1, cpu=1, created=1 + large_first), gang("large", 1, cpu=5, created=2 - large_first)
    return [node("n1", cpu=4), node("n2", cpu=5), *small, *large]


def test_what_one_seed_does_not_show_is_no_difference() -> None:
    """Where a job is worse off only under some seeds, nothing holds: no number, no difference, no condition."""
    sides = crowded(large_first=True), crowded(large_first=False)
    conditions = parse_conditions("unplaced")
    seen = {diff(*sides, EVEN, seed=seed, fail_on=conditions).failed for seed in range(8)}
    merged = diff(*sides, EVEN, seeds=8, seed=0, fail_on=conditions)
    assert seen == {True, False}
    assert jobs(merged)["large"].tie_dependent
    assert all(job.tie_dependent for job in merged.jobs)
    assert (merged.summary.jobs, merged.summary.lose, merged.summary.changes) == (0, 0, {})
    assert (merged.differs, merged.failed, merged.summary.tie_dependent > 0) == (False, False, True)


def seen_as(*changes: list[JobChange]) -> Diff:
    """Merge differences that are the same but for the changes of their only job; none where it does not differ."""
    one = diff([node("n1", cpu=4), *gang("a", 4)], [node("n1", cpu=2), *gang("a", 4)], lint=False)
    return merged([replace(one, jobs=[replace(one.jobs[0], changes=each)] if each else []) for each in changes])


def test_what_a_job_sees_only_under_some_seeds_is_told_as_luck() -> None:
    """What holds comes first; what is seen besides is kept apart from it."""
    [job] = seen_as(["request"], ["spared", "request"], ["spared", "request"]).jobs
    assert (job.changes, job.tie_dependent_changes, job.tie_dependent, job.seen_under_seeds) == (
        ["request"],
        ["spared"],
        False,
        3,
    )
    [job] = seen_as(["unplaced"], ["moved"], []).jobs
    assert (job.changes, job.tie_dependent_changes, job.tie_dependent, job.seen_under_seeds) == (
        ["unplaced", "moved"],
        [],
        True,
        1,
    )


def queue_seen_as(*seen: tuple[Effect, list[str]]) -> QueueDifference:
    """Merge differences that are the same but for the effect on a queue, and the fields of it that differ."""
    one = diff([node("n1"), queue("q"), *gang("a", 1, queue="q")], [node("n1"), queue("q", 2)], lint=False)
    [found] = [each for each in one.queues if each.name == "q"]
    diffs = [
        replace(one, queues=[replace(found, effect=effect, fields=fields, change="changed" if fields else "same")])
        for effect, fields in seen
    ]
    return merged(diffs).queues[0]


def test_a_queue_is_better_off_only_where_it_always_is() -> None:
    """Of its figures those are told that always differ; whether it is better off may depend on luck."""
    found = queue_seen_as(("gains", ["share", "allocated"]), ("gains", ["allocated"]))
    assert (found.effect, found.fields, found.tie_dependent) == ("gains", ["allocated"], False)
    assert queue_seen_as(("gains", ["share"]), ("loses", ["share"])).effect == "both"
    assert queue_seen_as(("gains", ["share"]), ("neither", ["share"])).effect == "neither"
    sometimes = queue_seen_as(("gains", ["share"]), ("neither", []))
    assert (sometimes.tie_dependent, sometimes.seen_under_seeds) == (True, 1)
    assert queue_seen_as(("gains", ["share"]), ("gains", ["allocated"])).tie_dependent


def test_evictions_hold_where_only_the_order_of_nodes_is_drawn() -> None:
    """Whichever list of nodes reclaim walks, as many are evicted; that an order was drawn is noted."""
    names = [f"n{number}" for number in range(6)]
    running = [pod(f"rich-worker-{number}", "rich", 2, node=names[number // 2]) for number in range(12)]
    objects: list[object] = [
        *[node(name, cpu=4) for name in names],
        queue("rich"),
        queue("poor"),
        group("rich", phase="Running", queue="rich", min_member=1),
        *running,
        *gang("poor", 5, cpu=2, queue="poor"),
    ]
    conf = CONF.replace("allocate, backfill", "reclaim, allocate, backfill")
    result = diff(objects, objects, CONF, conf, seeds=6, fail_on=parse_conditions("evictions"))
    assert result.node_order_drawn
    assert result.summary.evictions_added == 5
    assert not any(job.tie_dependent for job in result.jobs)


def test_a_condition_that_holds_as_luck_has_it() -> None:
    """Nothing fails by luck, and what would under some ways to break ties is said, with under how many."""
    result = preempted(seeds=8, fail_on="job:ns/low-0.evicted>0,evictions>5")
    assert (result.failures, result.failed) == ([], False)
    [lucky] = result.tie_dependent_failures
    assert lucky.condition == "job:ns/low-0.evicted>0"
    held = next(each.seen_under_seeds for each in result.jobs if each.name == "low-0")
    assert lucky.text.endswith(f"and must not be > 0, under {held} of 8 ways to break ties")
    told = write(result, Format.TABLE, View())
    assert f"--fail-on: {lucky.text}; this depends on tie-breaking and fails nothing" in " ".join(told.split())
    assert lucky.text in write(result, Format.GITHUB, View())
