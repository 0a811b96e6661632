"""Two policies on one workload: paired by seed, with an interval where there are seeds for one."""

from __future__ import annotations

import pytest

from tests.replay.runs import job, run, runs
from vqs.replay.compare import compared, contrasts
from vqs.replay.outcome import Replay, Replays
from vqs.replay.summary import Contrast, Difference


def made(policy: str, seed: int, start: float | None, end: float | None, other: float = 40.0) -> Replay:
    """Return a run of two jobs, of which one starts and ends at given times, and the other ends at a given one."""
    jobs = [job("one", times=(0.0, 0.0, start, end)), job("two", "b", (0.0, 0.0, 1.0, other))]
    return run(jobs, policy=policy, seed=seed)


def figure(contrast: Contrast, name: str, queue: str | None = None) -> Difference:
    """Return one difference."""
    [found] = [each for each in contrast.differences if (each.figure, each.queue) == (name, queue)]
    return found


def three(*starts: tuple[float, float]) -> Replays:
    """Return runs of two policies, with the start of a job under each, by seed."""
    pairs = enumerate(starts, 1)
    return runs(*(made(policy, seed, at, 90.0) for seed, both in pairs for policy, at in zip("ab", both, strict=True)))


def test_differences_are_paired_by_seed() -> None:
    """The waits of a queue differ by 1, 2 and 3 s: 2 s on average, and the interval is that of these differences."""
    [contrast] = contrasts(three((10.0, 11.0), (20.0, 22.0), (60.0, 63.0)))
    found = figure(contrast, "wait.mean", "a")
    assert (contrast.base, contrast.policy, contrast.seeds) == ("a", "b", [1, 2, 3])
    assert (found.base, found.value, found.difference.mean) == (30.0, 32.0, 2.0)
    assert found.difference.low == pytest.approx(2 - 2.484138)
    assert figure(contrast, "evictions").difference.mean == 0


def test_few_seeds_have_no_interval() -> None:
    """With two there is a mean, and no interval to believe in."""
    [contrast] = contrasts(three((10.0, 11.0), (20.0, 22.0)))
    assert figure(contrast, "wait.mean").difference.low is None


def test_only_seeds_of_both_count() -> None:
    """A seed with which one policy was not run says nothing about the difference."""
    result = three((10.0, 11.0), (20.0, 22.0))
    result.runs.append(made("a", 3, 90.0, 95.0))
    result.seeds.append(3)
    assert contrasts(result)[0].seeds == [1, 2]


def test_jobs_that_change_are_listed() -> None:
    """One that completes 30 s later is, one that completes 1 s later is not."""
    [contrast] = contrasts(runs(made("a", 1, 5.0, 30.0), made("b", 1, 9.0, 60.0, other=41.0)))
    [found] = contrast.jobs
    assert (found.job, found.queue, found.wait, found.completion, found.completion_delay) == (
        "ns/one",
        "a",
        (5.0, 9.0),
        (30.0, 60.0),
        30.0,
    )
    assert (contrast.better, contrast.worse) == (0, 1)


def test_a_job_that_never_starts_is_worse_off() -> None:
    """It counts until the end of the run, and how many of the runs it starts in is told."""
    [contrast] = contrasts(runs(made("a", 1, 5.0, 30.0), made("b", 1, None, None)))
    [found] = contrast.jobs
    assert (found.starts, found.wait, found.completion, found.completion_delay) == (
        (1, 0),
        (5.0, None),
        (30.0, None),
        70.0,
    )
    named = [each.figure for each in contrast.differences if each.queue == "a"]
    assert named == ["started", "evictions", "pods-lost", "restarted", "workLost"]


def test_a_policy_and_itself_differ_in_nothing() -> None:
    """Every difference is 0, and no job changes."""
    same = [made(policy, seed, 5.0 * seed, 50.0) for policy in "ab" for seed in (1, 2, 3)]
    [contrast] = compared(runs(*same)).contrasts
    assert {each.difference.mean for each in contrast.differences} == {0.0}
    assert (contrast.better, contrast.worse, contrast.jobs) == (0, 0, [])
    assert not any(each.difference.is_clear() for each in contrast.differences)


def test_one_policy_is_compared_with_nothing() -> None:
    """Seeds of one policy are no comparison."""
    assert compared(runs(made("a", 1, 5.0, 30.0), made("a", 2, 6.0, 30.0))).contrasts == []
