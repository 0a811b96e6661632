"""What runners of pipelines do with a log: an independent reading of it, which finds each line they would act on.

GitHub's runner trims blanks, as C# knows them, and takes a line that begins with ``::``; it takes ``##[`` anywhere.
Azure takes ``##vso[`` and TeamCity ``##teamcity[``. GitLab cuts a log into sections. Bots take orders from comments.
"""

from __future__ import annotations

import re
import unicodedata

_BLANK = "\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_WITHOUT_SHAPE = "\u200b-\u200f\u2060-\u2064\ufeff"
_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_FIRST = re.compile(rf"[{_BLANK}{_WITHOUT_SHAPE}]*::")
_ANYWHERE = re.compile(r"##[^\W_]*\w*\[|section_(?:start|end):\d+:")
_ENDS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ANNOTATION = re.compile(r"::(?:error|warning|notice) [a-z]+=[^:\r\n]*::[^\r\n]*")
_ORDER = re.compile(r"\s*/[a-z][\w-]*(?:\s|$)", re.IGNORECASE)
_PLAIN = ("L", "M", "N", "P", "S")


def commands(log: str, *, colored: bool = False, annotations: bool = False) -> list[str]:
    """Return the lines that a runner would act on, or that a terminal shows otherwise than they are.

    Args:
        log: what a command has written.
        colored: whether colours are its own.
        annotations: whether it may annotate; whatever else it commands is found.
    """
    lines = _ENDS.split(_STYLE.sub("", log) if colored else log)
    return [line for line in lines if _acts(line) and not (annotations and _is_annotation(line))]


def orders(comment: str) -> list[str]:
    """Return the lines that a bot, or GitLab, would obey."""
    return [line for line in comment.split("\n") if _ORDER.match(line)]


def _acts(line: str) -> bool:
    return bool(_FIRST.match(line) or _ANYWHERE.search(line)) or not all(map(_has_shape, line))


def _is_annotation(line: str) -> bool:
    return bool(_ANNOTATION.fullmatch(line)) and not _ANYWHERE.search(line) and all(map(_has_shape, line))


def _has_shape(character: str) -> bool:
    return character == " " or unicodedata.category(character).startswith(_PLAIN)
