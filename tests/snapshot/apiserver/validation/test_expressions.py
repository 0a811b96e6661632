"""Regular expressions are judged as Go does; what is right was told by Go's package regexp."""

from __future__ import annotations

import pytest

from vqs.snapshot.apiserver.validation.expressions import is_expression

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
]


@pytest.mark.parametrize("pattern", GOOD)
def test_what_go_reads(pattern: str) -> None:
    """Go's own syntax is understood, where Python's differs too."""
    assert is_expression(pattern)


@pytest.mark.parametrize("pattern", BAD)
def test_what_go_does_not_read(pattern: str) -> None:
    """What only Python reads is no expression."""
    assert not is_expression(pattern)
