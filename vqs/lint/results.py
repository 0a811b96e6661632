"""Findings as reports show them: what they are about, where that is, and how severe it is there."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from vqs.lint.new_objects import denier
from vqs.lint.outcome import EvidenceResult, FindingResult, SeverityName
from vqs.lint.places import Places
from vqs.lint.registry import RULES
from vqs.lint.rule import Denier, Evidence, Finding, LintContext, Rule, Severity
from vqs.snapshot.reading.diagnostics import Diagnostic, Path, path_text
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.findings import Fault
from vqs.snapshot.scenario.generated import GeneratedDocument

NAMES: Final[dict[Severity, SeverityName]] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}
_NUMBER: Final = re.compile(r"\d+")


class Located(NamedTuple):
    """A finding, the object that it is about, and the path in that."""

    result: FindingResult
    origin: Origin | None
    path: Path


class Results:
    """Makes findings of what rules and reading find."""

    def __init__(self, context: LintContext, places: Places) -> None:
        self.context = context
        self.places = places

    def of_reading(self, fault: Fault) -> Located:
        """The finding of what reading finds."""
        diagnostic, origin, path = fault
        result = self.of(diagnostic, origin, path)
        result.denied = self._denied_by_reading(diagnostic, origin, path)
        named = f"the PodGroup of {result.display_name}" if result.display_name else result.object
        at = path_text(path) if path else diagnostic.path
        about = ", ".join(filter(None, (named, at.removeprefix("$").removeprefix("."))))
        result.message = f"{about}: {diagnostic.message}" if about else diagnostic.message
        return Located(result, origin, path)

    def _denied_by_reading(self, diagnostic: Diagnostic, origin: Origin | None, path: Path) -> Denier | None:
        typed = self.places.object_at(origin)
        if origin is None or isinstance(origin.document, GeneratedDocument) or diagnostic.severity != "error":
            return None
        if typed is not None and self.context.is_stored(typed):
            return None
        return denier(diagnostic.code, None if typed is None else type(typed), path, self.context.profile)

    def nearness(self, found: tuple[Rule, Finding]) -> tuple[str, int, int]:
        """A sort key that brings findings of one document together, so that their lines are found faster."""
        origin, _ = self.places.origin(found[1].at)
        if origin is None:
            return "", 0, 0
        index = next((step for step in origin.path if isinstance(step, int)), 0)
        return origin.document.source.name, origin.document.start, index

    def of_rule(self, found: tuple[Rule, Finding]) -> Located:
        """The finding of what a rule finds."""
        rule, finding = found
        hint = finding.fix or rule.fix
        origin, path = self.places.origin(finding.at)
        denied = finding.denied or rule.denied
        severity = NAMES[finding.severity or rule.severity]
        typed = self.places.object_at(origin) if denied is not None else None
        if typed is not None and self.context.is_stored(typed):  # it is in a cluster already
            denied = None
            severity = NAMES[finding.severity or rule.stands]
        diagnostic = self.places.diagnostic(finding.at, rule.code, finding.message, severity=severity, hint=hint)
        result = self.of(diagnostic, origin, path)
        result.denied = None if origin is None or isinstance(origin.document, GeneratedDocument) else denied
        result.evidence = [*map(self._evidence, finding.evidence)]
        return Located(result, origin, path)

    def _evidence(self, evidence: Evidence) -> EvidenceResult:
        place = self.places.diagnostic(evidence.at, "", evidence.text, severity="note")
        return EvidenceResult(
            text=evidence.text,
            file=place.file,
            line=place.line or None,
            column=place.column or None,
            path=place.path,
        )

    def of(self, diagnostic: Diagnostic, origin: Origin | None, path: Path) -> FindingResult:
        """The finding of a value of an object, or of the text of a file."""
        label = self.places.label(origin)
        what = (label, repr(path)) if label and path else (label, diagnostic.message, diagnostic.excerpt.strip(" ^\n"))
        return FindingResult(
            code=diagnostic.code,
            severity=diagnostic.severity,
            message=diagnostic.message,
            file=diagnostic.file,
            line=diagnostic.line or None,
            column=diagnostic.column or None,
            path=diagnostic.path,
            object=label,
            display_name=self.places.called(origin),
            help=diagnostic.help or (RULES[diagnostic.code].fix if diagnostic.code in RULES else ""),
            excerpt=diagnostic.excerpt,
            fingerprint=_digest((diagnostic.code, diagnostic.file, *what)),
        )


def without_repeats(located: Iterable[Located]) -> list[Located]:
    """Findings, of those about one value that differ by nothing but numbers only the first.

    They are about objects that were made of the same one, such as the pods of a Job. Different values may
    have one place in a file: a configuration in JSON is a single text.
    """
    first: dict[tuple[object, ...], Located] = {}
    for each in located:
        finding = each.result
        message = _NUMBER.sub("", finding.message) if finding.line else finding.message
        place = finding.file, finding.line, finding.column, finding.path
        first.setdefault((finding.code, *place, message), each)
    return list(first.values())


def order(finding: FindingResult) -> tuple[bool, str, int, str, int, str]:
    """A sort key: by file, line and code."""
    return (
        not finding.file,
        finding.file,
        finding.line or 0,
        finding.code,
        finding.column or 0,
        finding.message,
    )


def tell_alike_apart(findings: Iterable[FindingResult]) -> None:
    """Give findings with the same fingerprint different ones, in their order."""
    seen: Counter[str] = Counter()
    for finding in findings:
        fingerprint = finding.fingerprint
        seen[fingerprint] += 1
        if seen[fingerprint] > 1:
            finding.fingerprint = _digest((fingerprint, str(seen[fingerprint])))


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
