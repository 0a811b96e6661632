"""resourcequota admits the jobs whose minResources fit into the quotas of their namespace."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import Object, group, node, queue, run
from vqs.engine.framework.finished import FinishedSession
from vqs.engine.plugins.resourcequota import Quota
from vqs.explain.verdicts import job_verdict
from vqs.model.job import INQUEUE

CONF = """
actions: "enqueue"
tiers:
- plugins:
  - name: resourcequota
"""


def quota(name: str, hard: dict[str, Any], used: dict[str, Any] | None = None, namespace: str = "ns") -> Object:
    """Make a ResourceQuota that the quota controller has seen."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"hard": hard},
        "status": {"hard": hard, "used": used or {}},
    }


def job(name: str, created: int = 0, **minimum: Any) -> Object:
    """Make a PodGroup that waits to enter its queue."""
    return group(name, 1, "Pending", created=created, minResources=minimum)


def admitted(*objects: Object, conf: str = CONF) -> list[str]:
    """Return the names of the jobs that may enter their queue."""
    return [each.name for each in session(*objects, conf=conf).jobs.values() if each.phase_before != each.phase]


def session(*objects: Object, conf: str = CONF) -> FinishedSession:
    """Run a session with a node and a queue."""
    return run([node("n1"), queue("default"), *objects], conf)


def test_a_job_within_the_quota_enters() -> None:
    """All of the quota may be used, and nothing beyond it."""
    limit = quota("q", {"cpu": 4, "memory": "8Gi"}, {"cpu": "1500m"})
    assert admitted(limit, job("j", cpu="2500m", memory="8192Mi")) == ["j"]
    assert admitted(limit, job("j", cpu="2501m")) == []
    assert admitted(limit, job("j", memory="8Gi", cpu=3)) == []


def test_only_resources_that_both_name_count() -> None:
    """A quota of requests.cpu is for what minResources calls so, and cpu is something else."""
    limit = quota("q", {"requests.cpu": 1, "pods": 10}, {"requests.cpu": 1})
    assert admitted(limit, job("j", cpu=8)) == ["j"]
    assert admitted(limit, job("j", cpu=8, **{"requests.cpu": 8})) == []


def test_a_quota_that_is_exceeded_holds_back_only_those_who_ask_for_more() -> None:
    """What the job asks nothing of is not looked at, and asking for 0 of it is asking."""
    limit = quota("q", {"cpu": 4, "memory": "1Gi"}, {"memory": "2Gi"})
    assert admitted(limit, job("j", cpu=1)) == ["j"]
    assert admitted(limit, job("j", cpu=1, memory=0)) == []


def test_every_quota_of_the_namespace_has_to_allow_the_job() -> None:
    """Those of other namespaces do not matter."""
    limits = [quota("a", {"cpu": 9}), quota("b", {"cpu": 2}), quota("c", {"cpu": 0}, namespace="other")]
    assert admitted(*limits, job("j", cpu=2)) == ["j"]
    assert admitted(*limits, job("j", cpu=3)) == []


def test_what_was_let_in_counts_for_those_that_follow() -> None:
    """Also in resources that only another quota limits; a job that was refused counts for nothing."""
    limits = [quota("a", {"cpu": 4}), quota("b", {"memory": "4Gi"})]
    jobs = [
        job("first", 1, cpu=2, memory="1Gi"),
        job("refused", 2, cpu=3, memory="3Gi"),
        job("second", 3, cpu=2, memory="3Gi"),
        job("third", 4, memory="1Gi"),
    ]
    assert admitted(*limits, *jobs) == ["first", "second"]


def test_jobs_without_minimum_and_namespaces_without_quota_are_let_in() -> None:
    """There is nothing to compare."""
    assert admitted(quota("q", {"cpu": 0}), group("j", 1, "Pending")) == ["j"]
    assert admitted(quota("q", {"cpu": 0}, namespace="other"), job("j", cpu=9)) == ["j"]


def test_a_quota_without_status_is_no_limit() -> None:
    """The scheduler reads the status alone, which the quota controller writes."""
    new = quota("q", {"cpu": 0})
    del new["status"]
    assert admitted(new, job("j", cpu=9)) == ["j"]


def test_the_flag_switches_it_off() -> None:
    """As of every plugin at the gate."""
    off = CONF + "    enableJobEnqueued: false\n"
    assert admitted(quota("q", {"cpu": 0}), job("j", cpu=9), conf=off) == ["j"]


@pytest.mark.parametrize(
    ("name", "used", "hard", "wanted", "text"),
    [
        ("cpu", "500m", 1, "600m", "ResourceQuota ns/q would have 1.1 cpu in use with job j, and allows 1"),
        (
            "requests.memory",
            "1Gi",
            "2Gi",
            "1536Mi",
            "ResourceQuota ns/q would have 2.5Gi requests.memory in use with job j, and allows 2Gi",
        ),
        ("pods", 3, 5, 4, "ResourceQuota ns/q would have 7 pods in use with job j, and allows 5"),
        ("count/pods", 3, 5, 4, "ResourceQuota ns/q would have 7 count/pods in use with job j, and allows 5"),
    ],
)
def test_the_verdict_names_the_quota_and_its_figures(name: str, used: Any, hard: Any, wanted: Any, text: str) -> None:
    """In the units of a manifest."""
    finished = session(quota("q", {name: hard}, {name: used}), job("j", **{name: wanted}))
    verdict = job_verdict(finished, finished.jobs["ns/j"])
    assert verdict is not None
    assert (verdict.code, verdict.plugin, verdict.resource) == ("not-enqueued-quota", "resourcequota", name)
    assert verdict.text == text


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=8), st.integers(0, 12), st.integers(0, 12))
def test_no_quota_is_ever_promised_beyond_its_limit(jobs: list[tuple[int, int]], cpu: int, memory: int) -> None:
    """Each job enters exactly if it fits beside those before it."""
    groups = [job(f"j{number}", number, cpu=c, memory=f"{m}Gi") for number, (c, m) in enumerate(jobs)]
    found = session(quota("q", {"cpu": cpu, "memory": f"{memory}Gi"}), *groups)
    left = [cpu, memory]
    for number, (c, m) in enumerate(jobs):
        fits = c <= left[0] and m <= left[1]
        assert (found.jobs[f"ns/j{number}"].phase == INQUEUE) == fits
        if fits:
            left = [left[0] - c, left[1] - m]


def test_amounts_are_compared_exactly() -> None:
    """A billionth too much is too much."""
    limit = Quota("ns/q", {"cpu": Fraction(1)}, {})
    assert limit.refuse({"cpu": Fraction(1)}, {}) is None
    assert limit.refuse({"cpu": Fraction(1)}, {"cpu": Fraction(1, 10**9)}) is not None
