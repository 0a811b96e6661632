"""The findings of `vqs lint` that only one side has."""

from __future__ import annotations

import re
from operator import is_
from typing import TYPE_CHECKING, Final

from vqs.diff.outcome import LintDifference
from vqs.lint.registry import RULES
from vqs.lint.rule import Need
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.manifests import Fault, Survey
from vqs.snapshot.overlay import LISTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from vqs.lint.outcome import FindingResult
    from vqs.snapshot.manifests import Manifests

_WORD: Final = re.compile(r"[^\W\d]+")
_LIKE_IT: Final = re.compile(r" \(and \d+ more like it\)")
_OF_SEVERAL: Final = re.compile(r"(?:-[a-z0-9]+){2}$")
"""What tells a pod from others that the same controller made: mostly its role and its number."""

_Key = tuple[str, str, str]


def finding_differences(before: Manifests, after: Manifests, now: datetime | None) -> list[LintDifference]:
    """Return the findings that only one side has.

    Where the objects are the same ones, rules that look at nothing else find the same, and need not look.
    """
    codes = {code for code, rule in RULES.items() if rule.needs is not Need.OBJECTS or not _same(before, after)}
    return lint_differences(*(findings(side, now, codes) for side in (before, after)))


def _same(before: Manifests, after: Manifests) -> bool:
    """Tell whether both sides have the very same objects, but for the configuration."""
    names = [name for name in LISTS if name != "config_maps"]
    pairs = [(getattr(before, name), getattr(after, name)) for name in names]
    return all(len(one) == len(other) and all(map(is_, one, other)) for one, other in pairs)


def findings(manifests: Manifests, now: datetime | None, codes: Collection[str]) -> list[FindingResult]:
    """Return what is wrong with a side, but for what somebody silenced."""
    sources = {origin.document.source: None for origins in manifests.origins.values() for origin in origins}
    faults = [Fault(each) for each in manifests.notes if each.severity != "note"]
    survey = Survey(manifests, faults, list(sources), whole=True, has_usable_configuration=True)
    return [finding for finding in lint(survey, LintOptions(codes, now=now)).findings if finding.silenced is None]


def lint_differences(before: Iterable[FindingResult], after: Iterable[FindingResult]) -> list[LintDifference]:
    """Return the findings that only one side has, the candidate's first.

    In which file something stands, and where, is no difference, nor are the figures in what is said about it, nor of
    how many pods that are alike it is said.
    """
    sides = [{_key(finding): finding for finding in reversed(_sorted(side))} for side in (before, after)]
    new, gone = sides[1].keys() - sides[0].keys(), sides[0].keys() - sides[1].keys()
    return [
        *(LintDifference(change="new", finding=each) for each in _sorted(sides[1][key] for key in new)),
        *(LintDifference(change="gone", finding=each) for each in _sorted(sides[0][key] for key in gone)),
    ]


def _key(finding: FindingResult) -> _Key:
    """Return what makes two findings the same one: of several fields, or of pods that are alike, any may be named."""
    kind, _, name = finding.object.partition(" ")
    message = _LIKE_IT.sub("", finding.message).replace(name, "") if kind == "Pod" else finding.message
    about = _OF_SEVERAL.sub("", finding.object) if kind == "Pod" else finding.object
    return finding.code, about, " ".join(sorted(_WORD.findall(message)))


def _sorted(findings: Iterable[FindingResult]) -> list[FindingResult]:
    return sorted(findings, key=lambda each: (each.file, each.line or 0, each.code, each.message))
