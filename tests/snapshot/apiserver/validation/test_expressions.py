"""Regular expressions are judged as Go does; what is right was told by Go's package regexp."""

from __future__ import annotations

import pytest

from vqs.snapshot.apiserver.validation import expressions
from vqs.snapshot.apiserver.validation.expressions import UndecidedError, expression, is_expression, undecided

GOOD = [
    "(?<x>a)",
    "(?P<x>a)",
    "a(?i)b",
    "a(?i)*",
    "(?U)a",
    "(?i-s:a)",
    r"\x{10FFFF}",
    r"\123",
    r"\Qa[\E",
    r"\z",
    r"[\d-z]",
    "[[:alpha:]]",
    "[]a]",
    "[a&&b]",
    "a{,3}",
    "a{1000}",
    "a*?",
    "^*",
    r"\pL",
]
BAD = [
    "a++",
    "a{1001}",
    "a{2}{3}",
    "(?x)a",
    "(?i)*",
    r"\u0041",
    r"\x{110000}",
    r"\1",
    r"\Z",
    r"\é",
    r"[\b]",
    "[[:foo:]]",
    "[^b[:alpha:]",
    "(?=a)",
    "(?>a)",
    "(?#c)",
    "[z-a]",
    "x{2,1}",
    "[a",
    "(a",
    "*a",
    r"\C",
    "(?P<é>a)",
    "a\ud800",
]


@pytest.mark.parametrize("pattern", GOOD)
def test_what_go_reads(pattern: str) -> None:
    """Go's own syntax is understood, where Python's differs too."""
    assert is_expression(pattern)


@pytest.mark.parametrize("pattern", BAD)
def test_what_go_does_not_read(pattern: str) -> None:
    """What only Python reads is no expression."""
    assert not is_expression(pattern)


FOUND = [
    (r"^rack-[[:digit:]]+\z", "rack-12", True),
    (r"^node$", "node\n", False),
    (r"\d", "\u0661", False),
    (r"(?i)k", "\u212a", True),
    (r"^.$", "\ud800", True),
    (r"\Qa.b\E", "axb", False),
    (r"[\d-z]", "-", True),
    (r"\p{Greek}", "\u03b1", True),
    ("(?:a|aa){60}x", "a" * 5000, False),
    ("([a-z]+)+x$", "a" * 5000, False),
]


@pytest.mark.parametrize(("pattern", "text", "is_found"), FOUND)
def test_what_a_pattern_matches(pattern: str, text: str, *, is_found: bool) -> None:
    """A text matches as Go has it, where Python differs too, and however many ways there are to try."""
    assert expression(pattern).matches(text) is is_found


def test_what_go_alone_can_read_is_undecided() -> None:
    """A pattern too large or too deep for RE2, or a text that it reads otherwise, has no answer."""
    assert "too large" in undecided(r"\pL{1000}")
    assert "240 levels" in undecided("(" * 241 + "a" + ")" * 241)
    assert "100,000" in undecided("a" * 100_001)
    assert undecided("(a") == undecided("a") == ""
    assert is_expression("(" * 241 + "a" + ")" * 241)
    with pytest.raises(UndecidedError, match="ASCII"):
        expression(r"\B").matches("é")


def test_without_the_package_no_pattern_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own expressions do not stand in: they mean something else, and may take for ever."""
    monkeypatch.setattr(expressions, "re2", None)
    expression.cache_clear()
    try:
        assert "google-re2" in undecided("^node-")
    finally:
        expression.cache_clear()
