"""The page on a replay: jobs, lives of pods, what queues hold and how full nodes are over time."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from vqs.inert import name as visible
from vqs.model.resource import is_in_bytes
from vqs.replay.figures import available, leaf_queues
from vqs.replay.outcome import Replay, Replays
from vqs.report.formats import View
from vqs.report.html.data import Column, Objects, Places, Texts, names_column, packed, table
from vqs.report.html.page import page
from vqs.report.replay import parts
from vqs.report.replay.page import (
    chance_lines,
    comparison_headline,
    comparison_lines,
    fact_lines,
    headline,
    of_run,
    sentence,
    stops,
    thrashing_lines,
)
from vqs.report.replay.parts import job_name

_EXTENT: Final = parts.Extent(rows=50, details=True)
_LANDMARKS: Final = ("Why jobs waited", "Evictions", "Runs")


def write(result: Replay | Replays, view: View, /) -> str:
    """Return the page; of several seeds, the first is drawn, and waits are those of all."""
    if isinstance(result, Replay):
        return _written(result, [result], view)
    drawn = {run.policy: run for run in reversed(result.runs)}
    return _written(result, [drawn[policy] for policy in result.policies], view)


def _written(result: Replay | Replays, runs: Sequence[Replay], view: View) -> str:
    several = result if isinstance(result, Replays) else None
    shown = [*(parts.of_runs(several, _EXTENT) if several else parts.of_run(runs[0], _EXTENT))]
    commands = [of_run(run, view.again).command("replay", "").command for run in runs]
    leading = 1 + len(several.contrasts) if several else 1
    return page(
        "replay",
        _Writer(runs, commands, several.runs if several else runs).written(),
        title=f"vqs replay {result.workload}".rstrip(),
        answer=[*comparison_lines(several)] if several else [sentence(runs[0]), *chance_lines(runs[0])],
        alarms=[*stops(runs[0]), *thrashing_lines(several.runs if several else runs)],
        headline=comparison_headline(several) if several else headline(runs[0]),
        facts=[] if several else [*fact_lines(runs[0])],
        drawn=f"seed {runs[0].seed}" if several and len(several.seeds) > 1 else "",
        has_runs=bool(runs[0].jobs),
        has_heat=any(run.node_samples for run in runs),
        lead=[(part, table(part.grid)) for part in shown[:leading]],
        parts_list=[
            (part, table(part.grid), next((title for title in _LANDMARKS if part.title.startswith(title)), ""))
            for part in shown[leading:]
            if not parts.is_of_jobs(part)
        ],
    )


_STEPS: Final = 1000
"""Amounts are whole numbers of this part of the most of them."""

_TICKS: Final = 2**30
"""Times are whole numbers of ticks, which are as short as these allow."""

_TICK_LENGTHS: Final = (0.01, 0.1, 1.0, 10.0, 60.0)
_ENDS: Final = ("", "succeeded", "failed", "evicted", "killed", "lost")
"""How a pod's life ended, by number; `ENDS_OF_PODS` in `script/workload.js` has the words."""

_FULL: Final = 100
_ABSENT: Final = 255
_QUANTILES: Final = 101
_NEVER: Final = -1
_COUNTS: Final = ("pending", "running", "waiting_jobs")


class _Writer:
    """Turns runs into columns; texts are written once, and so are the jobs that all runs have.

    Attributes:
        runs: one for each policy, of one seed.
        commands: by run, the command that opens a moment of it, which its time follows.
        every: all runs, whose waits are drawn.
    """

    def __init__(self, runs: Sequence[Replay], commands: Sequence[str], every: Sequence[Replay]) -> None:
        self.runs = runs
        self.commands = commands
        self.every = every
        self.texts = Texts()
        self.end = max(run.end for run in runs)
        self.tick = next(tick for tick in (*_TICK_LENGTHS, self.end) if self.end / tick < _TICKS)
        self.queues = _queues(runs)
        self.resources = list(dict.fromkeys(name for run in runs for name in run.resources))
        samples = [sample for run in runs for sample in run.samples]
        self.totals = {
            name: max((sample.allocatable.get(name) or 0.0 for sample in samples), default=0.0)
            for name in self.resources
        }
        """The most that the nodes have of each resource at any time."""
        self.most_used = {
            name: max(
                (sum(queue.allocated.get(name) or 0.0 for queue in sample.queues.values()) for sample in samples),
                default=0.0,
            )
            for name in self.resources
        }
        self.nodes = sorted({node.name for run in runs for node in run.nodes})
        jobs = {job_name(job): job for run in runs for job in run.jobs}
        self.jobs = list(jobs.values())
        self.job_places = {name: place for place, name in enumerate(jobs)}

    def written(self) -> dict[str, Any]:
        parts = {
            "kind": "workload",
            "tick": self.tick,
            "end": self.end,
            "resources": self._resources(),
            "queues": [{"name": visible(name)} for name in self.queues],
            "jobs": self._jobs(),
            "nodes": names_column(self.nodes),
            "policies": [self._policy(run, command) for run, command in zip(self.runs, self.commands, strict=True)],
            "waits": self._waits(),
        }
        return parts | {"texts": self.texts.listed()}

    def _resources(self) -> list[dict[str, Any]]:
        used = {name: self.most_used[name] / total for name, total in self.totals.items() if total}
        ordered = sorted(used, key=lambda name: -used[name])
        return [
            {"name": visible(name), "bytes": is_in_bytes(name), "total": self.totals[name], "scale": self._scale(name)}
            for name in ordered
        ]

    def _scale(self, name: str) -> float:
        return max(self.totals[name], self.most_used[name]) / _STEPS

    def _jobs(self) -> dict[str, Any]:
        places = Places(self.queues, self.texts)
        return {
            "path": names_column(map(job_name, self.jobs)),
            "queue": places.column(job.queue for job in self.jobs),
            "priority": packed([job.priority for job in self.jobs]),
            "arrival": self._times(job.arrival for job in self.jobs),
            "minAvailable": packed([job.min_available for job in self.jobs]),
            "pods": packed([job.pods for job in self.jobs]),
        }

    def _policy(self, run: Replay, command: str) -> dict[str, Any]:
        return {
            "name": visible(run.policy),
            "seed": run.seed,
            "command": visible(command),
            "end": run.end,
            "jobs": self._outcomes(run),
            "lives": self._lives(run),
            "series": self._series(run),
            "heat": self._heat(run),
        }

    def _outcomes(self, run: Replay) -> dict[str, Any]:
        found = {job_name(job): job for job in run.jobs}
        jobs = [found.get(name) for name in self.job_places]
        reasons = Objects()
        return {
            "there": packed([int(job is not None) for job in jobs]),
            "admitted": self._times(job.admitted if job else None for job in jobs),
            "started": self._times(job.started if job else None for job in jobs),
            "completed": self._times(job.completed if job else None for job in jobs),
            "evictions": packed([job.evictions if job else 0 for job in jobs]),
            "lost": self._times(job.work_lost if job else 0.0 for job in jobs),
            "phase": self.texts.column(job.phase if job else "" for job in jobs),
            "waited": packed([reasons.number(tuple(job.waited.items()), job.waited) if job else 0 for job in jobs]),
            "reasons": reasons.listed(),
        }

    def _lives(self, run: Replay) -> dict[str, Any]:
        """Return the lives of pods that were bound to a node, those of a job together."""
        paths = [job_name(job) for job in run.jobs]
        nodes = {name: place for place, name in enumerate(self.nodes)}
        bound = [life for life in run.pods if life.node]
        bound.sort(key=lambda life: self.job_places[paths[life.job]])
        return {
            "pod": names_column(life.pod for life in bound),
            "job": packed([self.job_places[paths[life.job]] for life in bound]),
            "node": packed([nodes.get(life.node, _NEVER) for life in bound]),
            "bound": self._times(life.bound for life in bound),
            "started": self._times(life.started for life in bound),
            "ended": self._times(life.ended for life in bound),
            "how": packed([_ENDS.index(life.outcome) for life in bound]),
            "by": packed(
                [_NEVER if life.evictor_job is None else self.job_places[paths[life.evictor_job]] for life in bound]
            ),
            "action": self.texts.column(life.action for life in bound),
        }

    def _series(self, run: Replay) -> dict[str, Any]:
        return {
            "times": self._times(sample.time for sample in run.samples),
            "queues": [self._queue(run, queue) for queue in self.queues],
        }

    def _queue(self, run: Replay, queue: str) -> dict[str, Any]:
        samples = [sample.queues.get(queue) for sample in run.samples]
        amounts = {
            what: {
                visible(name): packed(self._amounts(name, [getattr(each, what) if each else {} for each in samples]))
                for name in self.resources
                if any(each and getattr(each, what).get(name) != 0 and name in getattr(each, what) for each in samples)
            }
            for what in ("allocated", "deserved", "request")
        }
        counts = {what: packed([round(getattr(each, what)) if each else 0 for each in samples]) for what in _COUNTS}
        return amounts | {"counts": counts}

    def _amounts(self, name: str, amounts: Iterable[Any]) -> list[int]:
        """Return amounts as whole numbers; what has no limit is all that there is."""
        scale = self._scale(name) or 1.0
        found = (each.get(name, 0.0) for each in amounts)
        return [
            round((self.totals[name] if value is None else min(value, 1e3 * self.totals[name])) / scale)
            for value in found
        ]

    def _heat(self, run: Replay) -> dict[str, Any]:
        """Return how full nodes are, a byte for each node and each stretch of time, by resource."""
        samples = run.node_samples
        if not samples:
            return {"width": self.end, "bins": 1, "levels": {}}
        places = {name: place for place, name in enumerate(self.nodes)}
        used = np.array([sample.used for sample in samples])
        absent = available(run) <= 0
        levels = {}
        for at, name in enumerate(run.resources):
            matrix = np.full((len(self.nodes), len(samples)), _ABSENT, dtype=np.uint8)
            for column, node in enumerate(run.nodes):
                if node.allocatable.get(name):
                    part = np.round(used[:, column, at] * _FULL).clip(0, _FULL + 1).astype(np.uint8)
                    matrix[places[node.name]] = np.where(absent[:, column], _ABSENT, part)
            levels[visible(name)] = b64encode(matrix.tobytes()).decode()
        return {"width": samples[0].seconds, "bins": len(samples), "levels": levels}

    def _waits(self) -> list[dict[str, Any]]:
        """Return, by queue, how waits are spread under each policy, over all of its runs."""
        return [
            {"queue": place, "policies": [self._wait(queue, run.policy) for run in self.runs]}
            for place, queue in enumerate(self.queues)
        ]

    def _wait(self, queue: str, policy: str) -> dict[str, Any]:
        jobs = [job for run in self.every if run.policy == policy for job in run.jobs if job.queue == queue]
        waits = [job.started - job.arrival for job in jobs if job.started is not None]
        shares = np.linspace(0, 1, _QUANTILES)
        quantiles = np.quantile(waits, shares, method="inverted_cdf").round(2).tolist() if waits else []
        return {"jobs": len(jobs), "started": len(waits), "quantiles": quantiles}

    def _times(self, seconds: Iterable[float | None]) -> Column:
        return packed([_NEVER if each is None else round(each / self.tick) for each in seconds])


def _queues(runs: Sequence[Replay]) -> list[str]:
    """Return the queues that jobs are in, those that hold the most first."""
    jobs = {job.queue for run in runs for job in run.jobs}
    leaves = {queue for run in runs for queue in leaf_queues(run)}
    held = dict.fromkeys(sorted(jobs), 0.0)
    for run in runs:
        for job in run.jobs:
            held[job.queue] += job.work
    with_deserved = {
        queue for run in runs for sample in run.samples[:1] for queue in sample.queues if sample.queues[queue].deserved
    }
    idle = sorted((leaves & with_deserved) - jobs)
    return [*sorted(held, key=lambda queue: (-held[queue], queue)), *idle]
