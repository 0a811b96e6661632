"""Edits with a mistake that no value can change, such as the name of a queue that there is not.

It is said once, and before anything is run. A value that is denied, or out of range, is an error of its points alone:
others may be fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path
from vqs.sweep.domains import Edit, Span, Value, Values
from vqs.sweep.evaluate import Evaluator, edit_at_fault, edit_text
from vqs.sweep.late_jobs import LateJobs
from vqs.sweep.plan import Parameter, Plan
from vqs.sweep.space import Point

_UNKNOWN: Final = "unknown-name"
_MISTAKES: Final = frozenset({"invalid-edit", "unknown-field", "unknown-kind", _UNKNOWN})
"""The codes of what is wrong with an edit whatever its value."""
_MOST_EDITS: Final = 200
"""How many edits are made at most for a whole plan; what is not looked at then shows at its points."""
_MAKES: Final = re.compile(r"^\s*(add|clone-node|scale)\s|^\s*conf\b|replicas|parallelism|=\s*[\[{]")
"""Edits of more than a plain field: they make objects or items of lists."""

_Variant = tuple[Value, Sequence[Edit]]
"""A value of a parameter, and the edits that make it."""


def check_edits(plan: Plan, evaluator: Evaluator) -> None:
    """Refuse edits with a mistake that no value can change, be it alone or together with the other parameters.

    Raises:
        InputErrors: there are some.
    """
    looking = _Looking(plan, evaluator)
    problems = [problem for each in plan.parameters for problem in _problems(looking, each)]
    if problems:
        raise InputErrors(problems)


def _problems(looking: _Looking, parameter: Parameter) -> Iterator[Diagnostic]:
    """Yield the mistakes of a parameter: at most one of each option, and one where it has none."""
    variants = _variants(parameter)
    for same in [[each] for each in variants] if parameter.options is not None else [variants]:
        found = takewhile(lambda mistake: mistake is not None, (looking.mistake(parameter, each) for each in same))
        mistakes = [each for each in found if each is not None]
        if same and len(mistakes) == len(same):
            yield _placed(looking, parameter, *same[0], mistakes[0])


def _variants(parameter: Parameter) -> list[_Variant]:
    """Return what is tried of a parameter: each option; else the least, the greatest and a harmless value.

    Where a value is a part of a name or of a path, it may be wrong and others not: there is nothing to try.
    """
    if parameter.options is not None:
        return [*parameter.options.items()]
    if any(isinstance(each, str) and "{}" in each.rpartition("=")[0] for each in parameter.edits):
        return []
    return [(value, parameter.edits_of(value)) for value in _some(parameter)]


def _some(parameter: Parameter) -> list[Value]:
    domain = parameter.domain
    if isinstance(domain, Values):
        listed = sorted(domain.values) if domain.is_numeric else domain.values
        ends = [listed[0], listed[-1]]
    else:
        ends = [domain.start, domain.stop] if isinstance(domain, Span) else [domain.at(0), domain.at(domain.number - 1)]
    return list(dict.fromkeys([*ends, 1] if domain.is_numeric else ends))


def _may_make(variant: _Variant) -> bool:
    """Tell whether a variant may make an object or an item of a list, which edits of other parameters name."""
    return any(not isinstance(each, str) or _MAKES.search(each) is not None for each in variant[1])


class _Looking:
    """Makes edits to find mistakes, until enough are made."""

    def __init__(self, plan: Plan, evaluator: Evaluator) -> None:
        self.plan = plan
        self._evaluator = evaluator
        self._left = _MOST_EDITS
        self.late = LateJobs(plan.bases)

    def mistake(self, parameter: Parameter, variant: _Variant) -> Diagnostic | None:
        """Return the mistake in a variant of a parameter; None where there is none, alone or together with others."""
        found: Diagnostic | None = None
        for edits in self._combined(parameter, variant):
            one = self._mistake_in(edits, variant[1])
            if one is None:
                return None
            found = found or one
        return found

    def _combined(self, parameter: Parameter, variant: _Variant) -> Iterator[Sequence[Edit]]:
        """Yield the edits of a variant alone, then with those of variants of the others, which may be needed."""
        yield variant[1]
        variants = {each.name: [*filter(_may_make, _variants(each))] for each in self.plan.parameters}
        variants[parameter.name] = [variant]
        for number in range(max(map(len, variants.values()))):
            yield [edit for tried in variants.values() if tried for edit in tried[number % len(tried)][1]]
        for name, other in ((name, each) for name, tried in variants.items() for each in tried):
            if name != parameter.name:
                chosen = {parameter.name: variant, name: other}
                yield [edit for each in self.plan.parameters if each.name in chosen for edit in chosen[each.name][1]]

    def _mistake_in(self, edits: Sequence[Edit], own: Sequence[Edit]) -> Diagnostic | None:
        """Return the mistake in some of these edits, if it keeps them from being made to any of the snapshots."""
        found: Diagnostic | None = None
        for base in range(len(self.plan.bases)):
            self._left -= len(edits)
            if self._left < 0:
                return None
            errors = self._errors(base, edits)
            mistakes = [each for each in errors if _index(each, own) is not None]
            if not mistakes or any(each.code not in _MISTAKES for each in errors):
                return None
            found = found or mistakes[0]
        return found

    def _errors(self, base: int, edits: Sequence[Edit]) -> Sequence[Diagnostic]:
        """Return why edits cannot be made to a snapshot; nothing where they can be."""
        try:
            self._evaluator.edited(Point(0, base, self.plan.releases[0], self.plan.seeds[0], {}, tuple(edits)))
        except InputErrors as errors:
            return [each for each in errors.diagnostics if each.severity == "error"]
        return ()


def _index(mistake: Diagnostic, edits: Sequence[Edit]) -> int | None:
    """Return which of some edits a mistake is in; None where it is in another one."""
    return edit_at_fault(mistake.message, [*map(edit_text, edits)])


def _placed(
    looking: _Looking, parameter: Parameter, value: Value, edits: Sequence[Edit], mistake: Diagnostic
) -> Diagnostic:
    """Return a mistake at the place of its edit in the plan."""
    plan = looking.plan
    given = plan.value["parameters"][parameter.name]
    at = _index(mistake, edits) or 0
    path: Path = ("parameters", parameter.name, *(("edit",) if "edit" in given else ("options", str(value))))
    written = given["edit"] if "edit" in given else given["options"][str(value)]
    if not isinstance(written, str):
        path = (*path, at)
    text = edit_text(edits[at])
    if mistake.code == _UNKNOWN and (late := looking.late.in_edit(text)):
        message = f"{text}: the job {late!r} arrives later, and cannot be edited"
        return plan.origin.diagnostic(mistake.code, message, path)
    return plan.origin.diagnostic(mistake.code, mistake.message, path, hint=mistake.help)
