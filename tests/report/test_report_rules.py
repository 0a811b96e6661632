"""What the codes of verdicts mean, for people."""

from __future__ import annotations

import pytest

from vqs.explain.rules import RULES, Rule
from vqs.report.formats import View
from vqs.report.rules import explanation, listing

RULE = Rule(
    code="too-late",
    title="the task came too late",
    meaning="Others came first.",
    why="Somebody has to.",
    remedy="Get up earlier.",
    example="Noon.",
    log="Task <{task}> of <{queue}> is late",
    verbosity=4,
)


def test_an_explanation_says_all_there_is() -> None:
    """It has the title, what it means, why, what to do, an example, and the line of the log with names left open."""
    assert explanation(RULE, View()).split("\n\n") == [
        "too-late: the task came too late",
        "Others came first.",
        "Why\nSomebody has to.",
        "What to do\nGet up earlier.",
        "Example\nNoon.",
        "In the scheduler's log\nTask <NAMESPACE/POD> of <QUEUE> is late (with --v=4 or more)\n",
    ]


@pytest.mark.parametrize("code", RULES)
def test_every_explanation_fits_a_terminal(code: str) -> None:
    """No line is longer than the terminal is wide."""
    assert max(map(len, explanation(RULES[code], View(width=80)).splitlines())) <= 80


def test_the_listing_has_every_code() -> None:
    """Each code has a line with its title."""
    lines = listing(RULES.values(), View()).splitlines()[1:]
    assert [line.split(maxsplit=1) for line in lines] == [[rule.code, rule.title] for rule in RULES.values()]
