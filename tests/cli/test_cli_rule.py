"""`vqs rule`, as a user meets it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence

import pytest

from vqs.cli.main import main
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.lint.registry import RULES

REFUSED = "0/4 nodes are unavailable: 3 Insufficient cpu, 1 node(s) were unschedulable."


def piped(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Have a text on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("code", ["queue-limit", "Queue-Limit", "queue limit"])
def test_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A code is explained, with its title in the first line."""
    assert main(["rule", code]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"queue-limit: {VERDICT_RULES['queue-limit'].title}\n")
    assert VERDICT_RULES["queue-limit"].remedy in out


@pytest.mark.parametrize("code", ["wrong-type", "WRONG-type"])
def test_lint_rule(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A lint rule is explained like a verdict."""
    assert main(["rule", code]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"wrong-type: {RULES['wrong-type'].title} (error)\n")
    assert RULES["wrong-type"].fix in out


def test_a_message_in_place_of_a_code(capsys: pytest.CaptureFixture[str]) -> None:
    """A text with blanks is a message, and is explained as with --message."""
    assert main(["rule", REFUSED]) == main(["rule", "--message", REFUSED]) == 0
    out = capsys.readouterr().out
    half = len(out) // 2
    assert out[:half] == out[half:]
    assert out.startswith(REFUSED)


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a code, all of them are listed, verdicts before lint rules."""
    assert main(["rule"]) == 0
    said, found = capsys.readouterr().out.split("\n\n")
    assert [line.split()[0] for line in said.splitlines()] == ["Verdicts,", "CODE", *VERDICT_RULES]
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


def test_a_message_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """A text of the scheduler is told part by part, with the verdicts that it may come from and what to do next."""
    assert main(["rule", "--message", "Warning  FailedScheduling  2m  volcano  " + REFUSED]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.startswith(f"{REFUSED}\nFound in: condition PodScheduled of a pod, and its event FailedScheduling\n")
    assert "\n3 Insufficient cpu " in out
    assert "\nno-node-fits " in out
    assert out.endswith(
        "Next: vqs explain-job FILES --job NAMESPACE/JOB says which of them it is; vqs rule CODE says what to do\n"
    )


def test_messages_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Of what kubectl describe or a log has, each text is explained once, and the rest is counted."""
    busy = "".join(f"I0305 1 allocate.go:289] Queue <q{number}> is overused, ignore it.\n" for number in range(30))
    piped(monkeypatch, f"Name: j-0\n\n{REFUSED}\n{REFUSED}\n{busy}")
    assert main(["rule", "-m", "-"]) == 0
    out = capsys.readouterr().out
    assert out.count(REFUSED) == 1
    assert "vqs explain-queue FILES --queue q0 shows" in out
    assert out.endswith("\nLeft out: 11 more texts, 1 line without a text of the scheduler that vqs knows\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "\x1b[31mhello\u202e"], "vqs knows no text of the scheduler in '\\x1b[31mhello\\u202e'; it reads the "),
        (["-m", "x" * 99], f"vqs knows no text of the scheduler in '{'x' * 80} ...'"),
        (["-m", " "], "there is no message to explain"),
        (["queue-limit", "-m", REFUSED], "CODE and --message exclude each other"),
    ],
)
def test_a_message_that_says_nothing(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no text of the scheduler is in it, that is said, in a way that does nothing to the terminal."""
    assert main(["rule", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error: {message}")


def test_a_message_of_a_stranger_does_nothing_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Names in a text are written out where they would move the cursor or turn what stands beside them."""
    assert (
        main(["rule", "-m", "Pod ns/\x1b[2Jx\u202e can possibly be assigned to n\x07, once minAvailable is satisfied"])
        == 0
    )
    out = capsys.readouterr().out
    assert "Pod ns/\\x1b[2Jx\\u202e can possibly be assigned to n\\x07" in out
    assert all(line.isprintable() for line in out.splitlines())


def test_rule_on_a_terminal(on_terminal: Callable[[Sequence[str]], str]) -> None:
    """On a terminal the text is broken between words; colours go off on request."""
    text = on_terminal(["rule", "queue-limit", "--no-color"])
    assert max(map(len, text.splitlines())) <= 80
    assert "\x1b" not in text
    assert "\x1b" in on_terminal(["rule", "queue-limit"])
