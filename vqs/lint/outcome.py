"""The result of the lint rules: the document that `vqs lint --format json` prints.

A finding that is silenced is among the others, with the reason. Lines and columns count from one;
they are absent where a finding has no place in a file.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from vqs.explain.outcome import Result

SeverityName = Literal["error", "warning", "note"]
DenierName = Literal["apiserver", "webhook"]

_DENIERS: Final = {"apiserver": "the API server", "webhook": "Volcano's webhook"}


class EvidenceResult(Result, kw_only=True):
    """What shows that a finding is true, and where in the input it is."""

    text: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    path: str = ""


class SilenceResult(Result, kw_only=True):
    """Why a finding is silenced, and where the comment or annotation is that silences it."""

    reason: str
    file: str
    line: int | None = None


class FindingResult(Result, kw_only=True):
    """One thing that is wrong, or worth knowing.

    `object` is the kind and the name of the object that it is about, `displayName` what people call its job if it is a
    PodGroup with another name. `excerpt` is the line of the file, with a caret below the place. `fingerprint` stays the
    same when lines move. `denied` says who refuses the object: the API server by itself, or a webhook of Volcano; it is
    absent where the object is admitted, and does not work as intended.
    """

    code: str
    severity: SeverityName
    denied: DenierName | None = None
    message: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    path: str = ""
    object: str = ""
    display_name: str = ""
    help: str = ""
    excerpt: str = ""
    evidence: list[EvidenceResult] = msgspec.field(default_factory=list)
    fingerprint: str
    silenced: SilenceResult | None = None


class LintSummary(Result, kw_only=True, omit_defaults=False):
    """How many findings there are that are not silenced, in how many files, and how many are silenced."""

    errors: int
    warnings: int
    notes: int
    files: int
    silenced: int


class Lint(Result, tag_field="schema", tag="vqs/lint/v2", kw_only=True):
    """What is wrong with a snapshot and a scheduler configuration.

    `failed` tells whether a finding is at least as severe as `fail_on`. `skipped_rules` has the codes of the rules
    that could not run, and `notes` say why. `objects` has how many objects of each kind there are, and whether there
    is a scheduler configuration; results of earlier versions of vqs have none.
    """

    volcano: str
    configuration: str
    files: list[str]
    fail_on: SeverityName
    failed: bool
    summary: LintSummary
    findings: list[FindingResult]
    skipped_rules: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    objects: dict[str, int] | None = None


def with_denier(message: str, denied: str | None) -> str:
    """Add to a message who denies the object.

    >>> with_denier("a container of pod ns/a has no image", "apiserver")
    'a container of pod ns/a has no image (denied by the API server)'
    """
    return f"{message} (denied by {_DENIERS[denied]})" if denied else message


def place_of(place: FindingResult | EvidenceResult) -> str:
    """Write the file, the line and the column, as far as there are any."""
    return ":".join(str(part) for part in (place.file, place.line, place.column) if part)
