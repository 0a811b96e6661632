"""What a finished session left, looked up as explanations need it."""

from __future__ import annotations

from tests.build import gang, group, node, pod, queue, run
from tests.engine.crowds import PREEMPT, classes, running
from vqs.engine.framework.finished import FinishedSession, GangShortfall


def evicting() -> FinishedSession:
    """Run a session in which a pod of high priority evicts one of two others."""
    asking = [group("w", priorityClassName="high"), pod("w-0", "w", cpu=1)]
    others = running("low", "n1", "n1", priorityClassName="low")
    return run([*classes(), node("n1", cpu=2), queue("default"), *others, *asking], PREEMPT)


def test_searches_are_found_by_preemptor_and_victim() -> None:
    """One that evicts is the same for both; tasks that nothing was evicted for have none."""
    session = evicting()
    [search] = session.searches_by_preemptor.values()
    assert search.task.name == "w-0"
    assert {uid: each is search for uid, each in session.searches_by_victim.items()} == {search.victims[0].uid: True}
    assert session.victims_by_preemptor == {search.task.uid: {search.victims[0].uid}}


def test_tasks_that_are_leaving_are_found_by_node() -> None:
    """A victim is releasing on its node when the session closes."""
    session = evicting()
    [search] = session.searches_by_preemptor.values()
    assert session.releasing_by_node == {"n1": search.victims}


def test_a_gang_knows_what_it_lacks() -> None:
    """Of a discarded gang, it is the tasks that it needs and those that had a place, and the one that had none."""
    session = run([node("n1", cpu=3), node("n2", cpu=3), queue("default"), gang("j", 3, cpu=2)])
    state = session.gang(session.jobs["ns/j"])
    assert state.shortfall == GangShortfall(3.0, 2.0)
    assert state.refused is not None
    assert state.refused.name == "j-worker-2"
    assert list(state.failed_roles.values()) == [state.refused]
    assert state.gated is None
