"""What the sessions of a replay have decided, in an append-only file, so that a replay that was killed goes on.

All else in a replay follows from the workload and from these decisions, at little cost. So a replay that goes on takes
the decisions of its first sessions from the file, and runs only the others: its result has the same bytes.

A journal of another workload, other options or another version of vqs is refused. A line that is damaged, or was not
written to its end, is dropped, with all that comes after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import ClassVar

import msgspec

from vqs.journal import Journal as JournalFile
from vqs.journal import JournalError
from vqs.replay.decisions import Decisions
from vqs.replay.workload import Workload
from vqs.snapshot.reading.plain import plain_objects


class Header(msgspec.Struct, kw_only=True, frozen=True):
    """What is replayed: two replays with the same header have the same result.

    Attributes:
        journal: the format.
        vqs: the version of vqs.
        workload: what identifies the workload.
        settings: what identifies how it is replayed.
    """

    journal: str = "vqs/replay-journal/v1"
    vqs: str
    workload: str
    settings: str


class Entry(msgspec.Struct, kw_only=True):
    """A session: when it was run, in seconds since the start, and what it decided."""

    time: float
    decisions: Decisions


class Journal(JournalFile):
    """The sessions of one replay, in a file."""

    work = "replay"
    another = "replay"
    differences: ClassVar[Mapping[str, str]] = {
        "journal": "its format is another one",
        "vqs": "vqs has another version",
        "workload": "the workload is another one",
        "settings": "options of the command are others",
    }

    def __init__(self, path: Path, header: Header) -> None:
        super().__init__(path, header)
        self._known: Iterator[Entry] = iter(())

    def known(self, time: float) -> Decisions | None:
        """Return what the next session has decided, at a time; None where it is not in the journal.

        Raises:
            JournalError: the journal has another session there.
        """
        entry = next(self._known, None)
        if entry is None:
            return None
        if entry.time != time:
            raise JournalError(f"{self.path} has a session after {entry.time} s, and there is one after {time} s")
        return entry.decisions

    def add(self, time: float, decisions: Decisions) -> None:
        """Write what a session has decided.

        Raises:
            JournalError: it cannot be written, as the disk is full.
        """
        self.append(Entry(time=time, decisions=decisions))

    def take(self, lines: Sequence[bytes | None]) -> int:
        """Take the sessions up to the first line that is damaged; no others stay."""
        entries = [msgspec.json.decode(line, type=Entry) for line in takewhile(bool, lines) if line]
        self._known = iter(entries)
        return len(entries)


def identity(workload: Workload) -> str:
    """Return what identifies a workload."""
    digest = blake2b(digest_size=16)
    for value in plain_objects(workload.start):
        digest.update(msgspec.json.encode(value))
    parts = (
        workload.name,
        workload.begin,
        workload.present,
        workload.generators,
        workload.node_events,
        workload.rollouts,
    )
    for part in (*parts, workload.start_delays, workload.latencies, workload.autoscaler, *workload.arrivals):
        digest.update(msgspec.json.encode(part, enc_hook=repr))
    return digest.hexdigest()
