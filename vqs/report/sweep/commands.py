"""The commands that repeat one point of a sweep."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from vqs.releases.release import DEFAULT_RELEASE
from vqs.report.again import Again, Option
from vqs.sweep.outcome import Row, Sweep

_VERBS: Final = ("remove", "clone-node", "scale", "set")
"""The edits that are options, in the order in which a command makes them."""
_RELEASE: Final = "--volcano"


class Commands:
    """Writes the command that compares the snapshot of a point with the point, job by job."""

    def __init__(self, sweep: Sweep, again: Again | None) -> None:
        """Prepare to write commands.

        Args:
            sweep: the sweep with the points.
            again: how the sweep was run, where that is known: its options count for each of its points.
        """
        self._files = {each.name: each.files for each in sweep.bases}
        self._assumes = sweep.assume_admitted
        known = again or Again()
        self._again = replace(known, options=tuple(each for each in known.options if each[0] != _RELEASE))

    def diff(self, row: Row) -> str:
        """Return the command as a shell takes it; empty where nothing is edited, or no file is known."""
        return " ".join(self.words(row))

    def words(self, row: Row) -> tuple[str, ...]:
        """Return the words of the command as a shell takes them."""
        files = self._files.get(row.base)
        if not files or not row.edits:
            return ()
        first, *others = files
        options = [*(("--on", file) for file in others), *self._session(row)]
        edits = _options(row.edits)
        words = replace(self._again, files=(first,)).command("diff-configs", "", *options, *(edits or ())).words
        if edits is not None:
            return words
        return ("printf", "%s", shlex.quote(json.dumps(row.edits)), "|", *words, "--edits", "-")

    def _session(self, row: Row) -> Iterator[Option]:
        if row.release != DEFAULT_RELEASE:
            yield _RELEASE, row.release
        if row.seed is not None:
            yield "--seed", str(row.seed)
        if self._assumes:
            yield "--assume-admitted", ""


def _options(edits: Sequence[str]) -> list[Option] | None:
    """Return edits as options; None where these would be made in another order, or cannot say them."""
    pairs = [_verb(edit) for edit in edits]
    if any(verb not in _VERBS for verb, _ in pairs):
        return None
    ranks = [_VERBS.index(verb) for verb, _ in pairs]
    return [(f"--{verb}", text) for verb, text in pairs] if ranks == sorted(ranks) else None


def _verb(edit: str) -> tuple[str, str]:
    verb, _, rest = edit.strip().partition(" ")
    return (verb, rest.strip()) if verb in (*_VERBS, "add") else ("set", edit.strip())
