"""Runs rules over what was read, and puts together what they found with what reading found."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from vqs.config.scheduler_conf import BUILT_IN, built_in_configuration, read_configuration
from vqs.lint.denial import denier
from vqs.lint.outcome import EvidenceResult, FindingResult, Lint, LintSummary, SeverityName, SilenceResult
from vqs.lint.places import Places, conf_origin
from vqs.lint.registry import RULES
from vqs.lint.rule import ConfPlace, Need, Severity
from vqs.lint.silence import Silences, key_of
from vqs.lint.silence_scope import Scopes
from vqs.lint.subject import Subject
from vqs.snapshot.admission import CHANGE_DENIED
from vqs.snapshot.collector import paused_collector
from vqs.snapshot.diagnostics import Guesser, InputErrors, path_text
from vqs.snapshot.manifests import Fault
from vqs.snapshot.scenario.made import MadeDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from vqs.config.scheduler_conf import SchedulerConfiguration
    from vqs.explain.simulate import Opened
    from vqs.lint.rule import Denier, Evidence, Finding, Place, Rule
    from vqs.lint.silence import Silence
    from vqs.lint.silence_scope import Heeded
    from vqs.snapshot.diagnostics import Diagnostic, Path
    from vqs.snapshot.documents import Document, Origin
    from vqs.snapshot.manifests import Survey
    from vqs.snapshot.sources import Source

VOLCANO = "1.14"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_NAMES: Final[dict[Severity, SeverityName]] = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "note",
}
_BY_A_WEBHOOK: Final = "job-denied"
"""What reading says for a webhook; where the API server says no before it, that is told all the same."""

_NUMBER = re.compile(r"\d+")
_WHY_LEFT_OUT = {
    Need.OBJECTS: "objects could not be read",
    Need.CONFIGURATION: "the scheduler's configuration could not be read",
    Need.SESSION: "there are errors in the input",
}


@dataclass(frozen=True, slots=True)
class LintOptions:
    """How to look for faults.

    Attributes:
        codes: the codes of what is looked for. Errors of reading are told whether they are among these or not.
        ignored: the codes that are not told at all.
        fail_on: how bad a finding has to be for the whole to fail.
        now: the time of the session; where it is None, a scenario's, else the snapshot's newest timestamp.
        progress: told how many rules of how many are done.
        documents: what documents were found to say that were read again; one who looks at several inputs that have
            documents in common gives the same for all.
        opened: a session that was opened on the input at that time, in which no action has run, if there is one.
        silent: whether what somebody silenced is left out of what counts.
        doubted: the types and names of objects that are not believed to be in a cluster, whatever they say.
        heeded: the silences of the base, where the input is a candidate: it can silence nothing else.
    """

    codes: Collection[str] = frozenset(RULES)
    ignored: Collection[str] = frozenset()
    fail_on: Severity = Severity.ERROR
    now: datetime | None = None
    progress: Callable[[str, int, int], None] | None = None
    documents: dict[Document, dict[Path, Any]] = field(default_factory=dict)
    opened: Opened | None = None
    silent: bool = True
    doubted: AbstractSet[tuple[type, str]] = frozenset()
    heeded: Heeded | None = None


class _Located(NamedTuple):
    """A finding, the object that it is about, and the path in that."""

    result: FindingResult
    origin: Origin | None
    path: Path


def lint(survey: Survey, options: LintOptions) -> Lint:
    """Look for faults in what was read."""
    with paused_collector():
        return _Run(survey, options).result()


def scopes_of(survey: Survey) -> Scopes:
    """Return what is silenced in what was read, and what that speaks for."""
    with paused_collector():
        return _Run(survey, LintOptions()).scopes


class _Run:
    def __init__(self, survey: Survey, options: LintOptions) -> None:
        self.survey = survey
        self.options = options
        self.faults = list(survey.faults)
        self.conf_is_usable = survey.has_usable_configuration
        manifests = survey.manifests
        now = options.now or manifests.now or EPOCH
        self.subject = Subject(
            manifests, self._configuration(), now, options.documents, options.opened, options.doubted
        )
        self.places = Places(self.subject)
        self.left_out: dict[str, Need] = {}
        self.looked_for = {code for code in options.codes if RULES[code].check is None}

    def result(self) -> Lint:
        """Return all findings, in the order of the files."""
        by_rules = [*self._by_rules()]
        located = [*map(self._of_rule, sorted(by_rules, key=self._nearness)), *self._by_reading()]
        findings = [*self._silenced(_without_repeats(located))]
        findings.sort(key=_order)
        _tell_alike_apart(findings)
        loud = [finding for finding in findings if finding.silenced is None]
        counts = Counter(finding.severity for finding in loud)
        return Lint(
            volcano=VOLCANO,
            configuration=self.places.conf.name if self.places.conf else BUILT_IN,
            files=self._files(),
            fail_on=_NAMES[self.options.fail_on],
            failed=any(Severity[finding.severity.upper()] >= self.options.fail_on for finding in loud),
            summary=LintSummary(
                errors=counts["error"],
                warnings=counts["warning"],
                notes=counts["note"],
                files=len({finding.file for finding in loud if finding.file}),
                silenced=len(findings) - len(loud),
            ),
            findings=findings,
            left_out=list(self.left_out),
            notes=self._notes(),
        )

    def _files(self) -> list[str]:
        sources = [source.name for source in self.survey.sources]
        conf = [self.places.conf.document.source.name] if self.places.conf else []
        return list(dict.fromkeys([*sources, *conf]))

    def _notes(self) -> list[str]:
        """Say what was chosen, and what was not looked at."""
        notes = [_remark(fault.diagnostic) for fault in self.faults if _is_remark(fault.diagnostic)]
        for need, number in sorted(Counter(self.left_out.values()).items()):
            notes.append(f"{number} {'rule was' if number == 1 else 'rules were'} left out, as {_WHY_LEFT_OUT[need]}")
        return notes

    # --- what reading finds ------------------------------------------------------------------------------------------

    def _configuration(self) -> SchedulerConfiguration:
        """Return what the configuration was understood as, and take in what is wrong with it."""
        text = self.survey.manifests.conf
        origin = conf_origin(text)
        if not self.conf_is_usable:
            return built_in_configuration()
        try:
            conf = read_configuration(text)
        except InputErrors as errors:
            self.conf_is_usable = False
            self.faults += [Fault(each, origin) for each in errors.diagnostics]
            return built_in_configuration()
        self.faults += [Fault(each, origin) for each in conf.diagnostics]
        return conf

    def _by_reading(self) -> Iterator[_Located]:
        for diagnostic, origin, path in self.faults:
            if self._is_wanted(diagnostic) and not _is_remark(diagnostic):
                result = self._result(diagnostic, origin, path)
                result.denied = self._denied_by_reading(diagnostic, origin, path)
                about = _about(result.object, path_text(path) if path else diagnostic.path)
                result.message = f"{about}: {diagnostic.message}" if about else diagnostic.message
                yield _Located(result, origin, path)

    def _denied_by_reading(self, diagnostic: Diagnostic, origin: Origin | None, path: Path) -> Denier | None:
        typed = self.places.object_at(origin)
        if origin is None or isinstance(origin.document, MadeDocument) or diagnostic.severity != "error":
            return None
        if typed is not None and self.subject.is_stored(typed):
            return None
        return denier(diagnostic.code, None if typed is None else type(typed), path)

    def _is_wanted(self, diagnostic: Diagnostic) -> bool:
        """Tell whether to tell of something; not to tell of an error would make input look sound that is not."""
        if diagnostic.severity == "error":
            return diagnostic.code not in self.options.ignored
        return diagnostic.code in self.options.codes or diagnostic.code not in RULES

    # --- what rules find ---------------------------------------------------------------------------------------------

    def _by_rules(self) -> Iterator[tuple[Rule, Finding]]:
        rules = [rule for rule in RULES.values() if rule.check and rule.code in self.options.codes]
        for number, rule in enumerate(rules):
            if self.options.progress:
                self.options.progress("lint", number, len(rules))
            if self._lacks(rule.needs):
                self.left_out[rule.code] = rule.needs
            else:
                self.looked_for.add(rule.code)
                yield from self._found_by(rule)

    def _lacks(self, need: Need) -> bool:
        """Tell whether what a rule looks at is not there."""
        if need is Need.SESSION:
            return self._has_errors or not self._can_be_completed()
        return not (self.survey.whole if need is Need.OBJECTS else self.conf_is_usable)

    @property
    def _has_errors(self) -> bool:
        return any(fault.diagnostic.severity == "error" for fault in self.faults)

    def _can_be_completed(self) -> bool:
        try:
            _ = self.subject.completed
        except InputErrors as errors:
            self.faults += [Fault(each) for each in errors.diagnostics]
            return False
        return True

    def _found_by(self, rule: Rule) -> Iterator[tuple[Rule, Finding]]:
        for finding in rule.check(self.subject) if rule.check else ():
            places = [finding.at, *(evidence.at for evidence in finding.evidence)]
            if any(map(self._is_hidden, places)) or (rule.gives_way and self._is_told(finding.at)):
                continue
            yield rule, finding

    def _is_told(self, at: Place | ConfPlace | None) -> bool:
        """Tell whether reading finds fault with a value, or with something in it."""
        origin, path = self.places.origin(at)
        told = self._told.get(key_of(origin), ()) if origin else ()
        return any(each[: len(path)] == path for each in told)

    @cached_property
    def _told(self) -> dict[tuple[int, object], list[Path]]:
        """The paths of what reading refuses, by object."""
        told: dict[tuple[int, object], list[Path]] = {}
        for fault in self.survey.faults:
            is_error = fault.diagnostic.severity == "error" and fault.diagnostic.code != _BY_A_WEBHOOK
            if is_error and fault.origin is not None and fault.path:
                told.setdefault(key_of(fault.origin), []).append(fault.path)
        return told

    def _is_hidden(self, at: Place | ConfPlace | None) -> bool:
        """Tell whether a value is not what it seems, as something in it or around it could not be read."""
        if at is None or isinstance(at, ConfPlace) or not self._hidden:
            return False
        origin, path = self.places.origin(at)
        hidden = self._hidden.get(key_of(origin), ()) if origin else ()
        return any(path[: len(each)] == each[: len(path)] for each in hidden)

    @cached_property
    def _hidden(self) -> dict[tuple[int, object], list[Path]]:
        """The paths of what could not be read, by object."""
        hidden: dict[tuple[int, object], list[Path]] = {}
        for fault in self.survey.faults:
            if fault.hides and fault.origin is not None:
                hidden.setdefault(key_of(fault.origin), []).append(fault.path)
        return hidden

    # --- places ------------------------------------------------------------------------------------------------------

    def _nearness(self, found: tuple[Rule, Finding]) -> tuple[str, int, int]:
        """Return a sort key by which what stands near each other comes together: then it is found with less work."""
        origin, _ = self.places.origin(found[1].at)
        if origin is None:
            return "", 0, 0
        index = next((step for step in origin.path if isinstance(step, int)), 0)
        return origin.document.source.name, origin.document.start, index

    def _of_rule(self, found: tuple[Rule, Finding]) -> _Located:
        rule, finding = found
        hint = finding.fix or rule.fix
        origin, path = self.places.origin(finding.at)
        denied = finding.denied or rule.denied
        severity = _NAMES[finding.severity or rule.severity]
        if denied is not None and self._is_in(origin):
            denied = None
            severity = _NAMES[finding.severity or rule.stands]
        diagnostic = self.places.diagnostic(finding.at, rule.code, finding.message, severity=severity, hint=hint)
        result = self._result(diagnostic, origin, path)
        result.denied = None if origin is None or isinstance(origin.document, MadeDocument) else denied
        result.evidence = [*map(self._evidence, finding.evidence)]
        return _Located(result, origin, path)

    def _is_in(self, origin: Origin | None) -> bool:
        """Tell whether an object is in a cluster already."""
        typed = self.places.object_at(origin)
        return typed is not None and self.subject.is_stored(typed)

    def _evidence(self, evidence: Evidence) -> EvidenceResult:
        place = self.places.diagnostic(evidence.at, "", evidence.text, severity="note")
        return EvidenceResult(
            text=evidence.text,
            file=place.file,
            line=place.line or None,
            column=place.column or None,
            path=place.path,
        )

    def _result(self, diagnostic: Diagnostic, origin: Origin | None, path: Path) -> FindingResult:
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
            help=diagnostic.help or _fix(diagnostic.code),
            excerpt=diagnostic.excerpt,
            fingerprint=_digest((diagnostic.code, diagnostic.file, *what)),
        )

    # --- silence -----------------------------------------------------------------------------------------------------

    def _silenced(self, located: Sequence[_Located]) -> Iterator[FindingResult]:
        """Yield findings, those that somebody silenced with the reason, and what is wrong with the silences."""
        if not self.options.silent:
            yield from (each.result for each in located)
            return
        for finding, about, path in located:
            silence = self._silence_of(finding, about, path)
            if silence is not None:
                finding.silenced = SilenceResult(
                    reason=silence.reason, file=silence.file, line=silence.position.line or None
                )
            yield finding
        guesser = Guesser(RULES)
        for silence in self.silences.all:
            for diagnostic in silence.faults(RULES, self.looked_for, guesser):
                if diagnostic.code in self.options.codes:
                    yield self._result(diagnostic, None, ())

    def _silence_of(self, finding: FindingResult, about: Origin | None, path: Path) -> Silence | None:
        """Return what silences a finding; in a candidate, what the base silences as well."""
        heeded, line = self.options.heeded, finding.line or 0
        for silence, by_line in self.silences.holding(finding.code, finding.file, line, about):
            if heeded is None:
                return silence
            fields = [] if about is None else [self.scopes.owner(about)]
            if by_line:
                fields = self.scopes.told(finding.file, line, finding.column or 0, path)
            if fields and all(heeded.holds(finding.code, field) for field in fields):
                return silence
        return None

    @cached_property
    def silences(self) -> Silences:
        """All that is silenced in the input."""
        silences = Silences(self._all_sources())
        for origin, typed in self.places.objects():
            silences.add_annotation(origin, typed.metadata)
        if self.places.conf:
            silences.add_opening(*self.places.conf_opening(self.places.conf))
        return silences

    @cached_property
    def scopes(self) -> Scopes:
        """What all that speaks for."""
        return Scopes(self.silences, self.places)

    def _all_sources(self) -> list[Source]:
        conf = [self.places.conf.document.source] if self.places.conf else []
        return list(dict.fromkeys([*self.survey.sources, *conf]))


def _about(label: str, path: str) -> str:
    """Name an object and a value in it, as far as they are known."""
    return ", ".join(filter(None, (label, path.removeprefix("$").removeprefix("."))))


def _fix(code: str) -> str:
    return RULES[code].fix if code in RULES else ""


def _is_remark(diagnostic: Diagnostic) -> bool:
    """Tell whether something is worth knowing about the input as a whole, and no fault of anything in it."""
    return (diagnostic.severity == "note" and not diagnostic.line) or diagnostic.code == CHANGE_DENIED


def _remark(diagnostic: Diagnostic) -> str:
    return f"{diagnostic.file}: {diagnostic.message}" if diagnostic.file else diagnostic.message


def _without_repeats(located: Iterable[_Located]) -> list[_Located]:
    """Return findings, of those about one value that differ by nothing but numbers only the first.

    They are about objects that were made of the same one, such as the pods of a Job. Values may stand in one place of
    a file and differ: a configuration in JSON is a single text.
    """
    first: dict[tuple[object, ...], _Located] = {}
    for each in located:
        finding = each.result
        message = _NUMBER.sub("", finding.message) if finding.line else finding.message
        place = finding.file, finding.line, finding.column, finding.path
        first.setdefault((finding.code, *place, message), each)
    return list(first.values())


def _order(finding: FindingResult) -> tuple[bool, str, int, str, int, str]:
    return (
        not finding.file,
        finding.file,
        finding.line or 0,
        finding.code,
        finding.column or 0,
        finding.message,
    )


def _tell_alike_apart(findings: Iterable[FindingResult]) -> None:
    """Give findings with the same fingerprint different ones, in their order."""
    seen: Counter[str] = Counter()
    for finding in findings:
        fingerprint = finding.fingerprint
        seen[fingerprint] += 1
        if seen[fingerprint] > 1:
            finding.fingerprint = _digest((fingerprint, str(seen[fingerprint])))


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
