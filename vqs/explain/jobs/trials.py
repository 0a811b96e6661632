"""Sessions run on edited manifests, to see what becomes of one job; each is run once, and they are counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from vqs.engine.trace import Op, StatementResult
from vqs.explain.assemble import decisions
from vqs.explain.simulate import run_session
from vqs.explain.verdicts import job_verdict
from vqs.model.task import TaskStatus
from vqs.snapshot.collector import paused_collector
from vqs.snapshot.diagnostics import InputErrors
from vqs.snapshot.edits import apply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.engine.session import Session
    from vqs.explain.outcome import Decision, Verdict
    from vqs.explain.simulate import SimulateOptions
    from vqs.model.job import Job
    from vqs.snapshot.edits import Edit
    from vqs.snapshot.manifests import Manifests


_FEW_VOTES: Final = 20_000
"""So many nodes, once for each task that waits, are asked for their votes without being asked to."""


def few_votes(session: Session, job: Job) -> bool:
    """Tell whether the votes on whom to evict for a job are few enough to keep them all."""
    return len(session.nodes) * len(job.having(TaskStatus.Pending)) <= _FEW_VOTES


class Standing(IntEnum):
    """How far a session brings a job; the higher, the better."""

    PENDING = 0
    """Its minimum has no place."""
    PIPELINED = 1
    """Its minimum has a place once resources are released."""
    PLACED = 2
    """Its minimum is bound."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of a session.

    Attributes:
        job: which job it is about.
        standing: how far it brought the job.
        decision: what became of the job; None where the edits cannot be made.
        verdict: why it is not placed, or what of it is not.
        placed: the jobs of which the session bound some tasks, with their minimum, by uid.
        bound: how many tasks it bound of each job.
        evicted: the tasks it evicts.
        refused: why the edits cannot be made.
    """

    job: str
    standing: Standing
    decision: Decision | None = None
    verdict: Verdict | None = None
    placed: frozenset[str] = frozenset()
    bound: Mapping[str, int] = field(default_factory=dict)
    evicted: frozenset[str] = frozenset()
    refused: str = ""


class Spent(Exception):  # noqa: N818 - it is the sessions that are spent
    """No more sessions may be run."""


class Trials:
    """Runs sessions, as long as there may be more of them."""

    def __init__(self, manifests: Manifests, options: SimulateOptions, job: str, most: int) -> None:
        self.manifests = manifests
        self.options = replace(
            options, watch=frozenset(), gates=False, nodes=False, timing=False, progress=None, opened=None
        )
        self.job = job
        self.most = most
        self.count = 0
        self._known: dict[tuple[str, ...], Trial] = {}

    def open(self) -> tuple[Session, Manifests]:
        """Run the session without any edit; return it, with the votes, and what controllers made of the manifests."""
        with paused_collector():
            finished = run_session(self.manifests, replace(self.options, opened=self._keep_votes))
        self._known[()] = _trial(finished.session, self.job)
        return finished.session, finished.manifests

    def _keep_votes(self, session: Session) -> None:
        """Have all votes on whom to evict for the job kept, where they are few."""
        job = session.jobs.get(self.job)
        if job is not None and few_votes(session, job):
            session.options.watch = frozenset({self.job})

    def run(self, edits: Sequence[Edit]) -> Trial:
        """Run a session with some edits, unless that was done before.

        Raises:
            Spent: there have been enough.
        """
        key = tuple(map(str, edits))
        if key not in self._known:
            if self.count >= self.most:
                raise Spent
            self.count += 1
            self._known[key] = self._run(edits)
        return self._known[key]

    def _run(self, edits: Sequence[Edit]) -> Trial:
        try:
            with paused_collector():
                session = run_session(apply(self.manifests, edits), self.options).session
        except InputErrors as errors:
            return Trial(self.job, Standing.PENDING, refused=errors.diagnostics[0].message)
        return _trial(session, self.job)


def standing(session: Session, job: Job) -> Standing:
    """Return how far a closed session brought a job; one that has no task left to place is placed."""
    if job.having(TaskStatus.Binding) and session.job_ready(job):
        return Standing.PLACED
    if job.waiting and session.job_pipelined(job):
        return Standing.PIPELINED
    waits = any(job.having(status) for status in (TaskStatus.Pending, TaskStatus.Pipelined, TaskStatus.Allocated))
    return Standing.PLACED if job.tasks and not waits and session.job_ready(job) else Standing.PENDING


def evicted_tasks(session: Session) -> frozenset[str]:
    """Return the tasks that a session evicts, by namespace/name."""
    return frozenset(
        f"{operation.task.namespace}/{operation.task.name}"
        for record in session.trace.statements
        if record.result is StatementResult.COMMIT
        for operation in record.operations
        if operation.op is Op.EVICT
    )


def _trial(session: Session, uid: str) -> Trial:
    job = session.jobs.get(uid)
    numbers = {each.uid: len(each.having(TaskStatus.Binding)) for each in session.jobs.values()}
    bound = {name: number for name, number in numbers.items() if number}
    return Trial(
        uid,
        standing=standing(session, job) if job else Standing.PENDING,
        decision=decisions(session).get(uid),
        verdict=job_verdict(session, job) if job else None,
        placed=frozenset(each for each in bound if standing(session, session.jobs[each]) is Standing.PLACED),
        bound=bound,
        evicted=evicted_tasks(session),
    )
