"""gangpreempt makes room for whole gangs by evicting tasks of their own queue."""

from __future__ import annotations

from typing import Any

import pytest

from tests.build import gang, group, hyper_node, node, queue
from tests.engine.crowds import classes, evicted, promised, running
from tests.engine.gangs import TIERS, run_for_gangs
from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Scope

HIGH: dict[str, Any] = {"priorityClassName": "high"}
LOW: dict[str, Any] = {"priorityClassName": "low"}


def session_of(*objects: Any, nodes: int = 2, actions: str = "gangpreempt", tiers: str = TIERS) -> Session:
    """Run a session on some nodes of four cores."""
    machines = [node(f"n{number}", cpu=4) for number in range(1, nodes + 1)]
    return run_for_gangs([*machines, queue("default"), *classes(), *objects], actions, tiers)


def refusal_of(session: Session) -> str:
    """Return why the only search found nothing."""
    [search] = session.trace.victim_searches
    assert search.refusal is not None
    return search.refusal.code


def test_a_gang_gets_room_for_all_of_its_tasks_at_once() -> None:
    """What the other job can spare goes, all of it; the task that its gang needs stays."""
    session = session_of(running("low", *["n1"] * 4, *["n2"] * 4, **LOW), gang("w", 2, cpu=2, **HIGH))
    assert sorted(evicted(session)) == [f"low-worker-{number}" for number in range(7)]
    assert sorted(promised(session)) == ["w-worker-0", "w-worker-1"]
    assert session.trace.victim_searches[0].scope is Scope.QUEUE


def test_a_job_of_the_same_priority_gives_up_nothing() -> None:
    """And neither does one whose PodGroup is not preemptable."""
    protected = running("p", *["n2"] * 4, min_member=0, **LOW)
    protected[0]["metadata"]["annotations"] = {"volcano.sh/preemptable": "false"}
    session = session_of(running("other", *["n1"] * 4, min_member=0, **HIGH), protected, gang("w", 1, **HIGH))
    assert evicted(session) == []
    assert session.trace.victim_searches[0].candidates == 0


def test_jobs_that_are_served_last_lose_first() -> None:
    """By priority, and then by age."""
    jobs = [running("older", *["n1"] * 4, min_member=0, **LOW), running("newer", *["n2"] * 4, min_member=0, **LOW)]
    jobs[1][0]["metadata"]["creationTimestamp"] = "2026-01-01T00:00:09Z"
    session = session_of(*jobs, gang("w", 2, cpu=2, **HIGH))
    assert {name[:5] for name in evicted(session)} == {"newer"}


def test_a_gang_is_broken_where_nothing_else_helps() -> None:
    """It goes as a whole, unless the action is not to break any."""
    objects = [running("low", *["n1"] * 4, min_member=4, **LOW), gang("w", 1, cpu=2, **HIGH)]
    assert len(evicted(session_of(*objects, nodes=1))) == 4
    tiers = f"\nconfigurations:\n- name: gangpreempt\n  arguments: {{allowWholeBundle: false}}{TIERS}"
    session = session_of(*objects, nodes=1, tiers=tiers)
    assert evicted(session) == []
    assert refusal_of(session) == "gangs-not-broken"


def test_nothing_is_evicted_where_the_gang_does_not_fit() -> None:
    """There would be room enough for it in total, but its tasks are larger than the nodes."""
    session = session_of(running("low", *["n1"] * 4, *["n2"] * 4, min_member=0, **LOW), gang("w", 1, cpu=6, **HIGH))
    assert evicted(session) == []
    assert refusal_of(session) == "gang-does-not-fit"
    assert len(session.jobs["ns/low"].tasks) == session.jobs["ns/low"].ready


def test_a_gang_with_a_network_topology_gets_room_in_one_hyper_node() -> None:
    """In the widest that is allowed: not across racks."""
    racks = [hyper_node("r1", 1, nodes=["n1"]), hyper_node("r2", 1, nodes=["n2"])]
    topology = {"mode": "hard", "highestTierAllowed": 1}
    low = running("low", *["n1"] * 4, *["n2"] * 4, min_member=0, **LOW)
    session = session_of(
        *racks,
        low,
        gang("w", 2, cpu=2, networkTopology=topology, **HIGH),
        tiers=TIERS + "  - name: network-topology-aware\n",
    )
    assert len(set(promised(session).values())) == 1
    assert len(evicted(session)) == 4


@pytest.mark.parametrize("later", ["allocate", "gangreclaim"])
def test_what_it_promised_stands_when_other_actions_run_after_it(later: str) -> None:
    """They find the tasks among the pending ones of their sub-job, and no room for them."""
    low = running("low", *["n1"] * 4, min_member=0, **LOW)
    session = session_of(low, gang("w", 1, cpu=4, **HIGH), nodes=1, actions=f"gangpreempt, {later}")
    assert promised(session) == {"w-worker-0": "n1"}
    assert session.jobs["ns/w"].sub_jobs["ns/w"].nominated_hyper_node in {"", "<cluster-top-hypernode>"}


def test_a_job_with_nothing_to_place_is_passed_over() -> None:
    """Its only pending pod asks for nothing."""
    session = session_of(group("w", 1, **HIGH), nodes=1)
    assert session.trace.victim_searches == []
