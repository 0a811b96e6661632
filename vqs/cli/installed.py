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
    """Tell whether some package may: it names a group of entry points, or lies where only other finders can look."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    places = [*map(Path, dict.fromkeys(sys.path))]
    if any(place.is_file() or place.suffix == ".egg" for place in places):
        return True
    files = (file for place in places for file in place.glob(_ENTRY_POINTS))
    return any(group in text for text in map(Path.read_bytes, files) for group in _GROUPS)
