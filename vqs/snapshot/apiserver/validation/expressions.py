r"""Regular expressions as Go's package regexp reads them: by RE2, on which it is modelled, in linear time.

What RE2 alone reads, which is ``\C`` and names of groups that are not ASCII, is refused here as well. RE2 works on
bytes and Go on characters: what is small in Go can be large in RE2, and ``\B`` is found inside of a character. Then,
and where the package is missing, it is not known whether the pattern matches.

References: the packages regexp and regexp/syntax of Go 1.24.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

try:
    import re2
except ImportError:  # no wheel for this platform
    re2 = None

_MEMORY: Final = 1 << 19
"""In bytes, for the program and for what is found while it runs: what fits is read within 20 ms."""
_TOO_LARGE: Final = "pattern too large"
_LONGEST: Final = 100_000
_DEEPEST: Final = 240
"""Go refuses a pattern with more than 1000 levels, and counts up to four for each pair of parentheses."""

_TOKEN: Final = re.compile(
    r"\\Q(?s:.*?)(?:\\E|\Z)"
    r"|(?P<byte>\\C)|(?P<inside>\\B)"
    r"|\\(?s:.)"
    r"|\[\^?\]?(?:\[:\^?\w+:\]|\\(?s:.)|[^\]\\])*+\]"
    r"|\(\?P?<(?P<name>[^>]*)>"
    r"|(?P<open>\()|(?P<close>\))"
)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NO_CHARACTER: Final = "\ufffd"


class NotAnExpressionError(ValueError):
    """Go cannot read a pattern."""


class UndecidedError(Exception):
    """It is not known here what a pattern matches; the message says why."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A regular expression of Go."""

    _regexp: Any
    _is_for_ascii: bool

    def matches(self, text: str) -> bool:
        """True if it is found in a text.

        Raises:
            UndecidedError: it is not known.
        """
        return self._regexp.search(self._decoded(text)) is not None

    def found(self, text: str) -> Iterator[str]:
        """Yield the parts of a text that it matches, from left to right; an empty one not right behind another.

        Raises:
            UndecidedError: they are not known.
        """
        last = -1
        for each in self._regexp.finditer(self._decoded(text)):
            if each.start() != each.end() or each.end() != last:
                yield each[0]
            last = each.end()

    def _decoded(self, text: str) -> str:
        if text.isascii():
            return text
        if self._is_for_ascii:
            raise UndecidedError(r"a regular expression with \B meets letters that are not ASCII")
        return _SURROGATE.sub(_NO_CHARACTER, text)


@lru_cache(maxsize=256)
def expression(pattern: str) -> Expression:
    r"""Read a regular expression.

    Raises:
        NotAnExpressionError: Go cannot read it.
        UndecidedError: RE2 is not installed, or Go may read it and RE2 does not.

    >>> expression(r"^rack-[[:digit:]]+\z").matches("rack-12"), [*expression("[0-9]+").found("A100-80GB")]
    (True, ['100', '80'])
    """
    if re2 is None:
        raise UndecidedError("the package google-re2, which reads regular expressions, is not installed")
    if len(pattern) > _LONGEST:
        raise UndecidedError(f"a regular expression of more than {_LONGEST:,} characters is not read")
    if _SURROGATE.search(pattern):
        raise NotAnExpressionError(pattern)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        regexp = re2.compile(pattern, options)
    except re2.error as error:
        if _TOO_LARGE in str(error):
            raise UndecidedError("the regular expression is too large to be read") from None
        raise NotAnExpressionError(pattern) from None
    return Expression(regexp, _is_for_ascii=_is_for_ascii(pattern))


def is_expression(pattern: str) -> bool:
    r"""True if Go reads a pattern, or that is not known.

    >>> is_expression(r"(?<rack>node-[0-9]+)\z"), is_expression("node-["), is_expression("(?=a)"), is_expression("a++")
    (True, False, False, False)
    """
    try:
        expression(pattern)
    except NotAnExpressionError:
        return False
    except UndecidedError:
        pass
    return True


def undecided(pattern: str) -> str:
    """Why it is not known what a pattern matches; nothing if it is, also because Go cannot read it."""
    try:
        expression(pattern)
    except NotAnExpressionError:
        pass
    except UndecidedError as error:
        return str(error)
    return ""


def _is_for_ascii(pattern: str) -> bool:
    """True if a pattern that RE2 reads means the same to Go in texts of ASCII alone.

    Raises:
        NotAnExpressionError: Go cannot read it.
        UndecidedError: Go may find it too deep.
    """
    depth, found = 0, False
    for token in _TOKEN.finditer(pattern):
        if token["byte"] or not (token["name"] or "").isascii():
            raise NotAnExpressionError(pattern)
        found = found or token["inside"] is not None
        depth += (token["open"] or token["name"]) is not None
        depth -= token["close"] is not None
        if depth > _DEEPEST:
            raise UndecidedError(f"a regular expression with more than {_DEEPEST} levels of parentheses is not read")
    return found
