"""Mistakes of a plan that no value can change: edits of what there is not, and figures of it.

A queue or a job that there is nowhere is a mistake, not a figure of 0. Mistakes are said once, and before anything is
run. A value that is denied, or out of range, is an error of its points alone:
others may be fine.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, product, takewhile
from typing import Final

from vqs.diff.conditions import Figure
from vqs.model.job import JobName, jobs_called
from vqs.model.resource import PODS
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job import unknown_job
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Path, did_you_mean
from vqs.sweep.domains import Edit, Span, Value, Values
from vqs.sweep.evaluate import Evaluator, edit_at_fault, edit_text
from vqs.sweep.figures import REPLAY
from vqs.sweep.observed import Observed
from vqs.sweep.plan import Parameter, Plan
from vqs.sweep.space import Point
from vqs.sweep.workload_jobs import LateJobs, WorkloadJobs

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
    problems = []
    for parameter in plan.parameters:
        variants = _variants(parameter)
        # At most one mistake is told of each option, and one where there are no options.
        for same in [[each] for each in variants] if parameter.options is not None else [variants]:
            found = takewhile(lambda mistake: mistake is not None, (looking.mistake(parameter, each) for each in same))
            mistakes = [each for each in found if each is not None]
            if same and len(mistakes) == len(same):
                problems.append(_placed(looking, parameter, *same[0], mistakes[0]))
    if problems:
        raise InputErrors(problems)


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
        # Edits of other parameters may name an object or an item of a list that these make.
        variants = {
            each.name: [
                variant
                for variant in _variants(each)
                if any(not isinstance(edit, str) or _MAKES.search(edit) for edit in variant[1])
            ]
            for each in self.plan.parameters
        }
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
            errors = []
            try:
                self._evaluator.edited(Point(0, base, self.plan.releases[0], self.plan.seeds[0], {}, tuple(edits)))
            except InputErrors as refused:
                errors = [each for each in refused.diagnostics if each.severity == "error"]
            mistakes = [each for each in errors if edit_at_fault(each.message, own) is not None]
            if not mistakes or any(each.code not in _MISTAKES for each in errors):
                return None
            found = found or mistakes[0]
        return found


def _placed(
    looking: _Looking, parameter: Parameter, value: Value, edits: Sequence[Edit], mistake: Diagnostic
) -> Diagnostic:
    """Return a mistake at the place of its edit in the plan."""
    plan = looking.plan
    given = plan.value["parameters"][parameter.name]
    at = edit_at_fault(mistake.message, edits) or 0
    path: Path = ("parameters", parameter.name, *(("edit",) if "edit" in given else ("options", str(value))))
    written = given["edit"] if "edit" in given else given["options"][str(value)]
    if not isinstance(written, str):
        path = (*path, at)
    text = edit_text(edits[at])
    if mistake.code == _UNKNOWN and (late := looking.late.in_edit(text)):
        message = f"{text}: the job {late!r} arrives later, and cannot be edited"
        return plan.origin.diagnostic(mistake.code, message, path)
    return plan.origin.diagnostic(mistake.code, mistake.message, path, hint=mistake.help)


# --- names in figures -------------------------------------------------------------------------------------------------

_KEYS: Final = ("figures", "failOn", "goal")
"""What of a plan names figures."""
_FEW: Final = 10


def check_names(plan: Plan, evaluator: Evaluator) -> None:
    """Refuse figures of what neither a snapshot has nor an edit of the plan names.

    Raises:
        InputErrors: there are some, or Volcano refuses the configuration of all snapshots.
    """
    seen, refused = [], []
    for base, release in product(range(len(plan.bases)), plan.releases):
        try:
            seen.append(evaluator.before(Point(0, base, release, plan.seeds[0], {}, ())))
        except InputErrors as errors:
            refused.append(errors)
    if not seen:
        raise refused[0]
    edits = (edits for each in plan.parameters for edits in (each.edits, *(each.options or {}).values()))
    edited = "\n".join(edit_text(each) for each in chain.from_iterable(edits))
    jobs = _Jobs(plan)
    named = (each for each in plan.needed if not _is_edited(each, edited))
    problems = [problem for figure in named for problem in _misnamed(plan, figure, seen, jobs)]
    if problems:
        raise InputErrors([_at_figure(plan, figure, message, hint) for figure, message, hint in problems])


def _is_edited(figure: Figure, edited: str) -> bool:
    """Tell whether edits name what a figure is about: they may make it."""
    name = figure.named[1].rpartition("/")[2] if figure.named else ""
    return bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", edited) is not None


def _misnamed(plan: Plan, figure: Figure, seen: Sequence[Observed], jobs: _Jobs) -> Iterator[tuple[Figure, str, str]]:
    """Yield what is wrong with a figure, and what may have been meant."""
    kind, name = figure.named or ("", "")
    if kind == "queue":
        known = {queue for each in seen for queue in each.session.queues}
        if name not in known:
            yield figure, f"there is no queue '{name}'", _meant(name, known)
    elif kind == "priority":
        yield from ((figure, *problem) for problem in _of_priority(name, plan))
    elif kind == "job" and figure.kind.run == REPLAY:
        yield from ((figure, *problem) for problem in jobs.problems(name))
    elif kind == "job":
        problems = [*_of_job(name, [[*one.session.cluster.names.values()] for one in seen])]
        if problems and jobs.late.has(name):
            problems = [(f"the job '{name}' arrives later, and no session has it", "figures of a replay have it")]
        yield from ((figure, *problem) for problem in problems)
    for resource in figure.resources:
        known = {each for one in seen for each in one.session.nodes.resources} - {PODS}
        if figure.kind.run == REPLAY:
            workloads = [each.workload for each in plan.bases if each.workload is not None]
            joining = (event.node for each in workloads for event in each.node_events if event.node is not None)
            nodes = chain((node for each in workloads for node in each.start.nodes), joining)
            known |= {each for node in nodes for each in node.status.allocatable} - {PODS}
        if resource not in known:
            yield figure, f"there is no resource '{resource}'", _meant(resource, known)


def _of_priority(name: str, plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the name of a priority: that of a class, or a value, which without a class is 0."""
    classes = {each.metadata.name: each.value for base in plan.bases for each in base.manifests.priority_classes}
    if name not in (*classes, "0", *map(str, classes.values())):
        yield f"there is no priority class '{name}', and none with this value", _meant(name, classes)


class _Jobs:
    """The jobs of the workloads of a plan, which are named once for all figures."""

    def __init__(self, plan: Plan) -> None:
        self.late = LateJobs(plan.bases)
        self._seeds = [each for seed in plan.seeds for each in (plan.replaying.seeds(seed) if plan.replaying else (0,))]
        self._workloads = [each.workload for each in plan.bases if each.workload is not None]

    @cached_property
    def _known(self) -> Sequence[tuple[WorkloadJobs, Sequence[JobName]]]:
        jobs = ((each, WorkloadJobs(each)) for each in self._workloads)
        return [(known, known.names(each.start)) for each, known in jobs]

    def problems(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the name of a job that is replayed."""
        made = ((jobs.made(name, self._seeds), names) for jobs, names in self._known)
        return _of_job(name, [[*names, *(JobName(key, key) for key in dict.fromkeys(keys))] for keys, names in made])


def _of_job(name: str, known: Sequence[Sequence[JobName]]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the name of a job, given what the jobs of each snapshot or workload are called."""
    names = [each for one in known for each in one]
    found = [{each.display for each in jobs_called(name, one)} for one in known]
    if not any(found):
        yield f"there is no job '{name}'", unknown_job(name, names) or _meant(name, {each.display for each in names})
    elif several := next((each for each in found if len(each) > 1), None):
        yield f"there are {len(several)} jobs '{name}'", f"write one of {first_names(sorted(several), separator=', ')}"


def _meant(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known) or (f"there are {first_names(sorted(known), _FEW)}" if known else "")


def _at_figure(plan: Plan, figure: Figure, message: str, hint: str) -> Diagnostic:
    """Return an error at the place of a figure in the plan; one of the command line has none."""
    for key in _KEYS:
        given = plan.value.get(key, ())
        for index, text in enumerate([given] if isinstance(given, str) else given):
            if figure.text in text:
                path = (key,) if isinstance(given, str) else (key, index)
                return plan.origin.diagnostic("unknown-name", message, path, hint=hint)
    return Diagnostic(code="unknown-name", severity="error", message=f"--fail-on: {message}", help=hint)
