"""The result document: the same bytes for the same result, keys in the order of the contract."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from vqs import inert
from vqs.report.formats import View

# In an indented document each value stands at the end of its own line, and a text ends in a quotation mark: what these
# find is always a number. One pass over the text is several times faster than a walk over the result.
_WHOLE: Final = re.compile(r"\.0(?=,?$)", re.MULTILINE)
_POWER: Final = re.compile(r"\d(?:\.\d+)?e\d+(?=,?$)", re.MULTILINE)
_HAS_POWER: Final = re.compile(r"e\d+,?$", re.MULTILINE)


def write(result: object, _view: View, /) -> str:
    """Write a result as JSON."""
    return document(result)


def document(result: object) -> str:
    """Write an object as indented JSON in which a whole number looks like one: 28, not 28.0."""
    text = msgspec.json.format(inert.json(msgspec.json.encode(result).decode()), indent=2)
    text = _WHOLE.sub("", text)
    if _HAS_POWER.search(text):
        text = _POWER.sub(lambda match: str(int(float(match[0]))), text)
    return f"{text}\n"
