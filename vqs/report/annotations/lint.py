"""Findings, and what is wrong with an input that is refused, as annotations on lines of files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from vqs.explain.refusal import Refusal
from vqs.lint.outcome import EvidenceResult, FindingResult, Lint
from vqs.lint.registry import RULES
from vqs.report.annotations.annotation import (
    Annotation,
    AnnotationSet,
    Descriptor,
    Level,
    Location,
    Related,
    fingerprint_of,
    relative,
)
from vqs.report.formats import View

_RANKS: Mapping[Level, int] = {"note": 1, "warning": 2, "error": 3}
_LEVELS: Mapping[int, Level] = {rank: level for level, rank in _RANKS.items()}


def annotate(result: Lint, _view: View, /) -> AnnotationSet:
    """Turn findings into annotations."""
    limit = _RANKS[result.fail_on]
    return AnnotationSet(
        tool="vqs lint",
        annotations=tuple(of_finding(finding, limit) for finding in result.findings),
        descriptors=descriptors(),
        files=tuple(map(relative, result.files)),
        notes=tuple(result.notes),
    )


def descriptors() -> dict[str, Descriptor]:
    """Return what the codes of lint rules mean."""
    return {
        code: Descriptor(code, _LEVELS[rule.severity], rule.title, f"{rule.meaning} {rule.why}", rule.fix)
        for code, rule in RULES.items()
    }


def of_finding(finding: FindingResult, limit: int) -> Annotation:
    """Turn a finding into an annotation; one of at least the rank of the limit makes the whole fail."""
    return Annotation(
        code=finding.code,
        level=finding.severity,
        message=finding.message,
        at=_location(finding),
        help=finding.help,
        about=f"{finding.object} ({finding.display_name})" if finding.display_name else finding.object,
        excerpt=finding.excerpt,
        related=tuple(Related(evidence.text, _location(evidence)) for evidence in finding.evidence),
        fingerprint=finding.fingerprint,
        silenced=finding.silenced.reason if finding.silenced else None,
        fails=finding.silenced is None and _RANKS[finding.severity] >= limit,
        denied=finding.denied or "",
    )


def _location(place: FindingResult | EvidenceResult) -> Location:
    return Location(relative(place.file), place.line or 0, place.column or 0)


def annotate_refusal(result: Refusal, _view: View, /) -> AnnotationSet:
    """Turn what is wrong with an input into annotations, each at its place."""
    annotations = []
    alike: Counter[str] = Counter()
    for each in result.diagnostics:
        file = relative(each.file)
        digest = fingerprint_of(each.code, file, each.path, each.message)
        alike[digest] += 1
        annotations.append(
            Annotation(
                code=each.code,
                level=each.severity,
                message=": ".join(part for part in (each.path, each.message) if part),
                at=Location(file, each.line or 0, each.column or 0),
                help=each.help,
                excerpt=each.excerpt,
                fingerprint=fingerprint_of(digest, str(alike[digest])),
                fails=each.severity == "error",
            )
        )
    return AnnotationSet(
        tool=f"vqs {result.command}",
        annotations=tuple(annotations),
        descriptors=descriptors(),
        files=tuple(dict.fromkeys(annotation.at.file for annotation in annotations if annotation.at.file)),
        refused=True,
    )
