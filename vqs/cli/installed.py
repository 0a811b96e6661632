"""Whether installed packages bring plugins or actions along, told sooner than it takes to import what reads that."""

import sys
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from vqs.extensible import ACTION_GROUP, PLUGIN_GROUP

_GROUPS: Final = (PLUGIN_GROUP.encode(), ACTION_GROUP.encode())
_ENTRY_POINTS: Final = "*-info/entry_points.txt"
"""Where a folder of packages says what each of them brings."""


def may_extend() -> bool:
    """Tell whether some package may: it names a group of entry points, or lies where only other finders can look.

    What cannot be read may bring anything, too: what reads entry points knows what to do about it.
    """
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    try:
        return any(map(_may_bring, map(Path, dict.fromkeys(sys.path))))
    except OSError:
        return True


def _may_bring(place: Path) -> bool:
    """Tell whether a package in one of the places that Python imports from may bring plugins or actions."""
    if place.is_file() or place.suffix == ".egg":
        return True
    texts = map(Path.read_bytes, place.glob(_ENTRY_POINTS))
    return any(group in text for text in texts for group in _GROUPS)
