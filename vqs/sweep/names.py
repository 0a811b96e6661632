"""What figures and conditions name: a queue or a job that there is nowhere is a mistake, not a figure of 0."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import chain, product
from typing import Final

from vqs.diff.conditions import Figure
from vqs.model.job_name import JobName, jobs_called
from vqs.model.resource import PODS
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job_names import unknown_job
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, did_you_mean
from vqs.sweep.evaluate import Evaluator, edit_text
from vqs.sweep.figures import REPLAY
from vqs.sweep.late_jobs import LateJobs
from vqs.sweep.observed import Observed
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point
from vqs.sweep.workload_jobs import WorkloadJobs

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
    problems = [problem for figure in named for problem in _problems(plan, figure, seen, jobs)]
    if problems:
        raise InputErrors([_placed(plan, figure, message, hint) for figure, message, hint in problems])


def _is_edited(figure: Figure, edited: str) -> bool:
    """Tell whether edits name what a figure is about: they may make it."""
    name = figure.named[1].rpartition("/")[2] if figure.named else ""
    return bool(name) and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", edited) is not None


def _problems(plan: Plan, figure: Figure, seen: Sequence[Observed], jobs: _Jobs) -> Iterator[tuple[Figure, str, str]]:
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
            known |= _of_nodes(plan)
        if resource not in known:
            yield figure, f"there is no resource '{resource}'", _meant(resource, known)


def _of_nodes(plan: Plan) -> set[str]:
    """Return the resources of the nodes of workloads: those that are there at the start, and those that join."""
    workloads = [each.workload for each in plan.bases if each.workload is not None]
    joining = (event.node for each in workloads for event in each.node_events if event.node is not None)
    nodes = chain((node for each in workloads for node in each.start.nodes), joining)
    return {each for node in nodes for each in node.status.allocatable} - {PODS}


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


def _placed(plan: Plan, figure: Figure, message: str, hint: str) -> Diagnostic:
    """Return an error at the place of a figure in the plan; one of the command line has none."""
    for key in _KEYS:
        given = plan.value.get(key, ())
        for index, text in enumerate([given] if isinstance(given, str) else given):
            if figure.text in text:
                path = (key,) if isinstance(given, str) else (key, index)
                return plan.origin.diagnostic("unknown-name", message, path, hint=hint)
    return Diagnostic(code="unknown-name", severity="error", message=f"--fail-on: {message}", help=hint)
