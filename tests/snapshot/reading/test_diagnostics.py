"""What is said of faults stays short, however many there are."""

from __future__ import annotations

import pytest

from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, InputErrors


def faults(errors: int, warnings: int) -> list[Diagnostic]:
    """Return so many errors and warnings."""
    severities = ["error"] * errors + ["warning"] * warnings
    return [
        Diagnostic(code="c", severity="error" if each == "error" else "warning", message=str(number))
        for number, each in enumerate(severities)
    ]


def test_a_thousand_are_told() -> None:
    """A thousand errors and a thousand warnings are told one by one."""
    assert InputErrors(faults(1000, 0)).diagnostics == faults(1000, 0)
    assert InputErrors(faults(1000, 1000)).diagnostics == faults(1000, 1000)


def test_more_are_counted() -> None:
    """Beyond a thousand, errors are counted, and so are warnings, apart from them."""
    *first, warnings, errors = InputErrors(faults(1003, 1002)).diagnostics
    assert first == faults(1003, 1002)[:1000] + faults(1003, 1002)[1003:2003]
    assert warnings.message == "there are 2 more warnings and notes"
    assert (errors.severity, errors.message) == ("error", "there are 3 more errors; the first 1,000 are shown")


def test_guesses_among_many() -> None:
    """Among many choices, a word is compared with those near to it, read from the front or from the back."""
    guesser = Guesser(f"{number:04}-queue-{number:04}" for number in range(9999))
    assert guesser.hint("0123-queue-01234") == "did you mean '0123-queue-0123'?"
    assert guesser.hint("x4567-queue-4567") == "did you mean '4567-queue-4567'?"
    assert not guesser.hint("nothing of the kind")


def test_guesses_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """After many words, no more are guessed, nor are those that are longer than any name."""
    assert not Guesser(["a" * 257]).hint("a" * 258)
    monkeypatch.setattr("vqs.snapshot.reading.diagnostics._MOST_GUESSED", 2)
    guesser = Guesser(["queue"])
    assert [bool(guesser.hint("qeue")) for _ in range(3)] == [True, True, False]
