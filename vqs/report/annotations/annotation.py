"""What there is to say about lines of files, whatever it was that looked at them.

The formats of programs that collect such things, `github`, `gitlab`, `sarif` and `junit`, are written from these, so
that each of them serves every kind of result.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from vqs.lint.registry import RULES
from vqs.report.lint.summary import with_denier
from vqs.snapshot.reach import CHECKOUTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.diff.outcome import Diff
    from vqs.explain.refusal import InputDiagnostic, Refusal
    from vqs.lint.outcome import EvidenceResult, FindingResult, Lint
    from vqs.lint.rule import Rule

Level = Literal["error", "warning", "note"]

SILENCED: Final = "silenced"
"""The code of a remark that counts what is silenced."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a file: line and column are 0 where it is all of the file, and the name is empty where it is none."""

    file: str = ""
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Related:
    """Something that belongs to a remark, and where it stands."""

    text: str
    at: Spot


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say.

    Attributes:
        code: what kind of thing it is.
        level: how bad it is.
        message: what it is.
        at: where it is.
        help: what to do.
        about: the object that it is about, by kind and name.
        excerpt: the line of the file, with a caret below the place.
        related: what else there is to look at.
        fingerprint: stays the same when lines move.
        silenced: the reason for which nobody wants to hear of it.
        fails: whether it makes the whole fail.
        denied: who does not let the object in, ``apiserver`` or ``webhook``; empty where it gets in.
    """

    code: str
    level: Level
    message: str
    at: Spot
    help: str = ""
    about: str = ""
    excerpt: str = ""
    related: tuple[Related, ...] = ()
    fingerprint: str = ""
    silenced: str | None = None
    fails: bool = False
    denied: str = ""

    @property
    def text(self) -> str:
        """The message, and who does not let the object in."""
        return with_denier(self.message, self.denied)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a code means."""

    code: str
    level: Level
    title: str
    text: str
    help: str


@dataclass(frozen=True, slots=True)
class Remarks:
    """All there is to say.

    Attributes:
        tool: what says so.
        remarks: in the order of the files.
        topics: what the codes mean.
        files: what was looked at.
        notes: what is worth knowing about how it was done.
        refused: whether the input could not be used, so that nothing was done.
    """

    tool: str
    remarks: tuple[Remark, ...]
    topics: Mapping[str, Topic]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()
    refused: bool = False

    @property
    def told(self) -> list[Remark]:
        """The remarks that nobody silenced, and how many somebody did: a reader has to know that there are some."""
        silenced = [remark for remark in self.remarks if remark.silenced is not None]
        loud = [remark for remark in self.remarks if remark.silenced is None]
        return [*loud, _count(silenced)] if silenced else loud


def of_lint(result: Lint) -> Remarks:
    """Turn findings into remarks."""
    limit = _RANKS[result.fail_on]
    return Remarks(
        tool="vqs lint",
        remarks=tuple(of_finding(finding, limit) for finding in result.findings),
        topics={code: _of_rule(rule) for code, rule in RULES.items()},
        files=tuple(map(relative, result.files)),
        notes=tuple(result.notes),
    )


def of_diff(result: Diff) -> Remarks:
    """Turn a difference into remarks on what was changed: what fails and what loses first."""
    # Imported late, as findings have no use for it.
    from vqs.report.diff.annotations import diff_remarks, diff_topics  # noqa: PLC0415

    files = tuple(map(relative, result.after.files))
    return Remarks(
        tool="vqs diff-configs",
        remarks=tuple(diff_remarks(result)),
        topics={**diff_topics(), **{code: _of_rule(rule) for code, rule in RULES.items()}},
        files=files,
        notes=tuple(each.message for each in result.after.diagnostics),
    )


def of_refusal(result: Refusal) -> Remarks:
    """Turn what is wrong with an input into remarks, each at its place."""
    remarks = [_of_input(each) for each in result.diagnostics]
    alike: Counter[str] = Counter()
    for index, remark in enumerate(remarks):
        alike[remark.fingerprint] += 1
        digest = fingerprint_of(remark.fingerprint, str(alike[remark.fingerprint]))
        remarks[index] = replace(remark, fingerprint=digest)
    return Remarks(
        tool=f"vqs {result.command}",
        remarks=tuple(remarks),
        topics={code: _of_rule(rule) for code, rule in RULES.items()},
        files=tuple(dict.fromkeys(remark.at.file for remark in remarks if remark.at.file)),
        refused=True,
    )


def _count(silenced: Sequence[Remark]) -> Remark:
    """Tell how many findings are silenced, at the first of them."""
    number = "1 finding is" if len(silenced) == 1 else f"{len(silenced):,} findings are"
    codes = ", ".join(sorted({remark.code for remark in silenced}))
    fingerprint = fingerprint_of(SILENCED)
    return Remark(SILENCED, "note", f"{number} silenced: {codes}", silenced[0].at, fingerprint=fingerprint)


_RANKS: Mapping[Level, int] = {"note": 1, "warning": 2, "error": 3}
_LEVELS: Mapping[int, Level] = {rank: level for level, rank in _RANKS.items()}


def of_finding(finding: FindingResult, limit: int) -> Remark:
    """Turn a finding into a remark; one of at least the rank of the limit makes the whole fail."""
    return Remark(
        code=finding.code,
        level=finding.severity,
        message=finding.message,
        at=_spot(finding),
        help=finding.help,
        about=finding.object,
        excerpt=finding.excerpt,
        related=tuple(Related(evidence.text, _spot(evidence)) for evidence in finding.evidence),
        fingerprint=finding.fingerprint,
        silenced=finding.silenced.reason if finding.silenced else None,
        fails=finding.silenced is None and _RANKS[finding.severity] >= limit,
        denied=finding.denied or "",
    )


def _of_input(diagnostic: InputDiagnostic) -> Remark:
    file = relative(diagnostic.file)
    return Remark(
        code=diagnostic.code,
        level=diagnostic.severity,
        message=": ".join(part for part in (diagnostic.path, diagnostic.message) if part),
        at=Spot(file, diagnostic.line or 0, diagnostic.column or 0),
        help=diagnostic.help,
        excerpt=diagnostic.excerpt,
        fingerprint=fingerprint_of(diagnostic.code, file, diagnostic.path, diagnostic.message),
        fails=diagnostic.severity == "error",
    )


def fingerprint_of(*parts: str) -> str:
    """Return what tells a remark from others, as long as these parts of it are the same."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]


def _of_rule(rule: Rule) -> Topic:
    return Topic(rule.code, _LEVELS[rule.severity], rule.title, f"{rule.meaning} {rule.why}", rule.fix)


def _spot(place: FindingResult | EvidenceResult) -> Spot:
    return Spot(relative(place.file), place.line or 0, place.column or 0)


def relative(file: str) -> str:
    """Name a file as its repository knows it: as seen from the root of that in a pipeline, else from here."""
    if not file or file.startswith("<"):
        return file
    root = next(filter(None, map(os.environ.get, CHECKOUTS)), None)
    if root is not None and Path(root).is_dir():
        from_root = os.path.relpath(Path(file).absolute(), Path(root).absolute())
        if not from_root.startswith(".."):
            return Path(from_root).as_posix()
    inside = os.path.relpath(file) if Path(file).is_absolute() else os.path.normpath(file)
    return Path(file if inside.startswith("..") else inside).as_posix()
