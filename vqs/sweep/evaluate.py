"""What comes of a point: its edits are made to its base, sessions are run, and figures are read of them.

A task is all that another process needs to know to do that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from vqs.diff.conditions import Figure, Measured, all_unknown, failures_of_point
from vqs.diff.outcome import Failure
from vqs.explain.simulate import SimulateOptions
from vqs.extensions.adding import extended
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build
from vqs.replay.statistics import Estimate, estimate
from vqs.snapshot.apiserver.queue_admission import admitted_queues
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.reading.collector import patient_collector
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import Reach, enforced
from vqs.snapshot.whatif.edits import parse_edits
from vqs.snapshot.whatif.paths import write_value
from vqs.sweep.domains import Edit
from vqs.sweep.figures import EVALUATIONS, Subject, observe
from vqs.sweep.observed import Observed
from vqs.sweep.outcome import INTERNAL, PointError, Row
from vqs.sweep.plan import Plan
from vqs.sweep.space import Point
from vqs.sweep.workload_jobs import WorkloadJobs

_Side = tuple[int, Build | None]
"""A snapshot by its number, and the release that takes it."""


class Evaluator:
    """Runs points, one after another; each process has its own.

    What can be used again from point to point is kept for a snapshot and a release: the session cache, and figures of
    the snapshot without edits.
    """

    def __init__(self, plan: Plan, options: SimulateOptions) -> None:
        self.plan = plan
        self.options = options
        self._needed = plan.needed
        self._of_base = [each.figure for each in plan.fail_on if each.value is None]
        self._taken: dict[_Side, Manifests] = {}
        self._jobs: dict[int, WorkloadJobs] = {}
        self._caches: dict[_Side, SessionCache] = {}
        self._evicted: dict[tuple[_Side, int | None], frozenset[str]] = {}
        self._base_figures: dict[tuple[_Side, int | None], Mapping[str, Measured]] = {}

    def evaluate(self, point: Point) -> Row:
        """Return what comes of a point; an error of its own is a part of the row."""
        try:
            values, intervals = self.measure(point, self._needed)
            base: Mapping[str, Measured] = {}
            if self._of_base:
                key = (point.base, point.release), point.seed
                if key not in self._base_figures:
                    self._base_figures[key], _ = self.measure(replace(point, edits=()), self._of_base)
                base = self._base_figures[key]
        except InputErrors as errors:
            first = next(each for each in errors.diagnostics if each.severity == "error")
            return self.failed(point, first.code, f"{first.message} ({first.help})" if first.help else first.message)
        except Exception as error:  # noqa: BLE001 - one point that fails must not end the others
            return self.failed(point, INTERNAL, f"{type(error).__name__}: {' '.join(str(error).split())}")
        return self._row(point, values, failures_of_point(self.plan.fail_on, values, base), intervals=intervals)

    def failed(self, point: Point, code: str, message: str) -> Row:
        """Return the row of a point that could not be run: its figures are not known, so that all conditions hold."""
        return self._row(point, {}, all_unknown(self.plan.fail_on), PointError(code=code, message=message))

    def measure(self, point: Point, figures: Sequence[Figure]) -> tuple[Mapping[str, Measured], Mapping[str, Estimate]]:
        """Return figures of a point, by their text; where it is replayed under several seeds, means and intervals.

        Raises:
            InputErrors: an edit cannot be made, or Volcano refuses the configuration.
        """
        replaying = self.plan.replaying
        seeds = (point.seed,) if replaying is None else replaying.seeds(point.seed)
        # What a session leaves is looked through for garbage once it is released: then there is little of it.
        with enforced(Reach(self.plan.limits)), patient_collector():
            made = self._made(point)
            runs = []
            for seed in seeds:
                subject = self._subject(replace(point, seed=seed), made)
                came = {name: EVALUATIONS[name](subject) for name in {each.kind.run: None for each in figures}}
                runs.append({each.text: each.of_point(came[each.kind.run]) for each in figures})
                subject.release()
        if len(runs) == 1:
            return runs[0], {}
        table = {each.text: [float(run[each.text] or 0.0) for run in runs] for each in figures}
        known = {text: estimate(values) for text, values in table.items() if all(map(math.isfinite, values))}
        return {text: sum(values) / len(values) for text, values in table.items()}, known

    def edited(self, point: Point) -> Manifests:
        """Return the base of a point with its edits, within the limits of the plan.

        Raises:
            InputErrors: one cannot be made, or is denied.
        """
        with enforced(Reach(self.plan.limits)):
            return self._made(point)

    def _made(self, point: Point) -> Manifests:
        """Return the base of a point with its edits.

        Raises:
            InputErrors: one cannot be made, or is denied.
        """
        before, assume = self._manifests(point), self.plan.assume_admitted
        parsed, after = parse_edits(map(edit_text, point.edits), before, assume_admitted=assume)
        return admitted_queues(before, after, parsed, assume_admitted=assume)

    def _subject(self, point: Point, manifests: Manifests) -> Subject:
        side = point.base, point.release
        cache = self._caches.setdefault(side, SessionCache())
        base = self._manifests(point)
        options = replace(self.options, seed=point.seed, now=self.options.now or base.now, cache=cache, scenario="")
        evicted = partial(self._evicted_before, point)
        subject = Subject(base, manifests, options, self.plan.cycles, evicted)
        workload = self.plan.bases[point.base].workload
        if self.plan.replaying is not None and workload is not None:
            subject.jobs = self._jobs.setdefault(point.base, WorkloadJobs(workload))
            subject.replay = self.plan.replaying.options(point.seed, self.options.sample, cache)
        return subject

    def before(self, point: Point) -> Observed:
        """Return what becomes of the base of a point.

        Raises:
            InputErrors: Volcano refuses the configuration.
        """
        subject = self._subject(point, self._manifests(point))
        return observe(subject.manifests, subject.options)

    def _evicted_before(self, point: Point) -> frozenset[str]:
        key = (point.base, point.release), point.seed
        if key not in self._evicted:
            observed = self.before(point)
            self._evicted[key] = observed.evicted
            observed.release()
        return self._evicted[key]

    def _manifests(self, point: Point) -> Manifests:
        side = point.base, point.release
        if side not in self._taken:
            manifests = self.plan.bases[point.base].manifests
            if point.release is not None:
                manifests = manifests.taken_by(ReleaseChoice(point.release).over(manifests.release))
            self._taken[side] = manifests
        return self._taken[side]

    def _row(
        self,
        point: Point,
        values: Mapping[str, Measured],
        held: list[Failure],
        error: PointError | None = None,
        intervals: Mapping[str, Estimate] | None = None,
    ) -> Row:
        profile = self._manifests(point).profile
        return Row(
            number=point.number,
            base=self.plan.bases[point.base].name,
            release=profile.name,
            seed=point.seed,
            parameters=dict(point.values),
            edits=[*map(edit_text, point.edits)],
            figures={each.text: _stored(values.get(each.text)) for each in self.plan.figures},
            failures=held,
            error=error,
            intervals={each.text: found for each in self.plan.figures if (found := (intervals or {}).get(each.text))},
        )


def edit_text(edit: Edit) -> str:
    """Return an edit as a command line takes it."""
    return edit if isinstance(edit, str) else f"add {write_value(edit)}"


def edit_at_fault(message: str, edits: Sequence[Edit]) -> int | None:
    """Return which of some edits an error is about, whose message begins with it; None where it is another's."""
    return next((at for at, each in enumerate(edits) if message.startswith(f"{edit_text(each)}: ")), None)


def _stored(value: Measured) -> float | str | None:
    """Return a value as a document has it, which knows no infinite numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, slots=True)
class Task:
    """A plan, and how its points are run; it can be pickled.

    Attributes:
        plan: the plan, without what only choosing its points needs.
        options: how to run sessions.
        own: the plugins and actions of one's own, as MODULE:CLASS, beside those of installed packages.
    """

    plan: Plan
    options: SimulateOptions
    own: tuple[str, ...] = ()

    @classmethod
    def of(cls, plan: Plan, options: SimulateOptions, own: Sequence[str] = ()) -> Self:
        """Return the task of running the points of a plan."""
        return cls(replace(plan, constraints=()), replace(options, progress=None), tuple(own))

    @contextmanager
    def evaluator(self) -> Iterator[Evaluator]:
        """Yield what runs its points; plugins and actions of one's own count as long as the context lasts.

        Raises:
            ExtensionError: one of them cannot be used here.
        """
        with extended(self.own):
            yield Evaluator(self.plan, self.options)
