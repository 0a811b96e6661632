"""What holds under every way to break ties, and what is luck."""

from __future__ import annotations

from tests.build import CONF, gang, group, node, pod
from tests.diff.sides import diff, jobs
from vqs.diff.conditions import parse_conditions


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
    assert result.summary.jobs == len(result.jobs) - len(lucky_jobs)


def test_a_condition_has_to_hold_under_every_seed() -> None:
    """A condition that holds only by luck does not fail."""
    conf = CONF.replace("  - name: binpack\n", "").replace("  - name: nodeorder\n", "")
    conditions = parse_conditions("placed<2")
    outcomes = {diff(lucky(), lucky(), conf, seed=seed, fail_on=conditions).failed for seed in range(12)}
    merged = diff(lucky(), lucky(), conf, seeds=12, fail_on=conditions)
    assert not merged.failed or outcomes == {True}
