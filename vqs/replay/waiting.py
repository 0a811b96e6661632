"""Why jobs wait: how many seconds of a job's wait each verdict accounts for.

A verdict counts until the next one on the job, or until the job starts. To ask for each verdict in each session would
cost more than the sessions: a job is asked about after its first session, and again whenever it has waited a tenth
longer. So the parts of a wait are right to about a tenth of it, and the sum is the wait.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vqs.model.codes import VerdictCode
from vqs.replay.jobs import JobRun, PodState

NOT_TRIED: Final = "not-tried"
"""What accounts for the time before the first session that finds the job."""

_LONGER: Final = 1.1


@dataclass(slots=True)
class _Wait:
    job: JobRun
    since: float
    code: str = NOT_TRIED
    ask_at: float = 0.0


class Waiting:
    """The jobs that have arrived and not started."""

    def __init__(self) -> None:
        self._waits: dict[str, _Wait] = {}

    @property
    def number(self) -> int:
        """How many jobs wait."""
        return len(self._waits)

    def add(self, job: JobRun, time: float) -> None:
        """Note that a job waits from now on."""
        self._waits[job.uid] = _Wait(job, time)

    def asked(self, time: float) -> list[str]:
        """Return the jobs whose verdicts are wanted of a session now, by the namespace/name of their PodGroups."""
        return [uid for uid, wait in self._waits.items() if wait.ask_at <= time]

    def hear(self, verdicts: dict[str, str], asked: list[str], time: float) -> None:
        """Take the verdicts of a session on the jobs that it was asked about."""
        for uid in asked:
            wait = self._waits[uid]
            waited = time - wait.job.record.arrival
            wait.ask_at = time + waited * (_LONGER - 1)
            code = verdicts.get(uid, wait.code)
            if code == VerdictCode.GANG_TOO_SMALL and wait.job.counts[PodState.ABSENT]:
                code = VerdictCode.PODS_NOT_CREATED  # the session does not know that they are about to be made
            if code != wait.code:
                self._account(wait, time)
                wait.code = code

    def end(self, job: JobRun, time: float) -> None:
        """Note that a job waits no more, if it did: it has started, or has ended without."""
        wait = self._waits.pop(job.uid, None)
        if wait is not None:
            self._account(wait, time)

    def finish(self, time: float) -> None:
        """Account for what still waits at the end of the replay."""
        for wait in self._waits.values():
            self._account(wait, time)

    def _account(self, wait: _Wait, time: float) -> None:
        waited = wait.job.record.waited
        seconds = time - wait.since
        if seconds > 0:
            waited[wait.code] = waited.get(wait.code, 0.0) + seconds
        wait.since = time
