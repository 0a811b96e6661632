"""Every verdict can be looked up."""

import pytest

from vqs.engine.actions import allocate, backfill
from vqs.engine.plugins import gang, overcommit, proportion, queue_account
from vqs.engine.plugins.capacity import plugin as capacity
from vqs.explain import verdicts
from vqs.explain.rules import RULES
from vqs.explain.votes import SENTENCES

MODULES = (allocate, backfill, capacity, gang, overcommit, proportion, queue_account, verdicts)

CODES = {
    value
    for module in MODULES
    for name, value in vars(module).items()
    if name.isupper() and isinstance(value, str) and "-" in value
} - set(SENTENCES) - {overcommit.FACTOR, queue_account.PANIC} | {allocate.FRAGMENTED, verdicts.GATED}
"""What a task may wait for; what only spares a task from eviction has its sentence, and no task waits for it."""


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_a_session_can_give_is_explained(code: str) -> None:
    """A code without an explanation would leave its reader alone."""
    assert code in RULES


@pytest.mark.parametrize("code", sorted(RULES))
def test_an_explanation_is_whole(code: str) -> None:
    """Each says what it means, why, what to do, and gives an example; a log line comes with its verbosity."""
    rule = RULES[code]
    assert rule.code == code
    assert all((rule.title, rule.meaning, rule.why, rule.remedy, rule.example, rule.pod))
    assert bool(rule.log) == (rule.verbosity is not None)
    assert rule.log.format(task="t", job="j", name="n", queue="q", role="r", node="o") is not None
    assert not rule.bare or "{task}" in rule.log


def test_the_rule_of_evictions_speaks_of_all_who_evict() -> None:
    """Besides preempt and reclaim, shuffle does, for plugins such as rescheduling."""
    assert all(name in RULES["evicted"].why for name in ("preempt", "reclaim", "shuffle", "rescheduling"))
