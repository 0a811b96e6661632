"""Every verdict can be looked up."""

import pytest

from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.codes import VerdictCode


def test_every_verdict_is_explained() -> None:
    """Each code has a rule, in the order of the codes."""
    assert list(VERDICT_RULES) == list(VerdictCode)


@pytest.mark.parametrize("code", sorted(VERDICT_RULES))
def test_an_explanation_is_whole(code: VerdictCode) -> None:
    """Each says what it means, why, what to do, and gives an example; a log line comes with its verbosity."""
    rule = VERDICT_RULES[code]
    assert rule.code == code
    assert all((rule.title, rule.summary, rule.meaning, rule.why, rule.remedy, rule.example, rule.pod))
    assert bool(rule.log) == (rule.verbosity is not None)
    assert rule.log.format(task="t", job="j", name="n", queue="q", role="r", node="o") is not None
    assert rule.summary.format(queues="queue q", limit=": 4 cpu")
    assert "the task" not in rule.summary
    assert not rule.bare or "{task}" in rule.log


def test_the_rule_of_evictions_speaks_of_all_who_evict() -> None:
    """Besides preempt and reclaim, shuffle does, for plugins such as rescheduling."""
    assert all(name in VERDICT_RULES["evicted"].why for name in ("preempt", "reclaim", "shuffle", "rescheduling"))
