"""Which behaviours of a release cause what differs: they are switched back one by one, and a session proves it.

The candidate's session is run again with some of its behaviours as the base has them. Where nothing of what differs
becomes otherwise, none of these matters; else they are halved, until one is left, or two that each suffice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, NamedTuple

from msgspec import structs

from vqs.diff.jobs import job_side
from vqs.diff.outcome import BehaviourDifference, Diff
from vqs.diff.queues import changed, sides_in
from vqs.diff.run import Input, Run, run_like
from vqs.diff.sentences import remark_of
from vqs.releases.profile import Behaviour, ReleaseChoice, Setting, behaviours

MOST_SESSIONS: Final = 100
"""How often the candidate is run again at most; what is not told apart by then is named together."""

_ACTIONS_LEFT_OUT: Final = Setting("unknown-action", "skipped")
"""Lets a session show what an action causes that only the candidate knows, where the base would not start."""


class Case(NamedTuple):
    """What differs: a job or a queue, and of a job, whether it is only on other nodes."""

    kind: Literal["job", "queue"]
    name: str
    is_moved: bool = False


Outcome = Mapping[Case, Any]


def with_behaviours(diff: Diff, sides: tuple[Input, Input], runs: tuple[Run, Run]) -> Diff:
    """Return a comparison of two releases with the behaviours that cause what differs."""
    before, after = (side.manifests.profile for side in sides)
    rows = [row for row in behaviours().values() if row.of(before) != row.of(after)]
    if not rows:
        return diff
    cases = [Case("job", job.uid, is_moved="moved" in job.changes) for job in diff.jobs]
    cases += [Case("queue", queue.name) for queue in changed(diff.queues)]
    found = _Search(sides, runs, cases).causes(rows) if cases else []
    matter = {row.name for cause in found for row in cause.rows}
    without_effect = [_difference(row, sides) for row in rows if row.name not in matter]
    jobs = []
    for job in diff.jobs:
        of_job = (cause for cause in found if any((case.kind, case.name) == ("job", job.uid) for case in cause.cases))
        jobs.append(structs.replace(job, behaviours=sorted({row.name for cause in of_job for row in cause.rows})))
        jobs[-1].remark = remark_of(jobs[-1])
    return structs.replace(diff, behaviours=[*_described(found, sides), *without_effect], jobs=jobs)


@dataclass(frozen=True, slots=True)
class Cause:
    """Behaviours that decide what becomes of some cases: one, or several that were not told apart."""

    rows: tuple[Behaviour, ...]
    cases: frozenset[Case]


class _Search:
    """Switches behaviours of the candidate back to what they are in the base."""

    def __init__(self, sides: tuple[Input, Input], runs: tuple[Run, Run], cases: Sequence[Case]) -> None:
        self.base, self.candidate = sides
        self.run = runs[1]
        self.cases = cases
        self.outcome = _outcome(self.run, cases)
        self.left = MOST_SESSIONS

    def causes(self, rows: Sequence[Behaviour]) -> list[Cause]:
        """Return what causes the cases that the behaviours have anything to do with."""
        return [*self._causes(tuple(rows), self._changed(rows))]

    def _causes(self, rows: tuple[Behaviour, ...], changed: frozenset[Case]) -> Iterator[Cause]:
        if not changed:
            return
        if len(rows) == 1 or self.left < len(("one half", "the other")):
            yield Cause(rows, changed)
            return
        middle = len(rows) // 2
        halves = rows[:middle], rows[middle:]
        parts = [self._changed(half) for half in halves]
        for half, part in zip(halves, parts, strict=True):
            yield from self._causes(half, part)
        together = changed - parts[0] - parts[1]
        if together:
            for row in rows:
                others = tuple(each for each in rows if each is not row)
                if len(rows) > 1 and self.left and self._changed(others).issuperset(together):
                    rows = others
            yield Cause(rows, together)

    def _changed(self, rows: Sequence[Behaviour]) -> frozenset[Case]:
        """Return the cases of which something else becomes with some behaviours as in the base."""
        self.left -= 1
        profile = self.base.manifests.profile
        manifests = self.candidate.manifests
        back = ReleaseChoice(settings=(*(Setting(row.name, row.of(profile)) for row in rows), _ACTIONS_LEFT_OUT))
        # The choice that leads to the candidate's profile, whatever a scenario says.
        explicit = tuple(Setting(row.name, row.of(manifests.profile)) for row in behaviours().values())
        switched = manifests.taken_by(back.over(ReleaseChoice(manifests.profile.build, explicit)))
        outcome = _outcome(run_like(self.run, replace(self.candidate, manifests=switched)), self.cases)
        return frozenset(case for case in self.cases if outcome[case] != self.outcome[case])


def _outcome(run: Run, cases: Iterable[Case]) -> Outcome:
    """Return what becomes of some cases."""
    queues = sides_in(run.session, run.simulation.queues)
    found: dict[Case, Any] = {}
    for case in cases:
        found[case] = queues.get(case.name) if case.kind == "queue" else None
        if case.kind == "job" and (side := job_side(run, case.name)) is not None:
            code = "" if side.verdict is None else side.verdict.code
            # The nodes of a job count where these are what differs.
            nodes = side.nodes if case.is_moved else {}
            found[case] = structs.replace(side, nodes=nodes, verdict=None, message=""), code
    return found


def _described(causes: Sequence[Cause], sides: tuple[Input, Input]) -> Iterator[BehaviourDifference]:
    """Yield the behaviours that matter, each once, with what it causes."""
    rows = {row.name: row for cause in causes for row in cause.rows}
    for row in rows.values():
        own = [cause for cause in causes if row in cause.rows]
        cases = sorted({case for cause in own for case in cause.cases})
        others = {other.name for cause in own for other in cause.rows if other is not row}
        yield _difference(
            row,
            sides,
            jobs=[case.name for case in cases if case.kind == "job"],
            queues=[case.name for case in cases if case.kind == "queue"],
            together=sorted(others),
        )


def _difference(row: Behaviour, sides: tuple[Input, Input], **more: Any) -> BehaviourDifference:
    before, after = (row.of(side.manifests.profile) for side in sides)
    return BehaviourDifference(
        name=row.name, area=row.area, before=before, after=after, decides=row.decides, source=row.source, **more
    )
