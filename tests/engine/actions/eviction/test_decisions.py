"""Votes are counted tier by tier."""

from __future__ import annotations

from collections.abc import Sequence

from tests.build import gang, node, open_session, queue
from vqs.engine.actions.eviction.decisions import decide
from vqs.engine.framework.points import DependsOn, EvictableFn
from vqs.engine.framework.trace import VictimDecision
from vqs.engine.framework.votes import Refusal, Victims, Vote
from vqs.model.codes import EvictionCode
from vqs.model.task import Task


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
