"""Regular expressions as Go's package regexp reads them.

An expression is rewritten, token by token, as one of Python's that is well-formed where the original is. Python judges
what tokens do not show: parentheses, ranges, and repetitions of nothing.
"""

from __future__ import annotations

import re
from typing import Final

_MOST_REPETITIONS: Final = 1000
_SETS: Final = r"[dDsSwW]|[pP](?:\{\^?\w+\}|[A-Z])"
_CODES: Final = r"0[0-7]{0,2}|[1-7][0-7]{1,2}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}"
_CHARACTERS: Final = r"[afnrtv]|[\x00-/:-@\[-`{-\x7f]"
_ESCAPE: Final = rf"\\(?:(?P<set>{_SETS})(?P<dash>-?)|(?P<code>{_CODES})|(?P<character>{_CHARACTERS}))"
_POSIX: Final = "alnum|alpha|ascii|blank|cntrl|digit|graph|lower|print|punct|space|upper|word|xdigit"
_TOKEN: Final = re.compile(
    r"\\Q(?P<literal>.*?)(?:\\E|\Z)"
    r"|\[(?P<members>\^?\]?(?:\[:\^?\w+:\]|\\.|(?!\[:\^?\w+:\])[^\]\\])*)\]"
    r"|(?P<edge>[\^$]|\\[AbBz])"
    rf"|(?P<escape>{_ESCAPE})"
    r"|(?P<group>\(\?(?:P?<\w+>|[imsU]*(?:-[imsU]+)?:))"
    r"|(?P<flags>\(\?[imsU]*(?:-[imsU]+)?\))"
    r"|(?P<repetition>(?:[*+?]|\{(?P<least>0|[1-9][0-9]*)(?:,(?P<most>0|[1-9][0-9]*)?)?\})\??)"
    r"|(?P<plain>(?!\(\?)[^\\\[])",
    re.ASCII | re.DOTALL,
)
_MEMBER: Final = re.compile(
    rf"(?P<escape>{_ESCAPE})|(?P<posix>\[:\^?(?:{_POSIX}):\])(?P<behind>-?)|(?P<plain>(?!\[:\^?\w+:\])[^\\])",
    re.ASCII | re.DOTALL,
)
_SPECIAL_IN_CLASSES: Final = "[]&~|"
_POSIX_MEMBERS: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}
_GO_ONLY: Final = re.compile(
    r"\\Q(?P<literal>.*?)(?:\\E|\Z)|\[:(?P<posix>\w+):\]|\(\?<(?P<name>\w+)>|(?P<end>\\z)|\\.", re.DOTALL
)


def is_expression(pattern: str) -> bool:
    r"""Tell whether Go reads a pattern.

    >>> is_expression(r"(?<rack>node-[0-9]+)\z"), is_expression("node-["), is_expression("(?=a)"), is_expression("a++")
    (True, False, False, False)
    """
    rewritten = _rewritten(pattern)
    if rewritten is None:
        return False
    try:
        re.compile(rewritten)
    except (re.error, OverflowError):
        return False
    return True


def search_pattern(pattern: str) -> re.Pattern[str] | None:
    r"""Return what finds a pattern of Go in a name; None where Go cannot read it, or it needs tables of letters.

    >>> search_pattern(r"^rack-[[:digit:]]+\z").search("rack-12") is not None, search_pattern("rack-[")
    (True, None)
    """
    if not is_expression(pattern):
        return None
    try:
        return re.compile(_GO_ONLY.sub(_in_python, pattern), re.ASCII)
    except (re.error, OverflowError):
        return None


def _in_python(found: re.Match[str]) -> str:
    if found["literal"] is not None:
        return re.escape(found["literal"])
    if found["posix"]:
        return _POSIX_MEMBERS.get(found["posix"], found[0])
    if found["name"]:
        return f"(?P<{found['name']}>"
    return r"\Z" if found["end"] else found[0]


def _rewritten(pattern: str) -> str | None:
    """Return a pattern as Python's; None if it has what Go does not know."""
    parts: list[str] = []
    position, repeats = 0, False
    while position < len(pattern):
        token = _TOKEN.match(pattern, position)
        if token is None or (repeats and token["repetition"]) or _repeats_too_often(token):
            return None
        part = _part(token)
        if part is None:
            return None
        parts.append(part)
        position, repeats = token.end(), token["repetition"] is not None
    return "".join(parts)


def _repeats_too_often(token: re.Match[str]) -> bool:
    counts = (token["least"], token["most"])
    return any(len(count) > len(str(_MOST_REPETITIONS)) or int(count) > _MOST_REPETITIONS for count in counts if count)


def _part(token: re.Match[str]) -> str | None:
    if token["literal"] is not None:
        return re.escape(token["literal"])
    if token["members"] is not None:
        return _class(token["members"])
    if token["escape"]:
        return _escape(token)
    if token["edge"]:
        return "(?:^)"
    if token["group"] or token["flags"]:
        return "(?:" if token["group"] else ""
    plain = token["plain"]
    return token["repetition"] or (re.escape(plain) if plain in "{}" else plain)


def _class(members: str) -> str | None:
    """Return a class of characters as Python's."""
    negation = "^" if members.startswith("^") else ""
    parts: list[str] = []
    position = len(negation)
    while position < len(members):
        member = _MEMBER.match(members, position)
        if member is None:
            return None
        if member["escape"]:
            parts.append(_escape(member))
        elif member["posix"]:
            parts.append(r"\w" + (r"\-" if member["behind"] else ""))
        else:
            plain = member["plain"]
            parts.append(f"\\{plain}" if plain in _SPECIAL_IN_CLASSES else plain)
        position = member.end()
    return f"[{negation}{''.join(parts)}]"


def _escape(token: re.Match[str]) -> str:
    r"""Return an escape as Python's; a dash behind a set of characters such as ``\d`` stands for itself in Go."""
    if token["set"]:
        return r"\w" + (r"\-" if token["dash"] else "")
    if token["code"]:
        digits = token["code"]
        code = int(digits.strip("x{}"), 16) if digits.startswith("x") else int(digits, 8)
        return f"\\U{code:08x}"
    return f"\\{token['character']}"
