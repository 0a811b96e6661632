"""What the codes of verdicts and of lint rules mean, for people."""

from __future__ import annotations

import pytest

from vqs.explain.verdict_rules import VERDICT_RULES, PodText, VerdictRule
from vqs.lint.registry import RULES
from vqs.lint.rule import Rule, Severity
from vqs.model.codes import VerdictCode
from vqs.report.formats import View
from vqs.report.rules import explanation, listing

VERDICT = VerdictRule(
    code=VerdictCode.NEVER_CONSIDERED,
    title="the task came too late",
    summary="too late",
    meaning="Others came first.",
    why="Somebody has to.",
    remedy="Get up earlier.",
    example="Noon.",
    pod="it does not say who came first",
    shown=(PodText.NODES,),
    log="Task <{task}> of <{queue}> is late",
    verbosity=4,
)


RULE = Rule(
    code="too-early",
    severity=Severity.WARNING,
    title="the queue opens too early",
    meaning="Nobody is up.",
    why="It is night.",
    fix="Wait.",
    source="pkg/clock.go",
    example="spec:\n  opens: 05:00",
)


def test_an_explanation_of_a_verdict_says_all_there_is() -> None:
    """It has the title, what it means, why, what to do, an example, and the line of the log with names left open."""
    assert explanation(VERDICT, None, View()).split("\n\n") == [
        "never-considered: the task came too late",
        "Others came first.",
        "Why\nSomebody has to.",
        "What to do\nGet up earlier.",
        "Example\nNoon.",
        "On the pod\nkubectl describe pod shows '0/N nodes are unavailable: ...': it does not say who came first.",
        "In the scheduler's log\nTask <NAMESPACE/POD> of <QUEUE> is late (with --v=4 or more)\n",
    ]


def test_an_explanation_of_a_lint_rule_says_all_there_is() -> None:
    """It has the severity, where it can be read, and an example in which YAML keeps its lines."""
    assert explanation(None, RULE, View(width=20)).split("\n\n") == [
        "too-early: the queue\nopens too early\n(warning)",
        "Nobody is up.",
        "Why\nIt is night.",
        "What to do\nWait.",
        "Example\nspec:\n  opens: 05:00",
        "Source\npkg/clock.go\n",
    ]


def test_a_code_of_both_kinds_is_explained_twice() -> None:
    """What a verdict says and what a lint rule finds may be the same matter."""
    both = explanation(VERDICT, RULE, View())
    assert both == f"{explanation(VERDICT, None, View())}\n{explanation(None, RULE, View())}"


@pytest.mark.parametrize("code", VERDICT_RULES)
def test_every_explanation_of_a_verdict_fits_a_terminal(code: str) -> None:
    """No line is longer than the terminal is wide."""
    assert max(map(len, explanation(VERDICT_RULES[code], None, View(width=80)).splitlines())) <= 80


@pytest.mark.parametrize("code", RULES)
def test_every_explanation_of_a_lint_rule_fits_a_terminal(code: str) -> None:
    """No line is longer than the terminal is wide."""
    assert max(map(len, explanation(None, RULES[code], View(width=80)).splitlines())) <= 80


def test_the_listing_has_every_code() -> None:
    """Each code has a line with its title, in the group it belongs to."""
    text = listing(VERDICT_RULES.values(), RULES.values(), View())
    said, found = ([line.split() for line in group.splitlines()[2:]] for group in text.split("\n\n"))
    assert said == [[verdict.code, *verdict.title.split()] for verdict in VERDICT_RULES.values()]
    assert found == [[rule.code, f"{rule.severity.name.lower()}:", *rule.title.split()] for rule in RULES.values()]
