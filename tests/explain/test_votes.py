"""Why nobody is evicted, in words."""

from __future__ import annotations

import string

import pytest

from tests.build import gang as cluster_gang
from tests.build import node, open_session
from vqs.engine.framework.trace import PluginVote, VictimDecision
from vqs.engine.framework.votes import Refusal, Victims
from vqs.explain.votes import EVICTION_RULES, why, why_spared
from vqs.model.codes import EvictionCode, VerdictCode


def test_every_code_has_a_sentence() -> None:
    """What spares a task, or keeps an action from looking for victims, can be told."""
    assert set(EVICTION_RULES) == set(EvictionCode)


@pytest.mark.parametrize("code", sorted(EVICTION_RULES))
def test_sentences_use_what_a_refusal_has(code: EvictionCode) -> None:
    """Each can be written, and leaves no gap behind."""
    refusal = Refusal(code, "plugin", "cpu", 2000.0, 1000.0, node="n1", queue="q", text="something")
    sentence = why(refusal)
    fields = {name for _, name, _, _ in string.Formatter().parse(EVICTION_RULES[code].sentence) if name}
    wanted = {"need": "2", "have": "1", "resource": "cpu", "node": "n1", "queue": "q", "text": "something"}
    wanted["left"] = "999 tasks"
    assert fields <= wanted.keys()
    assert all(wanted[name] in sentence for name in fields)


def test_what_an_eviction_would_leave_of_a_gang() -> None:
    """The sentence has the tasks that would be left, and what the gang needs; others of it may go before."""
    jobs = open_session([node("n"), cluster_gang("job", 2)]).jobs
    first, second = jobs["ns/job"].tasks.values()
    victims = Victims()
    refusal = Refusal(EvictionCode.NEEDED_BY_ITS_GANG, "gang", need=1.0, have=1.0, text="ns/job")
    victims.spare(second, refusal)
    vote = PluginVote(0, "gang", victims)
    alone = "evicting it would leave 0 tasks of ns/job; its gang needs 1"
    assert why_spared(jobs, VictimDecision([second], (vote,), 0, [], ""), vote, second) == alone
    victims.take(first)
    both = VictimDecision([first, second], (vote,), 0, [], "")
    assert why_spared(jobs, both, vote, second) == f"once those before it are gone, {alone}"


@pytest.mark.parametrize(
    ("code", "taken", "suffix"),
    [
        (EvictionCode.NEEDED_BY_ITS_GANG, False, ""),
        (EvictionCode.QUEUE_WITHIN_DESERVED, True, ", once those before it are gone"),
        (EvictionCode.QUEUE_GUARANTEE, True, ", once those before it are gone"),
        (EvictionCode.QUEUE_GUARANTEE, False, ""),
        (EvictionCode.SHARE_WOULD_BE_SMALLER, False, ", once those before it are gone"),
        (EvictionCode.DISRUPTION_BUDGET, False, ", and those before it use that up"),
        (EvictionCode.PRIORITY_NOT_LOWER, True, ""),
    ],
)
def test_figures_that_count_on_those_before(code: EvictionCode, *, taken: bool, suffix: str) -> None:
    """They say so, which the first of its group never does."""
    refusal = Refusal(code, "plugin", "cpu", 2000.0, 1000.0, queue="q", text="it")
    jobs = open_session([node("n"), cluster_gang("job", 2)]).jobs
    first, second = jobs["ns/job"].tasks.values()
    victims = Victims()
    victims.spare(second, refusal)
    if taken:
        victims.take(first)
    else:
        victims.spare(first, refusal)
    vote = PluginVote(0, "plugin", victims)
    decision = VictimDecision([first, second], (vote,), 0, [], "")
    assert why_spared(jobs, decision, vote, second) == why(refusal) + suffix
    assert taken or code == EvictionCode.DISRUPTION_BUDGET or why_spared(jobs, decision, vote, first) == why(refusal)


def test_what_keeps_a_task_from_its_place_keeps_an_action_from_evicting() -> None:
    """The sentence is then that of the verdict, or one that suits both."""
    unchecked = Refusal(VerdictCode.PRE_PREDICATE_FAILED, text="no claim")
    assert why(unchecked) == "the task was refused before any node was checked: no claim"
    assert why(Refusal(VerdictCode.QUEUE_CLOSED, text="Closing")) == "its queue is Closing"
    overused = Refusal(VerdictCode.QUEUE_OVERUSED, resource="cpu", need=48000.0, have=40000.0)
    assert why(overused) == "its queue counts as overused, as it holds 48 cpu and deserves 40"
    assert why(Refusal(VerdictCode.QUEUE_OVERUSED)) == "its queue counts as overused, as it deserves nothing"
