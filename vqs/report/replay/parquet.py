"""The jobs of a replay as a Parquet file: a row for each job and run, with its pods; pyarrow writes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

from vqs.replay.figures import services, slowdown
from vqs.replay.outcome import JobRecord, PodRecord, Replay, Replays
from vqs.report.formats import View

_POD: Final = pa.struct(
    [
        ("pod", pa.string()),
        ("node", pa.string()),
        ("created", pa.float64()),
        ("bound", pa.float64()),
        ("started", pa.float64()),
        ("ended", pa.float64()),
        ("end", pa.string()),
        ("evictedFor", pa.string()),
        ("action", pa.string()),
        ("lost", pa.float64()),
    ]
)

SCHEMA: Final = pa.schema(
    [
        ("policy", pa.string()),
        ("seed", pa.int64()),
        ("namespace", pa.string()),
        ("name", pa.string()),
        ("queue", pa.string()),
        ("priority", pa.int64()),
        ("minAvailable", pa.int64()),
        ("pods", pa.int64()),
        ("request", pa.map_(pa.string(), pa.float64())),
        ("arrival", pa.float64()),
        ("admitted", pa.float64()),
        ("started", pa.float64()),
        ("completed", pa.float64()),
        ("phase", pa.string()),
        ("wait", pa.float64()),
        ("completion", pa.float64()),
        ("slowdown", pa.float64()),
        ("evictions", pa.int64()),
        ("restarts", pa.int64()),
        ("work", pa.float64()),
        ("workLost", pa.float64()),
        ("waited", pa.map_(pa.string(), pa.float64())),
        ("lives", pa.list_(_POD)),
    ]
)
"""The columns: what a job has in JSON, and what follows from it; in seconds, cores, bytes and counts."""


def write(result: Replay | Replays, _view: View, /) -> bytes:
    """Write the jobs; what did not happen is null."""
    runs = [result] if isinstance(result, Replay) else result.runs
    rows = [row for run in runs for row in _rows(run)]
    data = BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), data)
    return data.getvalue()


def _rows(run: Replay) -> Iterator[dict[str, Any]]:
    lives: dict[int, list[PodRecord]] = defaultdict(list)
    for life in run.pods:
        lives[life.job].append(life)
    for place, (job, service) in enumerate(zip(run.jobs, services(run), strict=True)):
        completion = job.completion
        yield {
            "policy": run.policy,
            "seed": run.seed,
            "namespace": job.namespace,
            "name": job.name,
            "queue": job.queue,
            "priority": job.priority,
            "minAvailable": job.min_available,
            "pods": job.pods,
            "request": [*job.request.items()],
            "arrival": job.arrival,
            "admitted": job.admitted,
            "started": job.started,
            "completed": job.completed,
            "phase": job.phase,
            "wait": None if job.started is None else job.started - job.arrival,
            "completion": completion,
            "slowdown": None if completion is None else slowdown(completion, service),
            "evictions": job.evictions,
            "restarts": job.restarts,
            "work": job.work,
            "workLost": job.work_lost,
            "waited": [*job.waited.items()],
            "lives": [_life(life, run.jobs) for life in lives[place]],
        }


def _life(life: PodRecord, jobs: Sequence[JobRecord]) -> dict[str, Any]:
    taker = None if life.evictor_job is None else jobs[life.evictor_job]
    return {
        "pod": life.pod,
        "node": life.node or None,
        "created": life.created,
        "bound": life.bound,
        "started": life.started,
        "ended": life.ended,
        "end": life.outcome or None,
        "evictedFor": taker and f"{taker.namespace}/{taker.name}",
        "action": life.action or None,
        "lost": life.work_lost,
    }
