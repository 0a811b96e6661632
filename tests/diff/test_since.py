"""What is otherwise than in an earlier comparison."""

from __future__ import annotations

from msgspec.structs import replace

from tests.build import CONF, gang, node, queue
from tests.diff.sides import diff
from vqs.diff.compare import since
from vqs.diff.outcome import Diff, Failure, JobSince, LintDifference, Since
from vqs.lint.outcome import FindingResult
from vqs.report.diff.page import since_lines

OVERCOMMIT = "overcommit\n    arguments: {{overcommit-factor: {}}}"
CLUSTER = [node("n1", cpu=4), *gang("one", 2, queue="a"), *gang("two", 2, queue="b")]


def test_jobs_and_conditions_that_are_otherwise_are_named() -> None:
    """A job that the change no longer touches, one that it touches now, and the conditions; what is the same is not."""
    base = [*CLUSTER, queue("a"), queue("b")]
    first = diff(base, [*CLUSTER, queue("a", capability={"cpu": 1}), queue("b")])
    second = diff(base, [*CLUSTER, queue("a"), queue("b", capability={"cpu": 1})])
    [lost], [other] = first.jobs, second.jobs
    losers, unplaced, evictions = (Failure(condition=each, text="t") for each in ("losers", "unplaced", "evictions"))
    first = replace(first, failures=[losers, unplaced], findings=[])
    second = replace(second, failures=[losers, evictions], findings=[])
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
    assert [*since_lines(told)] == [
        "Since the comparison before: the same for all jobs, conditions, settings and findings"
    ]


def test_settings_and_findings_that_are_otherwise_are_named() -> None:
    """A setting with another value than before, one that is as in the base again, and what lint says."""
    objects = [*CLUSTER, queue("a"), queue("b")]

    def changed(factor: float, *, backfill: bool) -> Diff:
        conf = CONF if backfill else CONF.replace(", backfill", "")
        return diff(objects, objects, other=conf.replace("overcommit", OVERCOMMIT.format(factor)))

    first, second = changed(1.5, backfill=False), changed(1.7, backfill=True)
    message = "pods that request nothing stay pending"
    warned = FindingResult(code="no-backfill", severity="note", message=message, fingerprint="f")
    first = replace(first, findings=[LintDifference(change="new", finding=warned)])
    found = since(first, second)
    assert found.settings == ["actions", "overcommit.overcommit-factor"]
    assert (found.findings_new, found.findings_gone) == ([], [f"no-backfill: {message}"])
    assert [*since_lines(replace(second, since=found))] == [
        (
            "Since the comparison before: setting actions: as in the base; setting overcommit.overcommit-factor: 1.2 "
            f"→ 1.7; vqs lint warns no longer of no-backfill: {message}"
        )
    ]
    assert since(second, first).findings_new == found.findings_gone
