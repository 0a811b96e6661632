"""Which tasks may be evicted at all, what they hold, and how the votes on them are counted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import gang, node, open_session, pod, queue
from tests.engine.crowds import PREEMPT, crowds, running
from tests.properties import examples
from vqs.engine.actions.eviction.votes import EVICTABLE, EvictionIndex, decide
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import StatementResult, VictimDecision
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.engine.nodes.table import Floats
from vqs.model.codes import EvictionCode
from vqs.model.job import Job, Task, TaskStatus


def count(*tiers: dict[str, str]) -> tuple[VictimDecision, str]:
    """Count votes, given as the numbers of the tasks that a plugin lets go; `-` abstains. Return who may go, too."""
    session = open_session([node("n1"), queue("default"), gang("j", 4)])
    tasks = list(session.jobs["ns/j"].tasks.values())

    def voter(letting: str) -> EvictableFn:
        def vote(_: Task, candidates: Sequence[Task]) -> Victims:
            votes = Victims(Vote.ABSTAIN if letting == "-" else Vote.PERMIT)
            for number, task in enumerate(candidates):
                if str(number) in letting:
                    votes.take(task)
                else:
                    votes.spare(task, Refusal(EvictionCode.CRITICAL_POD))
            return votes

        return EvictableFn(vote, DependsOn.NOTHING)

    named = [[(name, voter(letting)) for name, letting in tier.items()] for tier in tiers]
    made = decide(named, tasks, lambda _, each: each.vote(tasks[0], tasks))
    return made, "".join(str(tasks.index(task)) for task in made.victims)


def test_all_plugins_of_a_tier_have_to_agree() -> None:
    """Those that everybody lets go are the victims, in the order of the first vote."""
    made, victims = count({"a": "0123", "b": "31", "c": "013"})
    assert (made.tier, victims) == (0, "13")


def test_the_first_tier_that_agrees_decides() -> None:
    """Later tiers are not asked."""
    made, victims = count({"a": "0"}, {"b": "123"})
    assert (made.tier, victims) == (0, "0")
    assert [vote.plugin for vote in made.votes] == ["a"]


def test_a_plugin_that_lets_nobody_go_ends_its_tier() -> None:
    """The rest of the tier is not asked, and the next tier is."""
    made, victims = count({"a": "01", "b": "", "c": "01"}, {"d": "2"})
    assert (made.tier, victims) == (1, "2")
    assert [vote.plugin for vote in made.votes] == ["a", "b", "d"]


def test_who_abstains_does_not_count() -> None:
    """A tier in which all abstain agrees on nobody."""
    made, victims = count({"a": "-"}, {"b": "1"})
    assert (made.tier, victims) == (1, "1")
    assert [vote.plugin for vote in made.votes] == ["b"]


def test_where_nobody_is_left_the_last_plugin_that_spared_is_named() -> None:
    """Without anybody in common, it is the plugin that shared nobody with those before it."""
    assert count({"a": "0", "b": "1"})[0].spared_by == "b"
    assert count({"a": "0", "b": ""})[0].spared_by == "b"
    assert count({"a": "01"})[0].spared_by == ""


def test_after_plugins_without_anybody_in_common_the_tier_starts_anew() -> None:
    """As in Volcano: the third plugin decides alone, though the first spared its victim."""
    made, victims = count({"a": "0", "b": "1", "c": "2"})
    assert (made.tier, victims) == (0, "2")


def test_without_a_plugin_nobody_may_go() -> None:
    """No votes are no victims."""
    made, victims = count()
    assert (made.tier, victims, made.spared_by) == (None, "", "")


def test_a_poll_tells_each_vote_on_a_task() -> None:
    """A vote on a task is None where it may be evicted, else the refusal."""
    made, _ = count({"a": "01", "b": "1"})
    first, second = made.candidates[:2]
    assert [refusal and refusal.code for _, refusal in made.votes_on(first)] == [None, EvictionCode.CRITICAL_POD]
    assert [refusal for _, refusal in made.votes_on(second)] == [None, None]


def slow_sums(session: Session, jobs: list[Job]) -> Floats:
    """Sum up, task by task, what the evictable tasks of some jobs hold on each node, and how many they are."""
    sums = np.zeros((len(session.nodes.resources) + 1, len(session.nodes)))
    for job in jobs:
        for task in job.tasks.values():
            if task.preemptable and task.status in EVICTABLE and task.node in session.nodes.index:
                column = session.nodes.index[task.node]
                sums[:-1, column] += session.nodes.vectors[task.shape]
                sums[-1, column] += 1
    return sums


@settings(max_examples=examples(60))
@given(crowds(), st.randoms(use_true_random=False))
def test_the_sums_follow_what_is_evicted(crowd: tuple[list[Any], str], rnd: random.Random) -> None:
    """After evictions, some of them taken back, the sums are those of the tasks that may still be evicted."""
    session = open_session(*crowd)
    index, jobs, queues = session.shared(EvictionIndex), session.jobs, session.queues
    for name in queues:
        index.sums_outside(name)
    for job in jobs.values():
        index.sums_beside(job)
        statement = Statement(session, job)
        for task in [task for task in job.tasks.values() if task.status in EVICTABLE]:
            if task.node in session.nodes.index and rnd.random() < 0.5:
                statement.evict(task, "test")
        if rnd.random() < 0.5:
            statement.end(StatementResult.DISCARD)
    for name in queues:
        outside = [job for job in jobs.values() if job.queue != name and queues[job.queue].reclaimable]
        assert np.array_equal(index.sums_outside(name), slow_sums(session, outside))
    for own in jobs.values():
        beside = [job for job in jobs.values() if job.queue == own.queue and job is not own]
        assert np.array_equal(index.sums_of(own.uid), slow_sums(session, [own]))
        assert np.array_equal(index.sums_beside(own), slow_sums(session, beside))


def test_only_bound_and_running_tasks_may_be_evicted() -> None:
    """Not those that are on their way out, and not those that say no."""
    session = open_session(
        [
            node("n1"),
            queue("default"),
            running("j", "n1"),
            pod("bound", "j", node="n1", phase="Pending"),
            pod("leaving", "j", node="n1", deleted=True),
            pod("finished", "j", node="n1", phase="Succeeded"),
            pod("keeps", "j", node="n1", annotations={"volcano.sh/preemptable": "false"}),
        ],
        PREEMPT,
    )
    found = session.shared(EvictionIndex).candidates(0, lambda _: True)
    assert [task.name for task in found] == ["bound", "j-worker-0"]


def test_a_seed_shuffles_the_tasks_of_a_node() -> None:
    """The reference walks them in no order; without a seed, it is that of their names."""
    objects: list[Any] = [node("n1", cpu=9), queue("default"), running("j", *["n1"] * 9)]

    def names(seed: int | None) -> list[str]:
        session = open_session(objects, PREEMPT, seed)
        return [task.name for task in session.shared(EvictionIndex).candidates(0, lambda _: True)]

    assert names(None) == sorted(names(None))
    assert names(1) != names(None)
    assert names(1) == names(1)


@pytest.mark.parametrize("depth", DependsOn)
def test_a_change_is_noted_where_it_matters(depth: DependsOn) -> None:
    """An eviction changes who is left and the room on its own node, and votes on nodes with tasks of its job or queue.

    What no vote depends on is not noted.
    """
    session = open_session(
        [
            *[node(name) for name in ("n1", "n2", "n3", "n4")],
            queue("default"),
            queue("other"),
            running("j", "n1", "n2"),
            running("k", "n3"),
            running("l", "n4", queue="other"),
        ],
        PREEMPT,
    )
    index = session.shared(EvictionIndex)
    index.watch(depth)
    session.evict(session.jobs["ns/j"].tasks["j-worker-0"])
    noted = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    assert index.changed[: depth + 1].tolist() == noted[: depth + 1]
    assert index.changed[-1].tolist() == [1, 0, 0, 0]
    assert session.jobs["ns/j"].having(TaskStatus.Releasing)
