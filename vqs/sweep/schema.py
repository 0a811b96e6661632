"""The published JSON Schema of plans; it is draft 7, as that of scenarios is."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the schema; callers leave it as it is."""
    decoded: dict[str, Any] = json.loads(files(__package__).joinpath("schema.json").read_text(encoding="utf-8"))
    return decoded
