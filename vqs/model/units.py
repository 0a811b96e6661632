"""The units that amounts and spans of time are written in; the script of pages in HTML reads the same table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

_TABLE: Final = json.loads(Path(__file__).with_name("units.json").read_bytes())

BYTES: Final[list[str]] = _TABLE["bytes"]
"""Units of 1024 bytes and its powers."""
SECONDS: Final[list[tuple[int, str]]] = _TABLE["seconds"]
"""Units of time with their seconds, the largest first."""
CROWDED: Final[int] = _TABLE["crowded"]
"""This number of a unit of bytes, or more, is written in the next one."""
NEGLIGIBLE: Final[float] = _TABLE["negligible"]
"""Less than this of a resource is a rounding error."""
UNLIMITED: Final[str] = _TABLE["unlimited"]
"""What is written of an amount without a limit."""
