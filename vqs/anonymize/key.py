"""The key: which word stands for which.

It makes names from fake ones again, and keeps the fakes the same from one snapshot to the next.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from vqs.anonymize.words import RUN, WORD
from vqs.paths import printable
from vqs.snapshot.reading.compression import CompressionError
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.reading.reach import ReadRefused, in_force
from vqs.snapshot.reading.sources import refused

SCHEMA: Final = "vqs/anonymization-key/v1"
_FOR_THE_OWNER: Final = 0o600


@dataclass(frozen=True, slots=True)
class Key:
    """The fake of each word."""

    fakes: dict[str, str] = field(default_factory=dict)

    def reveal(self, text: str) -> str:
        """A text with the words that its fakes stand for."""
        words = {fake: word for word, fake in self.fakes.items()}
        return WORD.sub(lambda match: words.get(match[0], match[0]), text)


class _Document(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    schema: str
    fakes: dict[str, str]


def read_key(path: str) -> Key:
    """Read a key.

    Raises:
        InputErrors: it cannot be read, or is none.
    """
    try:
        document = msgspec.json.decode(in_force().read_named(path, is_rewritten=True), type=_Document)
    except OSError as error:
        raise _refusal(path, "unreadable-file", f"cannot be read: {error.strerror or error}") from error
    except CompressionError as error:
        raise _refusal(path, "unreadable-file", str(error)) from error
    except ReadRefused as refusal:
        raise InputErrors([refused(refusal, path)]) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _refusal(path, "no-key", f"this is not a key of vqs anonymize: {error}") from error
    if document.schema != SCHEMA:
        raise _refusal(path, "no-key", f"this is not a key of vqs anonymize: its schema is {document.schema!r}")
    # Fakes of words sort as these do, and those of runs of numbers as those.
    ordered: dict[bool, list[str]] = {True: [], False: []}
    for word, fake in sorted(document.fakes.items()):
        ordered[RUN.fullmatch(word) is not None].append(fake)
    if not all(before < after for each in ordered.values() for before, after in pairwise(each)):
        raise _refusal(path, "no-key", "this key was edited: its new names do not sort like the original ones")
    return Key(document.fakes)


def write_key(key: Key, path: str) -> None:
    """Write a key that only its owner can read; it is there completely or not at all.

    Raises:
        OSError: it cannot be written.
    """
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{os.urandom(8).hex()}")
    data = msgspec.json.format(msgspec.json.encode(_Document(SCHEMA, dict(sorted(key.fakes.items())))), indent=1)
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FOR_THE_OWNER), "wb") as file:
            file.write(data + b"\n")
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _refusal(path: str, code: str, message: str) -> InputErrors:
    return InputErrors([Diagnostic(code=code, severity="error", message=message, file=printable(path))])
