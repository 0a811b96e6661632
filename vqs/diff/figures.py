"""A session in figures."""

from __future__ import annotations

from collections import Counter

from vqs.diff.changes import State, state_of
from vqs.diff.outcome import Figures
from vqs.diff.run import Run


def figures(run: Run) -> Figures:
    """Count what became of tasks and jobs."""
    simulation = run.simulation
    states = Counter(map(state_of, simulation.tasks))
    running = sum(task.status == "Running" for task in simulation.tasks)
    held = sum(state_of(task) is State.PLACED and task.status_before != "Pending" for task in simulation.tasks)
    return Figures(
        placed=states[State.PLACED] - held,
        pipelined=states[State.WAITS],
        evicted=states[State.EVICTED],
        pending=states[State.PENDING],
        running=running,
        jobs=len(simulation.jobs),
        full_gangs=sum(job.tasks > 0 and job.ready >= job.min_available for job in simulation.jobs),
        share_spread=_spread(run),
        utilisation=simulation.utilisation,
    )


def _spread(run: Run) -> float | None:
    """Return how far the shares of the queues with jobs are apart; None where they were not computed."""
    if run.session.queue_ledger is None or run.session.standstill:
        return None
    used = {job.queue for job in run.simulation.jobs}
    shares = [queue.closed.share for queue in run.simulation.queues if queue.name in used]
    return max(shares) - min(shares) if shares else 0.0
