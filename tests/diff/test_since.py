"""What is otherwise than in an earlier comparison."""

from __future__ import annotations

from msgspec.structs import replace

from tests.build import gang, node, queue
from tests.diff.sides import diff
from vqs.diff.outcome import Failure, JobSince, Since
from vqs.diff.since import since
from vqs.report.diff.page import since_lines

CLUSTER = [node("n1", cpu=4), *gang("one", 2, queue="a"), *gang("two", 2, queue="b")]


def test_jobs_and_conditions_that_are_otherwise_are_named() -> None:
    """A job that the change no longer touches, one that it touches now, and the conditions; what is the same is not."""
    base = [*CLUSTER, queue("a"), queue("b")]
    first = diff(base, [*CLUSTER, queue("a", capability={"cpu": 1}), queue("b")])
    second = diff(base, [*CLUSTER, queue("a"), queue("b", capability={"cpu": 1})])
    [lost], [other] = first.jobs, second.jobs
    first = replace(first, failures=[Failure(condition="losers", text="t"), Failure(condition="unplaced", text="t")])
    second = replace(second, failures=[Failure(condition="losers", text="t"), Failure(condition="evictions", text="t")])
    found = since(first, second)
    assert found == Since(
        jobs=[
            JobSince(name="ns/one", before=lost.says, after=""),
            JobSince(name="ns/two", before="", after=other.says),
        ],
        failures_new=["evictions"],
        failures_gone=["unplaced"],
    )
    conditions = "condition evictions holds; condition unplaced holds no longer"
    jobs = f"ns/one: as in the base (before: {lost.says}); ns/two: {other.says} (before: as in the base)"
    assert [*since_lines(replace(second, since=found))] == [f"Since the comparison before: {conditions}; {jobs}"]


def test_nothing_that_is_otherwise_is_said_too() -> None:
    """It is the answer to a second push that makes no difference."""
    base = [*CLUSTER, queue("a"), queue("b")]
    found = diff(base, [*CLUSTER, queue("a", capability={"cpu": 1}), queue("b")])
    assert [*since_lines(found)] == []
    told = replace(found, since=since(found, found))
    assert [*since_lines(told)] == ["Since the comparison before: the same for all jobs and conditions"]
