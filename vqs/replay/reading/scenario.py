"""Workloads from scenarios: jobs with an arrival come later, all others are there at the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vqs.explain.simulate import EPOCH
from vqs.model import kubernetes as k8s
from vqs.model.durations import read_seconds
from vqs.replay.distribution import Distribution, Fixed
from vqs.replay.workload import (
    EVERY_ROLE,
    Arrival,
    Gang,
    Lifecycle,
    Policy,
    Present,
    Timing,
    Workload,
)
from vqs.snapshot.keys import pod_group_of
from vqs.snapshot.manifests import Manifests
from vqs.snapshot.scenario.model import TimedJob


def workload_of(manifests: Manifests, name: str) -> Workload:
    """Return the workload that a snapshot with scenarios stands for."""
    timed = [each for scenario in manifests.scenarios for each in scenario.timed_jobs]
    groups = {group.metadata.key: group for group in manifests.pod_groups}
    pods: dict[str, list[k8s.Pod]] = {}
    for pod in manifests.pods:
        pods.setdefault(pod_group_of(pod.metadata), []).append(pod)
    arrivals: list[Arrival] = []
    present: dict[str, Present] = {}
    for job in timed:
        timing, lifecycle = _timing(job), _lifecycle(job)
        for key in job.keys:
            if "arrival" in job.entry:
                gang = Gang(groups[key], tuple(pods.get(key, ())), lifecycle or Lifecycle())
                arrivals.append(Arrival(float(job.entry["arrival"]), gang, timing))
            else:
                present[key] = Present(timing, lifecycle)
    arriving = {each.job.group.metadata.key for each in arrivals if isinstance(each.job, Gang)}
    return Workload(
        name=name,
        begin=manifests.now or EPOCH,
        start=_without(manifests, arriving),
        present=present,
        arrivals=sorted(arrivals, key=lambda each: each.time),
    )


def _without(manifests: Manifests, keys: set[str]) -> Manifests:
    """Return manifests without some PodGroups and their pods."""
    groups = [each for each in manifests.with_origins("pod_groups") if each[0].metadata.key not in keys]
    pods = [each for each in manifests.with_origins("pods") if pod_group_of(each[0].metadata) not in keys]
    return replace(
        manifests,
        pod_groups=[group for group, _ in groups],
        pods=[pod for pod, _ in pods],
        origins={
            **manifests.origins,
            "pod_groups": [origin for _, origin in groups],
            "pods": [origin for _, origin in pods],
        },
    )


def _timing(job: TimedJob) -> dict[str, Timing]:
    """Return how the pods of a job run, by role."""
    roles = {role["name"]: {**job.entry, **role} for role in job.entry.get("roles", ())}
    return {name: _of_entry(entry) for name, entry in {EVERY_ROLE: job.entry, **roles}.items()}


def _of_entry(entry: Mapping[str, Any]) -> Timing:
    return Timing(
        duration=_distribution(entry.get("duration")),
        start_delay=_distribution(entry.get("startDelay")),
        checkpoint=None if "checkpoint" not in entry else _seconds(entry["checkpoint"]),
    )


def _distribution(written: Any) -> Distribution | None:
    return None if written is None else Fixed(_seconds(written))


def _seconds(written: float | str) -> float:
    return (read_seconds(written) or 0.0) if isinstance(written, str) else float(written)


def _lifecycle(job: TimedJob) -> Lifecycle | None:
    """Return the lifecycle policies of a job, None where it has none."""
    if "policies" not in job.entry:
        return None
    return Lifecycle(policies=tuple(_policies(job.entry["policies"])))


def _policies(written: list[Mapping[str, Any]]) -> Iterator[Policy]:
    for each in written:
        events = frozenset([*each.get("events", ()), *([each["event"]] if "event" in each else [])])
        yield Policy(events, each["action"], each.get("exitCode"), _seconds(each.get("timeout", 0.0)))
