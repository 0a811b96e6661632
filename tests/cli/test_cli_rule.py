"""`vqs rule`, as a user meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vqs.cli.main import main
from vqs.explain.rules import RULES as VERDICTS
from vqs.lint.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@pytest.mark.parametrize("code", ["queue-limit", "Queue-Limit"])
def test_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A code is explained, with its title in the first line."""
    assert main(["rule", code]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"queue-limit: {VERDICTS['queue-limit'].title}\n")
    assert VERDICTS["queue-limit"].remedy in out


@pytest.mark.parametrize("code", ["wrong-type", "WRONG-type"])
def test_lint_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A lint rule is explained like a verdict."""
    assert main(["rule", code]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"wrong-type: {RULES['wrong-type'].title} (error)\n")
    assert RULES["wrong-type"].fix in out


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a code, all of them are listed, verdicts before lint rules."""
    assert main(["rule"]) == 0
    said, found = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in said.splitlines()] == ["Verdicts,", "CODE", *VERDICTS]
    assert [line.split()[0] for line in found.splitlines()] == ["Lint", "CODE", *RULES]


def test_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """A code that does not exist is refused, with the one that was probably meant."""
    assert main(["rule", "queue-limt"]) == 2
    message = "error: there is no code 'queue-limt' (did you mean 'queue-limit'?); `vqs rule` lists those there are\n"
    assert capsys.readouterr() == ("", message)


def test_the_beginning_of_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """All codes that begin so are named."""
    assert main(["rule", "Guarantee-above"]) == 2
    assert "(did you mean guarantee-above-capability or guarantee-above-deserved?)" in capsys.readouterr().err


def test_rule_on_a_terminal(on_terminal: Callable[[Sequence[str]], str]) -> None:
    """On a terminal the text is broken between words; colours go off on request."""
    text = on_terminal(["rule", "queue-limit", "--no-color"])
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "\x1b" in on_terminal(["rule", "queue-limit"])
