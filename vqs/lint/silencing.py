"""Which comment or annotation silences a finding."""

from __future__ import annotations

from functools import cached_property

from vqs.lint.outcome import FindingResult
from vqs.lint.places import Places
from vqs.lint.silence import Silence, Silences
from vqs.lint.silence_scope import AllowedSilences, Scopes
from vqs.snapshot.reading.diagnostics import Path
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.lenient_read import LenientRead
from vqs.snapshot.reading.sources import Source


class Silencing:
    """The silences of an input; a candidate may have those of the base only."""

    def __init__(self, lenient_read: LenientRead, places: Places, allowed: AllowedSilences | None) -> None:
        self.lenient_read = lenient_read
        self.places = places
        self.allowed = allowed

    def silence_of(self, finding: FindingResult, about: Origin | None, path: Path) -> Silence | None:
        """Return what silences a finding; in a candidate, what the base silences as well."""
        allowed, line = self.allowed, finding.line or 0
        for silence, by_line in self.silences.holding(finding.code, finding.file, line, about):
            if allowed is None:
                return silence
            fields = [] if about is None else [self.scopes.owner(about)]
            if by_line:
                fields = self.scopes.fields_at(finding.file, line, finding.column or 0, path)
            if fields and all(allowed.holds(finding.code, field) for field in fields):
                return silence
        return None

    @cached_property
    def silences(self) -> Silences:
        """All that is silenced in the input."""
        silences = Silences(self._all_sources())
        for origin, typed in self.places.objects():
            silences.add_annotation(origin, typed.metadata)
        conf = self.places.conf
        if conf:
            has_comments = silences.has_comments(conf.document.source.name)
            silences.add_opening(conf.origin, self.places.conf_opening(conf) if has_comments else range(0))
        return silences

    @cached_property
    def scopes(self) -> Scopes:
        """What all that speaks for."""
        return Scopes(self.silences, self.places)

    def _all_sources(self) -> list[Source]:
        conf = [self.places.conf.document.source] if self.places.conf else []
        return list(dict.fromkeys([*self.lenient_read.sources, *conf]))
