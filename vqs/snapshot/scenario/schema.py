"""The published JSON Schema of scenarios, and the scenario that beginners start from.

The schema is draft 7, which editors support best; what it says of each key is what they show.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any


def schema_text() -> str:
    """Return the schema as it is published."""
    return Path(__file__).with_name("schema.json").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the schema; callers leave it as it is."""
    decoded: dict[str, Any] = json.loads(schema_text())
    return decoded


def starter() -> str:
    """Return a commented scenario to start from."""
    return Path(__file__).with_name("starter.yaml").read_text(encoding="utf-8")
