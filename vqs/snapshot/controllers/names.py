"""Names that controllers draw at random, here always the same ones: they look alike, and never meet.

Reference: k8s.io/apimachinery pkg/util/rand, whose letters leave out what could make a word.
"""

import hashlib
from typing import Final

_LETTERS: Final = "bcdfghjklmnpqrstvwxz2456789"
_STEP: Final = 5_000_011
"""No multiple of three, so that a walk in such steps through 27 ** n suffixes meets all of them before one again."""


def suffix(owner: str, number: int, length: int = 5) -> str:
    """The suffix of the name of an owner's object; no two numbers of an owner share one."""
    place = (int.from_bytes(hashlib.sha256(owner.encode()).digest()) + number * _STEP) % len(_LETTERS) ** length
    letters = []
    for _ in range(length):
        place, letter = divmod(place, len(_LETTERS))
        letters.append(_LETTERS[letter])
    return "".join(letters)


def template_hash(content: str) -> str:
    """What a deployment tells its replica sets apart by."""
    return suffix(content, 0, length=10)
