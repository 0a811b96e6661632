"""`vqs rule`, as a user meets it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vqs.cli.main import main
from vqs.explain.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@pytest.mark.parametrize("code", ["queue-limit", "Queue-Limit"])
def test_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A code is explained, with its title in the first line."""
    assert main(["rule", code]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"queue-limit: {RULES['queue-limit'].title}\n")
    assert RULES["queue-limit"].remedy in out


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a code, all of them are listed."""
    assert main(["rule"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["CODE", *RULES]


def test_unknown_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """A code that does not exist is refused, with the one that was probably meant."""
    assert main(["rule", "queue-limt"]) == 2
    message = (
        "error: there is no verdict 'queue-limt' (did you mean 'queue-limit'?); `vqs rule` lists those there are\n"
    )
    assert capsys.readouterr() == ("", message)


def test_rule_on_a_terminal(on_terminal: Callable[[Sequence[str]], str]) -> None:
    """On a terminal the text is broken between words; colours go off on request."""
    text = on_terminal(["rule", "queue-limit", "--no-color"])
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "\x1b" in on_terminal(["rule", "queue-limit"])
