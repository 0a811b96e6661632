"""Making what-if edits to manifests."""

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from vqs.cli.failures import CommandError
from vqs.cli.groups import Edits
from vqs.paths import printable
from vqs.snapshot.apiserver.admission import assumed
from vqs.snapshot.apiserver.queue_admission import queue_denials
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Problems
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import read_source
from vqs.snapshot.whatif.applied import added
from vqs.snapshot.whatif.edits import Edit, parse_edits, replaced_by
from vqs.snapshot.whatif.paths import write_value
from vqs.snapshot.whatif.sides import read_side


class Edited(NamedTuple):
    """Manifests with edits made to them, the edits as one would write them, and those of them that are no files."""

    manifests: Manifests
    edits: list[str]
    parsed: Sequence[Edit] = ()


def edited(manifests: Manifests, asked: Edits) -> Edited:
    """Make edits to manifests.

    Raises:
        InputErrors: some cannot be made.
    """
    if not asked:
        return Edited(manifests, [])
    first, manifests = parse_edits(_listed(asked.edits_file), manifests, assume_admitted=asked.assume_admitted)
    removes = [f"remove {each}" for each in asked.removes]
    for path in asked.adds:
        stdin = sys.stdin.buffer if sys.stdin else None
        more = read_side([path], under=manifests, stdin=stdin)
        for text in replaced_by(more, manifests, removes):
            [edit], manifests = parse_edits([text], manifests)
            first.append(edit)
            removes.remove(text)
        manifests = added(manifests, more, assume_admitted=asked.assume_admitted)
    texts = [
        *removes,
        *(f"clone-node {each}" for each in asked.clones),
        *(f"scale {each}" for each in asked.scales),
        *(f"set {each}" for each in asked.sets),
    ]
    rest, manifests = parse_edits(texts, manifests, assume_admitted=asked.assume_admitted)
    texts = [*map(str, first), *(f"add {printable(path)}" for path in asked.adds), *map(str, rest)]
    return Edited(manifests, texts, [*first, *rest])


def _listed(path: str | None) -> list[str]:
    """Return the edits in a file: texts in a YAML list, or objects to add."""
    if path is None:
        return []
    problems = Problems()
    source = read_source(path, sys.stdin.buffer if sys.stdin else None, problems)
    problems.raise_errors()
    text = source.text if source else ""
    try:
        values = yaml_text.load(text)
    except yaml_text.YamlErrors as errors:
        raise InputErrors(
            Diagnostic(
                code=each.code,
                severity="error",
                message=each.message,
                file=path,
                line=each.position.line,
                column=each.position.column,
                help=each.help,
            )
            for each in errors.problems
        ) from None
    if len(values) != 1 or not isinstance(values[0], list):
        raise CommandError(f"--edits: {path} is not a YAML list of edits, such as [queue/b.spec.weight=5]", path)
    return [_text(each, number, path) for number, each in enumerate(values[0], 1)]


def _text(value: Any, number: int, path: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and "kind" in value:
        return f"add {write_value(value)}"
    raise CommandError(f"--edits: number {number} in {path} is neither a text nor an object to add", path)


def admitted(before: Manifests, made: Edited, asked: Edits, known: Collection[str] = ()) -> Edited:
    """Return what was made of some manifests if Volcano's webhook for queues admits the change.

    Where it is simulated all the same, what the webhook would deny is a note.

    Args:
        before: what is there.
        made: what the change makes of it.
        asked: whether to assume that everything is admitted.
        known: the names of queues that are known to have been admitted.

    Raises:
        InputErrors: it is denied.
    """
    if made.manifests.queues is before.queues:
        return made
    denials = queue_denials(before, made.manifests, made.parsed)
    refused = [each for each in denials if not asked.assume_admitted and each.queue not in known]
    if refused:
        raise InputErrors(each.diagnostic for each in refused)
    if not denials:
        return made
    manifests = replace(made.manifests, notes=[*made.manifests.notes, *(assumed(each.diagnostic) for each in denials)])
    return made._replace(manifests=manifests)
