"""The commands that repeat one point of a sweep."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from vqs.sweep.outcome import Row, Sweep

_VERBS: Final = ("remove", "clone-node", "scale", "set")
"""The edits that are options, in the order in which a command makes them."""


class Commands:
    """Writes the command that compares the base of a point with the point, job by job."""

    def __init__(self, sweep: Sweep) -> None:
        self._files = {each.name: each.files for each in sweep.bases}
        self._shares_release = len({row.release for row in sweep.rows}) <= 1

    def diff(self, row: Row) -> str:
        """Return the command as a shell takes it; empty where nothing is edited, or no file is known."""
        return " ".join(self.words(row))

    def words(self, row: Row) -> tuple[str, ...]:
        """Return the words of the command as a shell takes them."""
        files = self._files.get(row.base)
        if not files or not row.edits:
            return ()
        words = [*_sides(files), *self._session(row)]
        options = _options(row.edits)
        if options is None:
            piped = ["printf", "%s", shlex.quote(json.dumps(row.edits)), "|"]
            return (*piped, *map(shlex.quote, words), "--edits", "-")
        return tuple(map(shlex.quote, (*words, *options)))

    def _session(self, row: Row) -> Iterator[str]:
        if not self._shares_release:
            yield from ("--volcano", row.release)
        if row.seed is not None:
            yield from ("--seed", str(row.seed))


def _sides(files: Sequence[str]) -> Iterator[str]:
    yield from ("vqs", "diff-configs")
    if len(files) == 1:
        yield f"./{files[0]}" if files[0].startswith("-") else files[0]
    else:
        yield from (word for file in files for word in ("--on", file))


def _options(edits: Sequence[str]) -> list[str] | None:
    """Return edits as options; None where these would be made in another order, or cannot say them."""
    pairs = [_verb(edit) for edit in edits]
    if any(verb not in _VERBS for verb, _ in pairs):
        return None
    ranks = [_VERBS.index(verb) for verb, _ in pairs]
    return [word for pair in pairs for word in _words(*pair)] if ranks == sorted(ranks) else None


def _verb(edit: str) -> tuple[str, str]:
    verb, _, rest = edit.strip().partition(" ")
    return (verb, rest.strip()) if verb in (*_VERBS, "add") else ("set", edit.strip())


def _words(verb: str, text: str) -> Iterator[str]:
    if text.startswith("-"):
        yield f"--{verb}={text}"
    else:
        yield from (f"--{verb}", text)
