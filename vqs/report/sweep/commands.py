"""The commands that repeat one point of a sweep, or one change of a search."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from vqs.releases.release import DEFAULT_RELEASE
from vqs.replay import timing
from vqs.replay.repeated import RUNS
from vqs.report.formats import NOWHERE, Again, Next, Option, Step
from vqs.sweep.outcome import ReplayInfo, Row, Sweep
from vqs.sweep.tune.outcome import Tune

_VERBS: Final = ("remove", "clone-node", "scale", "set")
"""The edits that are options, in the order in which a command makes them."""
_RELEASE: Final = "--volcano"


class Commands:
    """Writes the command that compares the snapshot of a point with the point, job by job.

    Of a point that was replayed, it is the command that replays the workload as it is and with the edits.
    """

    def __init__(self, result: Sweep | Tune, again: Again | None) -> None:
        self._files = {each.name: each.files for each in result.bases}
        self._assumes = result.assume_admitted
        self._replay = result.replay
        known = again or Again()
        self._again = replace(known, options=tuple(each for each in known.options if each[0] != _RELEASE))

    def diff(self, row: Row) -> str:
        """Return the command as a shell takes it; empty where nothing is edited, or no file is known."""
        return " ".join(self.words(row))

    def next(self, row: Row, called: str) -> Next:
        """Return the command as what can be done next, given what the point is called; nothing where there is none."""
        words = self.words(row)
        if not words:
            return NOWHERE
        if self._replay is None:
            return Next([Step(words, f"shows {called} job by job")])
        return Next([Step(words, f"replays the workload as it is, and with {called}")])

    def words(self, row: Row) -> tuple[str, ...]:
        """Return the words of the command as a shell takes them."""
        files = self._files.get(row.base)
        if not files or not row.edits:
            return ()
        if self._replay is not None:
            return () if self._assumes else self._of_replay(row, files, self._replay)
        first, *others = files
        options = [*(("--on", file) for file in others), *_run(row)]
        if self._assumes:
            options.append(("--assume-admitted", ""))
        edits = _options(row.edits)
        words = replace(self._again, files=(first,)).command("diff-configs", "", *options, *(edits or ())).words
        return words if edits is not None else _piped(row.edits, words)

    def _of_replay(self, row: Row, files: Sequence[str], how: ReplayInfo) -> tuple[str, ...]:
        again = replace(self._again, files=tuple(files))
        return _piped(row.edits, again.command("replay", "", *_given(how), *_run(row)).words)


def _piped(edits: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return a command that reads edits from standard input, with what writes them there."""
    return ("printf", "%s", shlex.quote(json.dumps(edits)), "|", *words, "--edits", "-")


def _run(row: Row) -> Iterator[Option]:
    """Yield what a point was run with."""
    if row.release != DEFAULT_RELEASE:
        yield _RELEASE, row.release
    if row.seed is not None:
        yield "--seed", str(row.seed)


def _given(how: ReplayInfo) -> Iterator[Option]:
    """Yield how a point was replayed, as far as `vqs replay` does not do so by itself."""
    if how.period != timing.PERIOD:
        yield "--period", _seconds(how.period)
    if how.start_delay is not None:
        yield "--start-delay", _seconds(how.start_delay)
    if how.until is not None:
        yield "--until", _seconds(how.until)
    for name, value in (
        ("--workload-format", how.format),
        ("--queue-by", how.queue_by),
        ("--most-nodes", how.most_nodes),
        ("--processors-per-pod", how.processors_per_pod),
        ("--runs", None if how.runs in (1, RUNS) else how.runs),
    ):
        if value is not None:
            yield name, str(value)


def _seconds(value: float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _options(edits: Sequence[str]) -> list[Option] | None:
    """Return edits as options; None where these would be made in another order, or cannot say them."""
    pairs: list[tuple[str, str]] = []
    for edit in map(str.strip, edits):
        verb, _, rest = edit.partition(" ")
        pairs.append((verb, rest.strip()) if verb in (*_VERBS, "add") else ("set", edit))
    if any(verb not in _VERBS for verb, _ in pairs):
        return None
    ranks = [_VERBS.index(verb) for verb, _ in pairs]
    return [(f"--{verb}", text) for verb, text in pairs] if ranks == sorted(ranks) else None
