"""What a plugin or an action decides, in the words of its docstring."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, Final, NamedTuple

_REFERENCE: Final = re.compile(r"References?: (.*?)\.?\s*(?:\n\n|\Z)", re.DOTALL)
_NO_ARGUMENTS: Final = re.compile(r"\s*\bNo\sarguments\.")
"""Said by those that read none; `vqs plugins` says so beside the tables of arguments."""

_ITEM: Final = re.compile(r"\n(?=[-*] )")
_FOLDERS: Final = ("vqs.engine.plugins", "vqs.engine.actions")


class About(NamedTuple):
    """What it decides in a sentence, then at length, paragraph by paragraph; and its source in the reference."""

    title: str
    paragraphs: list[str]
    source: str


def about(made: Any) -> About:
    """Return what a class says of itself: one from outside in its own docstring, others in that of their module.

    >>> from vqs.engine.plugins.binpack import BinpackPlugin
    >>> about(BinpackPlugin).title
    'prefer nodes that are full already, so that others stay free for large tasks'
    """
    docstring = _docstring(made)
    found = _REFERENCE.search(docstring)
    text = _NO_ARGUMENTS.sub("", docstring[: found.start()] if found else docstring)
    source = " ".join(found[1].split()) if found else ""
    paragraphs = [_joined(item) for each in text.split("\n\n") for item in _ITEM.split(each) if item.strip()]
    if not paragraphs:
        return About("", [], source)
    title, _, rest = re.sub(r"^[a-z-]+: ", "", paragraphs[0]).partition(". ")
    return About(title.removesuffix("."), [each for each in (rest, *paragraphs[1:]) if each], source)


def _docstring(made: Any) -> str:
    module = str(made.__module__)
    folder = next((each for each in _FOLDERS if module.startswith(f"{each}.")), None)
    if folder is None:
        return inspect.cleandoc(made.__doc__ or "")
    name = module.removeprefix(f"{folder}.").partition(".")[0]
    return inspect.cleandoc(sys.modules[f"{folder}.{name}"].__doc__ or "")


def _joined(paragraph: str) -> str:
    return " ".join(paragraph.split())
