"""Who is served before a job, and which comparison says so."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.build import CONF, gang, node, open_session, queue
from vqs.engine.framework.session import Session
from vqs.explain.jobs.outcome import JobPlace
from vqs.explain.jobs.report import job_order

CLASSES = [
    {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
    for name, value in (("high", 100), ("low", 1))
]


def orders(session: Session) -> dict[str, list[JobPlace]]:
    """Return the order of jobs by queue, checked against the one that actions sort by."""
    found = {name: job_order(session, name) for name in session.queues}
    for places in found.values():
        keys = [session.plugins.job_key(session.jobs[place.job]) for place in places]
        assert keys == sorted(keys)
        assert [place.position for place in places] == list(range(1, len(places) + 1))
        for before, place in pairwise(places):
            check(session, before, place)
    return found


def check(session: Session, before: JobPlace, place: JobPlace) -> None:
    """Check that the comparison that is named is the first in which two jobs differ."""
    first, second = session.jobs[before.job], session.jobs[place.job]
    orders = list(zip(session.plugins.job_orders(first), session.plugins.job_orders(second), strict=True))
    differing = [plugin for (plugin, mine), (_, theirs) in orders if mine != theirs]
    if differing:
        assert place.decided_by == differing[0]
        assert place.criterion
    else:
        assert place.decided_by == ("created" if first.created != second.created else "uid")
    assert len(place.values) == 2


def names(places: list[JobPlace]) -> list[tuple[str, str, list[str]]]:
    """Return the jobs with what decided."""
    return [(place.job, place.decided_by, place.values) for place in places]


def order(*jobs: Any, conf: str = CONF) -> list[tuple[str, str, list[str]]]:
    """Return the order of the jobs of the default queue."""
    return names(orders(open_session([node("n"), queue("default"), *CLASSES, *jobs], conf))["default"])


def test_priority() -> None:
    """The higher priority goes first, and both are told as they are written."""
    found = order(gang("a", 1, priorityClassName="low"), gang("b", 1, priorityClassName="high", created=1))
    assert found == [("ns/b", "", []), ("ns/a", "priority", ["100", "1"])]


def test_age_and_name() -> None:
    """Where no plugin cares, the older one goes first, and of two as old the one with the lower name."""
    found = order(gang("b", 1, created=1), gang("a", 1, created=1), gang("c", 1))
    assert found == [
        ("ns/c", "", []),
        ("ns/a", "created", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"]),
        ("ns/b", "uid", ["ns/a", "ns/b"]),
    ]


def test_waiting_time() -> None:
    """The plugin sla puts first whose time runs out first, then those that may wait for ever."""
    patient, urgent = gang("a", 1), gang("b", 1, created=1)
    urgent[0]["metadata"]["annotations"] = {"sla-waiting-time": "60s"}
    found = order(patient, urgent, conf=CONF.replace("- name: priority", "- name: sla"))
    assert found == [("ns/b", "", []), ("ns/a", "sla", ["2026-01-01T00:01:01Z", "never"])]


def test_jobs_that_wait_for_nothing_are_left_out() -> None:
    """Only those that compete are counted."""
    assert order() == []
