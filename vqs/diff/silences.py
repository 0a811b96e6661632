"""The silences that a candidate has, and its base does not: they silence nothing, and are reported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from vqs.diff.outcome import LintDifference
from vqs.lint.outcome import FindingResult
from vqs.lint.registry import RULES
from vqs.lint.silence import AllowedSilences, Field, Scopes, Silence

SILENCE_ADDED: Final = "silence-added"


def added_silences(candidate: Scopes, allowed: AllowedSilences) -> Iterator[LintDifference]:
    """Yield what a candidate silences beyond its base: new silences, and those that are wider or elsewhere.

    One without a reason has no effect, and one for another reason is the same.
    """
    for silence in candidate.silences.all:
        fields = candidate.fields(silence)
        codes = [
            code
            for code in silence.codes
            if silence.reason and not all(allowed.covers(code, field, RULES) for field in fields)
        ]
        if codes:
            yield LintDifference(change="new", finding=_finding(silence, codes, fields, allowed))


def _finding(silence: Silence, codes: list[str], fields: list[Field], allowed: AllowedSilences) -> FindingResult:
    missing = [field for field in fields if not all(allowed.covers(code, field, RULES) for code in codes)]
    about = missing[0] if missing else fields[0]
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    message = f"this silences {', '.join(codes)} for {about}{more}, {_instead(codes, about, allowed)}"
    identity = "\0".join((SILENCE_ADDED, silence.file, str(about), *codes))
    return FindingResult(
        code=SILENCE_ADDED,
        severity="warning",
        message=message,
        file=silence.file,
        line=silence.position.line,
        column=silence.position.column,
        path=".".join(about.path),
        object=about.owner,
        help=RULES[SILENCE_ADDED].fix,
        excerpt=silence.excerpt,
        fingerprint=hashlib.sha256(identity.encode()).hexdigest()[:32],
    )


def _instead(codes: list[str], about: Field, allowed: AllowedSilences) -> str:
    """Say what the base silences there, if it does."""
    said = allowed.codes.get(about) or allowed.codes.get(about._replace(path=()))
    if said:
        return f"and the base silences only {', '.join(sorted(said))} there"
    places = [field for field, known in allowed.codes.items() if not known.isdisjoint(codes)]
    if places:
        return f"and the base silences it only for {min(map(str, places))}"
    return "and the base does not silence it"
