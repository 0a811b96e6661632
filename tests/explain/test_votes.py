"""Why nobody is evicted, in words."""

from __future__ import annotations

import string

import pytest

from tests.build import gang as cluster_gang
from tests.build import node, open_session
from vqs.engine.actions import preempt, reclaim
from vqs.engine.eviction import starving
from vqs.engine.plugins import cdp, conformance, drf, gang, pdb, priority, proportion
from vqs.engine.plugins.capacity import reclaim as capacity
from vqs.engine.trace import PluginVote, VictimDecision
from vqs.engine.votes import Refusal, Victims
from vqs.explain.votes import SENTENCES, why, why_spared

MODULES = (capacity, cdp, conformance, drf, gang, pdb, preempt, priority, reclaim, starving)

CODES = {
    value
    for module in MODULES
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str) and "-" in value and value.islower() and "/" not in value
}


@pytest.mark.parametrize("code", sorted(CODES - {conformance.SYSTEM_NAMESPACE}))
def test_every_code_has_a_sentence(code: str) -> None:
    """What spares a task, or keeps an action from looking for victims, can be told."""
    assert code in SENTENCES


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_sentences_use_what_a_refusal_has(code: str) -> None:
    """Each can be written, and leaves no gap behind."""
    refusal = Refusal(code, "plugin", "cpu", 2000.0, 1000.0, node="n1", queue="q", text="something")
    sentence = why(refusal)
    fields = {name for _, name, _, _ in string.Formatter().parse(SENTENCES[code]) if name}
    wanted = {"need": "2", "have": "1", "resource": "cpu", "node": "n1", "queue": "q", "text": "something"}
    assert fields <= wanted.keys()
    assert all(wanted[name] in sentence for name in fields)


@pytest.mark.parametrize(
    ("code", "taken", "suffix"),
    [
        (gang.NEEDED, True, ", once those before it are gone"),
        (gang.NEEDED, False, ""),
        (proportion.WITHIN_DESERVED, True, ", once those before it are gone"),
        (capacity.GUARANTEED, True, ", once those before it are gone"),
        (capacity.GUARANTEED, False, ""),
        (drf.SMALLER_SHARE, False, ", once those before it are gone"),
        (pdb.BUDGET, False, ", counting those before it"),
        (priority.NOT_LOWER, True, ""),
    ],
)
def test_figures_that_count_on_those_before(code: str, *, taken: bool, suffix: str) -> None:
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
    assert taken or code == pdb.BUDGET or why_spared(jobs, decision, vote, first) == why(refusal)


def test_an_unknown_code_speaks_for_itself() -> None:
    """Its text is added."""
    assert why(Refusal("brand-new", text="because")) == "brand-new because"
    assert why(Refusal("brand-new")) == "brand-new"
