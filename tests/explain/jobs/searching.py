"""Searches for fixes, from a snapshot to what was found."""

from __future__ import annotations

import math

from vqs.explain.jobs.remedies import SESSIONS_PER_PARAMETER, FixSearch, remedies_of
from vqs.explain.jobs.trials import Trials
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests


def find_remedies(
    manifests: Manifests,
    options: SimulateOptions,
    job: str,
    *,
    sessions: int | None = None,
    seconds: float = math.inf,
    per_parameter: int = SESSIONS_PER_PARAMETER,
) -> FixSearch:
    """Search for the fixes that get a job placed, with at most so many changes, and for at most so long."""
    trials = Trials(manifests, options, job, sessions, ahead=True)
    trials.open()
    return remedies_of(trials, seconds, per_parameter=per_parameter)
