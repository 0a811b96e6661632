"""Runs rules over what was read, and puts together what they found with what reading found."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final, NamedTuple

from vqs.config.scheduler_conf import BUILT_IN, SchedulerConfiguration, built_in_configuration
from vqs.explain.simulate import Opened
from vqs.lint.new_objects import denier
from vqs.lint.outcome import EvidenceResult, FindingResult, Lint, LintSummary, SeverityName, SilenceResult
from vqs.lint.places import Places, key_of
from vqs.lint.plugins import is_given
from vqs.lint.registry import RULES
from vqs.lint.rule import ConfPlace, Evidence, Finding, LintContext, Need, Place, Rule, Severity
from vqs.lint.silence import AllowedSilences, Scopes, Silence, Silences
from vqs.model.kubernetes import VolcanoJob
from vqs.releases.release import Build
from vqs.snapshot.apiserver.admission import CHANGE_DENIED
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, InputErrors, Path, path_text
from vqs.snapshot.reading.documents import Document, Origin
from vqs.snapshot.reading.kinds import KIND_OF, LISTS
from vqs.snapshot.reading.missing_kinds import Fault, LenientRead
from vqs.snapshot.reading.sources import Source
from vqs.snapshot.scenario.generated import GeneratedDocument

# --- what is found ----------------------------------------------------------------------------------------------------

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
        typed = self.places.object_at(origin)
        is_stored = typed is not None and self.context.is_stored(typed)
        is_written = origin is not None and not isinstance(origin.document, GeneratedDocument)
        if is_written and not is_stored and diagnostic.severity == "error":
            type_ = None if typed is None else type(typed)
            result.denied = denier(diagnostic.code, type_, path, self.context.profile)
        named = f"the PodGroup of {result.display_name}" if result.display_name else result.object
        at = path_text(path) if path else diagnostic.path
        about = ", ".join(filter(None, (named, at.removeprefix("$").removeprefix("."))))
        result.message = f"{about}: {diagnostic.message}" if about else diagnostic.message
        return Located(result, origin, path)

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


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# --- running ----------------------------------------------------------------------------------------------------------

_WHY_LEFT_OUT = {
    Need.OBJECTS: "objects could not be read",
    Need.CONFIGURATION: "the scheduler's configuration could not be read",
    Need.SESSION: "there are errors in the input",
}


@dataclass(frozen=True, slots=True)
class LintOptions:
    """How to run lint.

    Attributes:
        codes: the codes of the rules to run. Errors of the input are reported in any case.
        ignored: the codes that are not reported.
        fail_on: how bad a finding has to be for the whole to fail.
        now: the time of the session; where it is None, a scenario's, else the snapshot's newest timestamp.
        progress: told how many rules of how many are done.
        documents: what documents were found to say that were read again; one who looks at several inputs that have
            documents in common gives the same for all.
        opened: a session that was opened on the input at that time, in which no action has run, if there is one.
        silent: whether silenced findings are left out of what counts.
        proposed: the types and names of objects that are not believed to be in a cluster, whatever they say.
        shared: the ids of objects that another input has too, and is judged alike in: their findings, the same in both,
            may be left out.
        allowed: the silences of the base, where the input is a candidate: it can silence nothing else.
        upgrade: the release of Volcano that an upgrade leads to, if one is asked about.
    """

    codes: Collection[str] = frozenset(RULES)
    ignored: Collection[str] = frozenset()
    fail_on: Severity = Severity.ERROR
    now: datetime | None = None
    progress: Callable[[str, int, int], None] | None = None
    documents: dict[Document, dict[Path, Any]] = field(default_factory=dict)
    opened: Opened | None = None
    silent: bool = True
    proposed: AbstractSet[tuple[type, str]] = frozenset()
    shared: AbstractSet[int] = frozenset()
    allowed: AllowedSilences | None = None
    upgrade: Build | None = None


def lint(lenient_read: LenientRead, options: LintOptions) -> Lint:
    """The findings of some input."""
    with paused_collector():
        return _Run(lenient_read, options).result()


def scopes_of(lenient_read: LenientRead) -> Scopes:
    """The silences in what was read, and what they speak for."""
    with paused_collector():
        return _Run(lenient_read, LintOptions()).silencing.scopes


def _sources(lenient_read: LenientRead, places: Places) -> list[Source]:
    return [*lenient_read.sources, *([places.conf.document.source] if places.conf else [])]


class _Run:
    def __init__(self, lenient_read: LenientRead, options: LintOptions) -> None:
        self.lenient_read = lenient_read
        self.options = options
        self.faults = list(lenient_read.faults)
        self.conf_is_usable = lenient_read.has_usable_configuration
        manifests = lenient_read.manifests
        now = options.now or manifests.now or EPOCH
        self.context = LintContext(
            manifests,
            self._configuration(),
            now,
            options.documents,
            options.opened,
            options.proposed,
            options.upgrade,
            options.shared,
        )
        self.places = Places(self.context)
        self.results = Results(self.context, self.places)
        self.misread = Misread(lenient_read, self.places)
        self.silencing = Silencing(lenient_read, self.places, options.allowed)
        self.left_out: dict[str, Need] = {}
        self.assuming: Counter[str] = Counter()
        self.looked_for = {code for code in options.codes if RULES[code].check is None}

    def result(self) -> Lint:
        """All findings, in the order of the files."""
        by_rules = [*self._by_rules()]
        located = [*map(self.results.of_rule, sorted(by_rules, key=self.results.nearness))]
        told, remarks = self._told()
        located += map(self.results.of_reading, told)
        findings = [*self._silenced(without_repeats(located))]
        findings.sort(key=order)
        tell_alike_apart(findings)
        active = [finding for finding in findings if finding.silenced is None]
        counts = Counter(finding.severity for finding in active)
        # Count what was looked at, by kind.
        manifests = self.lenient_read.manifests
        kinds = Counter(type(each) for list_name in LISTS for each in getattr(manifests, list_name))
        found = {KIND_OF[kind].name if kind is not VolcanoJob else "Volcano Job": n for kind, n in kinds.items()}
        conf = {"scheduler configuration": 1} if self.places.conf is not None else {}
        plans = {"NodeMetrics": len(manifests.metrics)} if manifests.metrics else {}
        notes = [f"{each.file}: {each.message}" if each.file else each.message for each in remarks]
        for need, number in sorted(Counter(self.left_out.values()).items()):
            notes.append(f"{number} {'rule was' if number == 1 else 'rules were'} left out, as {_WHY_LEFT_OUT[need]}")
        if self.assuming:
            rules = ", ".join(f"{code} ({number:,})" for code, number in self.assuming.items())
            notes.append(
                "no scheduler configuration was given: left out are rules that would find something with the built-in "
                f"one, {rules}; name the cluster's with --conf"
            )
        return Lint(
            volcano=self.context.profile.name,
            configuration=self.places.conf.name if self.places.conf else BUILT_IN,
            files=list(dict.fromkeys(each.name for each in _sources(self.lenient_read, self.places))),
            fail_on=NAMES[self.options.fail_on],
            failed=any(Severity[finding.severity.upper()] >= self.options.fail_on for finding in active),
            summary=LintSummary(
                errors=counts["error"],
                warnings=counts["warning"],
                notes=counts["note"],
                files=len({finding.file for finding in active if finding.file}),
                silenced=len(findings) - len(active),
            ),
            findings=findings,
            skipped_rules=[*self.left_out, *self.assuming],
            notes=notes,
            objects=(dict(sorted(found.items())) | plans | conf),
        )

    # --- what reading finds ------------------------------------------------------------------------------------------

    def _configuration(self) -> SchedulerConfiguration:
        """The configuration as it was understood; what is wrong with it is taken in."""
        configuration = self.lenient_read.manifests.configuration
        if configuration is None or not self.conf_is_usable:
            return built_in_configuration()
        origin = configuration.text.origin
        try:
            conf = configuration.accepted()
        except InputErrors as errors:
            self.conf_is_usable = False
            self.faults += [Fault(each, origin) for each in errors.diagnostics]
            return built_in_configuration()
        self.faults += [Fault(each, origin) for each in configuration.diagnostics]
        return conf

    def _told(self) -> tuple[list[Fault], list[Diagnostic]]:
        """What reading finds: the faults to tell of, and what is worth knowing about the input as a whole."""
        told, remarks = [], []
        for fault in self.faults:
            diagnostic = fault.diagnostic
            if (diagnostic.severity == "note" and not diagnostic.line) or diagnostic.code == CHANGE_DENIED:
                remarks.append(diagnostic)
            elif diagnostic.severity == "error":  # not to tell of one would make input look sound that is not
                told += [fault] if diagnostic.code not in self.options.ignored else []
            elif diagnostic.code in self.options.codes or diagnostic.code not in RULES:
                told.append(fault)
        return told, remarks

    # --- what rules find ---------------------------------------------------------------------------------------------

    def _by_rules(self) -> Iterator[tuple[Rule, Finding]]:
        rules = [rule for rule in RULES.values() if rule.check and rule.code in self.options.codes]
        for number, rule in enumerate(rules):
            if self.options.progress:
                self.options.progress("lint", number, len(rules))
            if self._lacks(rule.needs):
                self.left_out[rule.code] = rule.needs
            elif rule.given_conf and not is_given(self.context.conf):
                self.assuming.update(rule.code for _ in self._found_by(rule))
            else:
                self.looked_for.add(rule.code)
                yield from self._found_by(rule)

    def _lacks(self, need: Need) -> bool:
        """True if what a rule looks at is not there."""
        if need is Need.SESSION:
            if any(fault.diagnostic.severity == "error" for fault in self.faults):
                return True
            try:
                _ = self.context.completed
            except InputErrors as errors:
                self.faults += [Fault(each) for each in errors.diagnostics]
                return True
            return False
        return not (self.lenient_read.whole if need is Need.OBJECTS else self.conf_is_usable)

    def _found_by(self, rule: Rule) -> Iterator[tuple[Rule, Finding]]:
        for finding in rule.check(self.context) if rule.check else ():
            places = [finding.at, *(evidence.at for evidence in finding.evidence)]
            if any(map(self.misread.is_hidden, places)) or (rule.gives_way and self.misread.is_reported(finding.at)):
                continue
            yield rule, finding

    # --- silence -----------------------------------------------------------------------------------------------------

    def _silenced(self, located: Sequence[Located]) -> Iterator[FindingResult]:
        """Yield findings, the silenced ones with the reason, and what is wrong with the silences."""
        if not self.options.silent:
            yield from (each.result for each in located)
            return
        for finding, about, path in located:
            silence = self.silencing.silence_of(finding, about, path)
            if silence is not None:
                finding.silenced = SilenceResult(
                    reason=silence.reason, file=silence.file, line=silence.position.line or None
                )
            yield finding
        guesser = Guesser(RULES)
        for silence in self.silencing.silences.all:
            for diagnostic in silence.faults(RULES, self.looked_for, guesser):
                if diagnostic.code in self.options.codes:
                    yield self.results.of(diagnostic, None, ())


_BY_A_WEBHOOK: Final = "job-denied"
"""The code of what the webhook would deny; an error that the API server finds first is reported as well."""


class Misread:
    """What is wrong with values, by the objects that they are in."""

    def __init__(self, lenient_read: LenientRead, places: Places) -> None:
        self.places = places
        # By object: the paths of values with errors, and of what could not be read.
        self._reported: defaultdict[tuple[int, object], list[Path]] = defaultdict(list)
        self._hidden: defaultdict[tuple[int, object], list[Path]] = defaultdict(list)
        for fault in lenient_read.faults:
            diagnostic, origin, path = fault
            if origin is not None and fault.hides:
                self._hidden[key_of(origin)].append(path)
            if origin is not None and path and diagnostic.severity == "error" and diagnostic.code != _BY_A_WEBHOOK:
                self._reported[key_of(origin)].append(path)

    def is_reported(self, at: Place | ConfPlace | None) -> bool:
        """True if a value, or a part of it, has an error."""
        origin, path = self.places.origin(at)
        reported = self._reported.get(key_of(origin), ()) if origin else ()
        return any(other[: len(path)] == path for other in reported)

    def is_hidden(self, at: Place | ConfPlace | None) -> bool:
        """True if a value is not what it seems, as something in it or around it could not be read."""
        if at is None or isinstance(at, ConfPlace) or not self._hidden:
            return False
        origin, path = self.places.origin(at)
        hidden = self._hidden.get(key_of(origin), ()) if origin else ()
        return any(path[: len(other)] == other[: len(path)] for other in hidden)


class Silencing:
    """The silences of an input; a candidate may have those of the base only."""

    def __init__(self, lenient_read: LenientRead, places: Places, allowed: AllowedSilences | None) -> None:
        self.lenient_read = lenient_read
        self.places = places
        self.allowed = allowed

    def silence_of(self, finding: FindingResult, about: Origin | None, path: Path) -> Silence | None:
        """The silence of a finding; in a candidate, one that the base has as well."""
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
        silences = Silences(list(dict.fromkeys(_sources(self.lenient_read, self.places))))
        for origin, typed in self.places.objects():
            silences.add_annotation(origin, typed.metadata)
        conf = self.places.conf
        if conf and any(silence.file == conf.document.source.name for _, silence in silences.comments):
            silences.add_opening(conf)
        return silences

    @cached_property
    def scopes(self) -> Scopes:
        """What all that speaks for."""
        return Scopes(self.silences, self.places)
