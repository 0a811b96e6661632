"""The findings of `vqs lint` that only one side has, and the silences that the candidate has and its base does not.

Silences of the candidate alone silence nothing, and are reported.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from datetime import datetime
from operator import attrgetter, is_
from typing import Any, Final, NamedTuple

from vqs.diff.outcome import LintDifference
from vqs.explain.simulate import Opened
from vqs.lint.outcome import FindingResult
from vqs.lint.registry import RULES
from vqs.lint.rule import Need
from vqs.lint.run import LintOptions, lint, scopes_of
from vqs.lint.silence import AllowedSilences, Field, Scopes, Silence
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME, role_of
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.diagnostics import Diagnostic, Path
from vqs.snapshot.reading.documents import Document, Origin
from vqs.snapshot.reading.kinds import LISTS, key_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.missing_kinds import Fault, LenientRead
from vqs.snapshot.reading.objects import UNKNOWN_FIELD

SILENCE_ADDED: Final = "silence-added"
_LOOKED_AT: Final = ("queues", "priority_classes", "namespaces", "runtime_classes")
_FEW_OBJECTS: Final = 2000
"""With as many nodes and pods, all rules together take a second or two."""


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


_WORD: Final = re.compile(r"[\w%+./-]+")
_AMOUNT: Final = r"\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_UNIT: Final = r"(?:[KMGTPE]i?|[mk%]|m?s|h)"
_FIGURE: Final = re.compile(rf"no|[-+]?(?:{_AMOUNT}{_UNIT})*{_AMOUNT}{_UNIT}?")
_LIKE_IT: Final = re.compile(r" \(and \d+ more(?: like it)?\)")

_TEXT: Final = attrgetter("object", "message")
_ALL: Final = (*LISTS, "conf", "now")

_Key = tuple[str, str, str]


class Found(NamedTuple):
    """What is wrong with one side only, and how many findings of the candidate are silenced in both."""

    differences: list[LintDifference]
    silenced: int = 0


def finding_differences(
    before: Manifests,
    after: Manifests,
    now: datetime | None,
    sessions: tuple[Opened | None, Opened | None] = (None, None),
    *,
    silent: bool = True,
    proposed: tuple[AbstractSet[tuple[type, str]], AbstractSet[tuple[type, str]]] = (frozenset(), frozenset()),
    news: Iterable[Diagnostic] = (),
) -> Found:
    """Return the findings that only one side has, and the silences that only the candidate has.

    Rules that look at nothing but what both sides have in common find the same in both, and need not look, unless
    something is silenced: then they may find what that is. Likewise for rules that judge each object by itself.
    Sessions that were opened on the sides, in which no action has run, need not be opened again. Whoever writes the
    candidate silences nothing by it: only what the base silences too is silenced, and nothing if it is not to be
    `silent`. Nor is an object of a change believed to be in a cluster already, where what would be denied is no
    error, as `proposed` names it. `news` is what is known of the candidate already that the base does not have.
    """
    base, candidate = (scopes_of(_lenient_read(side)) for side in (before, after))
    codes: Collection[str] = RULES
    shared: AbstractSet[int] = frozenset()
    if not (base.silences.all or candidate.silences.all):
        common = _common(before, after, now)
        codes = {
            code
            for code, rule in RULES.items()
            if rule.check is None or not all(name in common for name in rule.looks_at or _ALL)
        }
        shared = _shared(before, after, proposed[0] ^ proposed[1])
    allowed = base.allowed()
    documents: dict[Document, dict[Path, Any]] = {}
    options = LintOptions(codes, now=now, documents=documents, silent=silent, shared=shared)
    one = findings(before, replace(options, opened=sessions[0], proposed=proposed[0]))
    other = findings(after, replace(options, opened=sessions[1], proposed=proposed[1], allowed=allowed), news)
    loud_one, loud_other = ([each for each in side if each.silenced is None] for side in (one, other))
    about_pods = any(each.object.startswith("Pod ") for each in (*loud_one, *loud_other))
    made_by = makers((*before.pods, *after.pods)) if about_pods else {}
    differences = lint_differences(loud_one, loud_other, made_by)
    return Found([*added_silences(candidate, allowed), *differences], len(other) - len(loud_other))


def _common(before: Manifests, after: Manifests, now: datetime | None) -> set[str]:
    """Return the names of the lists that have the very same objects on both sides, and what else is the same."""
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in LISTS)
    common = {name for name, one, other in pairs if len(one) == len(other) and all(map(is_, one, other))}
    # Configurations are the same, and what stands around them in their files.
    confs = before.conf, after.conf
    texts = [each and (each.text, each.path, each.document.source.text) for each in confs]
    if texts[0] == texts[1]:
        common.add("conf")
    if now is not None or before.now == after.now:
        common.add("now")
    return common


def _shared(before: Manifests, after: Manifests, proposed: AbstractSet[tuple[type, str]]) -> AbstractSet[int]:
    """Return the ids of the objects that both sides have, and believe alike to be stored in a cluster or not."""
    unlike = (before.applied ^ after.applied) | (before.stored_without_uid ^ after.stored_without_uid) | proposed
    shared: set[int] = set()
    for name in LISTS:
        base = {id(each): origin for each, origin in before.with_origins(name)}
        shared.update(
            id(each)
            for each, origin in after.with_origins(name)
            if base.get(id(each)) is origin and not (unlike and key_of(each) in unlike)
        )
    return shared


def findings(manifests: Manifests, options: LintOptions, faults: Iterable[Diagnostic] = ()) -> list[FindingResult]:
    """Return what is wrong with a side, with what is silenced, and with some faults that are known already."""
    return lint(_lenient_read(manifests, faults), options).findings


def _lenient_read(manifests: Manifests, more: Iterable[Diagnostic] = ()) -> LenientRead:
    sources = {origin.document.source: None for origins in manifests.origins.values() for origin in origins}
    known = [each for each in manifests.notes if each.code != UNKNOWN_FIELD]  # a rule finds these as well
    faults = [Fault(each) for each in (*known, *more) if each.severity != "note"]
    return LenientRead(manifests, faults, list(sources), whole=True, has_usable_configuration=True)


def added_warnings(before: Manifests, after: Manifests) -> list[str]:
    """Return the warnings and errors that a change of a snapshot brings, as codes with messages.

    Rules that look at a session are left out, as that may take long, and so are the objects that stay as they are; of
    a large snapshot, what rules see of these are the queues, and the classes that pods name.
    """
    if len(before.nodes) + len(before.pods) > _FEW_OBJECTS:
        before, after = _without_the_others(before, after), _without_the_others(after, before)
    codes = frozenset(code for code, rule in RULES.items() if rule.needs is not Need.SESSION)
    options = LintOptions(codes, shared=_shared(before, after, frozenset()))
    return [
        f"{each.finding.code}: {each.finding.message}"
        for each in lint_differences(findings(before, options), findings(after, options), {})
        if each.change == "new" and each.finding.severity != "note" and each.finding.silenced is None
    ]


def _without_the_others(manifests: Manifests, other: Manifests) -> Manifests:
    """Return manifests without what is the same in others, but for what all rules look at."""
    kept: dict[str, Any] = {}
    origins: dict[str, list[Origin]] = {}
    for name in LISTS:
        same = set[int]() if name in _LOOKED_AT else {id(each) for each in getattr(other, name)}
        found = [(each, origin) for each, origin in manifests.with_origins(name) if id(each) not in same]
        kept[name], origins[name] = [each for each, _ in found], [origin for _, origin in found]
    return replace(manifests, **kept, origins=origins)


def lint_differences(
    before: Iterable[FindingResult], after: Iterable[FindingResult], makers: Mapping[str, str]
) -> list[LintDifference]:
    """Return the findings that only one side has, the candidate's first.

    In which file something stands, and where, is no difference, nor are the figures in what is said about it, nor of
    how many pods that are alike it is said.
    """
    one, other = (_by_key(side, makers) for side in (before, after))
    return [
        *(LintDifference(change="new", finding=each) for each in _excess(other, one)),
        *(LintDifference(change="gone", finding=each) for each in _excess(one, other)),
    ]


def _by_key(side: Iterable[FindingResult], makers: Mapping[str, str]) -> dict[_Key, list[FindingResult]]:
    """Return findings by what makes them the same; of pods that have the same maker, one stands for all.

    The order of the keys in a pod may make it unlike the others that it was made with.
    """
    found: dict[_Key, list[FindingResult]] = {}
    for finding in _sorted(side):
        about, message = finding.object, finding.message
        kind, _, name = about.partition(" ")
        if kind == "Pod":
            about, message = f"Pod {makers.get(name, name)}", _LIKE_IT.sub("", message).replace(name, "")
        elif kind == "ConfigMap":
            about, message = "", message.removeprefix(f"{about}, ")
        elif kind == "PodGroup" and finding.display_name:  # a job that is created again has another PodGroup
            about, message = f"job {finding.display_name}", message.replace(name, finding.display_name)
        same = found.setdefault((finding.code, about, " ".join(sorted(_words(message)))), [])
        if not (same and kind == "Pod" and name in makers):
            same.append(finding)
    return found


def _excess(side: Mapping[_Key, list[FindingResult]], other: Mapping[_Key, list[FindingResult]]) -> list[FindingResult]:
    """Return what a side has more of than the other, rather what the other does not have word for word."""
    found: list[FindingResult] = []
    for key, findings in side.items():
        others = other.get(key, [])
        known = set(map(_TEXT, others))
        if len(findings) > len(others):
            found += sorted(findings, key=lambda each: _TEXT(each) in known)[: len(findings) - len(others)]
    return _sorted(found)


def _words(message: str) -> Iterator[str]:
    """Yield the words of a message, names with their digits, but no figures, nor whether they are of one or several."""
    after_figure = False
    for match in _WORD.finditer(message):
        word = match[0].strip(".")
        is_figure = bool(_FIGURE.fullmatch(word))
        if word and not is_figure:
            yield word.removesuffix("s") if after_figure else word
        after_figure = is_figure


def makers(pods: Iterable[k8s.Pod]) -> dict[str, str]:
    """Return what made each pod: its controller, or else the PodGroup that it belongs to, with its role."""
    found = {}
    for metadata in (pod.metadata for pod in pods):
        owner = controller_of(metadata)
        if owner is not None:
            # A Deployment names its ReplicaSets with a hash of the template.
            name = owner.name.rpartition("-")[0] if owner.kind == "ReplicaSet" and "-" in owner.name else owner.name
            found[metadata.key] = f"{metadata.namespace}/{owner.kind}/{name} {role_of(metadata)}"
        elif group := metadata.annotations.get(GROUP_NAME):
            found[metadata.key] = f"{metadata.namespace}/{group} {role_of(metadata)}"
    return found


def _sorted(findings: Iterable[FindingResult]) -> list[FindingResult]:
    return sorted(findings, key=lambda each: (each.file, each.line or 0, each.code, each.message))
