"""sla watches how long jobs wait."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import NOW, gang, node, open_session, placements, pod, queue, run

CONF = """
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: sla
    arguments:
      sla-waiting-time: %s
  - name: gang
- plugins:
  - name: overcommit
  - name: predicates
  - name: proportion
"""

HOUR = 3600
MIDNIGHT = NOW.timestamp()


def job(name: str, waited: int, term: str = "", **more: Any) -> list[Any]:
    """Make a gang of one that was created some hours ago, and may wait as long as its annotation says."""
    group, *pods = gang(name, 1, **more)
    group["metadata"]["creationTimestamp"] = f"2025-12-31T{24 - waited:02d}:00:00Z"
    if term:
        group["metadata"]["annotations"] = {"sla-waiting-time": term}
    return [group, *pods]


def served(*jobs: list[Any], term: str = "2h") -> list[str]:
    """Return jobs in the order in which they are served."""
    session = open_session([node("n1"), *jobs], CONF % term)
    return [job.name for job in sorted(session.jobs.values(), key=session.plugins.job_key)]


def test_jobs_are_served_in_the_order_in_which_their_terms_end() -> None:
    """A young job with a short term goes before an old one with the usual term."""
    assert served(job("old", 3), job("young", 1, "30m"), job("older", 4)) == ["older", "old", "young"]
    assert served(job("old", 3, "4h"), job("young", 1, "30m")) == ["young", "old"]


def test_jobs_without_a_term_come_last() -> None:
    """A waiting time that is no duration, or none at all, is as if none were given."""
    for term in ("0s", "-1h", "soon", "[1]"):
        assert served(job("old", 9), job("young", 1, "30m"), term=term) == ["young", "old"]


def test_the_prefixed_annotation_goes_before_the_bare_one() -> None:
    """Where it is no duration, the bare one counts."""
    group, *pods = job("a", 1, "5h")
    group["metadata"]["annotations"]["volcano.sh/sla-waiting-time"] = "1h"
    assert served([group, *pods], job("b", 1, "2h")) == ["a", "b"]
    group["metadata"]["annotations"]["volcano.sh/sla-waiting-time"] = "never"
    assert served([group, *pods], job("b", 1, "2h")) == ["b", "a"]


@pytest.mark.parametrize(("waited", "phase"), [(1, "Pending"), (2, "Inqueue"), (3, "Inqueue")])
def test_a_job_that_has_waited_too_long_enters(waited: int, phase: str) -> None:
    """It asks for more than the cluster has; the tiers below are not asked once its term is over."""
    large = job("large", waited, cpu=50, phase="Pending", minResources={"cpu": 50})
    session = run([node("n1"), queue("default"), large], CONF % "2h")
    assert session.jobs["ns/large"].phase == phase


@pytest.mark.parametrize(("term", "status"), [("9h", "Pending"), ("1h", "Pipelined")])
def test_a_job_that_has_waited_too_long_keeps_the_places_it_was_promised(term: str, status: str) -> None:
    """Its gang is incomplete, and without sla it would give back what it was promised on a node being emptied."""
    leaving = pod("leaving", "run", 8, node="n1", deleted=True)
    group, *pods = gang("want", 2, cpu=8, created=0)
    group["metadata"]["creationTimestamp"] = "2025-12-31T22:00:00Z"
    group["metadata"]["annotations"] = {"sla-waiting-time": term}
    running = gang("run", 1, phase="Running")[0]
    without_gang = (CONF % "9h").replace("  - name: gang\n- plugins:\n", "- plugins:\n  - name: gang\n")
    session = run(
        [node("n1"), queue("default"), running, leaving, group, *pods], without_gang.replace("proportion", "nodeorder")
    )
    assert placements(session)["want-worker-0"][0] == status
