"""Names for objects of Kubernetes from the words of logs."""

from __future__ import annotations

import re
from typing import Final

_NO_NAME: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 63


def object_name(word: str, fallback: str) -> str:
    """Return a name of an object that is made of a word: small letters, digits and dashes.

    >>> object_name("Batch (long)", "queue"), object_name("***", "queue")
    ('batch-long', 'queue')
    """
    return _NO_NAME.sub("-", word.lower()).strip("-")[:_LONGEST].rstrip("-") or fallback
