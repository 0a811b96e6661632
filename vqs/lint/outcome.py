"""The result of looking for faults: the document that `vqs lint --format json` prints.

A finding that somebody silenced, with a reason, is among the others and says so. Lines and columns count from one;
they are absent where a finding has no place in a file.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from vqs.explain.outcome import Result

SeverityName = Literal["error", "warning", "note"]
DenierName = Literal["apiserver", "webhook"]


class EvidenceResult(Result, kw_only=True):
    """What shows that a finding is true, and where that stands."""

    text: str
    file: str = ""
    line: int | None = None
    column: int | None = None
    path: str = ""


class SilenceResult(Result, kw_only=True):
    """Why somebody does not want to hear of a finding, and where that is said."""

    reason: str
    file: str
    line: int | None = None


class FindingResult(Result, kw_only=True):
    """One thing that is wrong, or worth knowing.

    `object` is the kind and the name of the object that it is about. `excerpt` is the line of the file, with a caret
    below the place. `fingerprint` stays the same when lines move. `denied` tells who would not let the object in: the
    API server by itself, or a webhook of Volcano; it is absent where the object gets in, and does not work as meant.
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
    help: str = ""
    excerpt: str = ""
    evidence: list[EvidenceResult] = msgspec.field(default_factory=list)
    fingerprint: str
    silenced: SilenceResult | None = None


class LintSummary(Result, kw_only=True, omit_defaults=False):
    """How many findings there are that nobody silenced, in how many files, and how many that somebody did."""

    errors: int
    warnings: int
    notes: int
    files: int
    silenced: int


class Lint(Result, tag_field="schema", tag="vqs/lint/v1", kw_only=True):
    """What is wrong with a snapshot and a scheduler configuration.

    `failed` tells whether a finding is as bad as `fail_on`, or worse. `left_out` has the codes of rules that could not
    look at what they are about, and `notes` say why.
    """

    volcano: str
    configuration: str
    files: list[str]
    fail_on: SeverityName
    failed: bool
    summary: LintSummary
    findings: list[FindingResult]
    left_out: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
