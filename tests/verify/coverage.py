"""How often jobs started within the ranges of `vqs when`, on recorded workloads: python -m tests.verify.coverage.

At some times of each recording, the cluster is written down as a dump would show it, `vqs when` says when the jobs that
wait will start, and the recording says when they did. How long pods run is taken to be known of each job, or only as
one distribution of all jobs. Jobs that arrive later are not in a dump, so the first part of a recording breaks an
assumption of the ranges; after the last arrival, it holds.

--workload, --moment, --runs and --known choose a part of that, which is quicker.
"""

from __future__ import annotations

import argparse
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any, Final

import yaml
from msgspec import structs

from tests.conformance.recorder.serve import job_object
from tests.conformance.test_workloads import WORKLOADS, scenario
from vqs.cli.failures import say
from vqs.explain.simulate import SimulateOptions
from vqs.model import kubernetes as k8s
from vqs.model.keys import GROUP_NAME
from vqs.processes import cores
from vqs.replay.distribution import Distribution, Fixed, LogNormal
from vqs.replay.engine import ReplayOptions
from vqs.replay.runs import Runner
from vqs.replay.when.durations import Durations
from vqs.replay.when.outcome import When
from vqs.replay.when.run import WhenOptions, when
from vqs.replay.workload import gang_of
from vqs.snapshot.apiserver.validation.names import MOST_INT32
from vqs.snapshot.reading.documents import EditedText, Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.verify.starts import StartCheck, check_job, summed_up

BEGIN: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
WITHIN: Final = 180.0
"""How many seconds replays last at most: all jobs of the recordings had started by then."""
NAMESPACE: Final = "default"
MOMENTS: Final = (0.6, 1.01)
"""When dumps are taken: at these parts of the time until the last arrival."""

WRITTEN: Final = Origin(EditedText("recording", ""))
Plain = Mapping[str, Any]


def stamp(seconds: float) -> datetime:
    """Return a time as the API server writes it."""
    return BEGIN + timedelta(seconds=int(seconds))


def submitted(workload: Plain) -> Manifests:
    """Return a recorded workload as manifests: the cluster, and all Volcano Jobs as they are submitted."""
    retries = workload.get("maxRetry", MOST_INT32)
    jobs = [job_object(each, workload["evictPolicy"], retries) for each in workload["jobs"]]
    text = yaml.safe_dump_all([{**scenario(dict(workload)), "jobs": []}, *jobs])
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def dump_at(workload: Manifests, outcome: Plain, time: float) -> Manifests:
    """Return the cluster at some second of a recording."""
    records = {each["name"]: each for each in outcome["jobs"]}
    jobs, groups, pods = list[k8s.VolcanoJob](), list[k8s.PodGroup](), list[k8s.Pod]()
    for job in workload.volcano_jobs:
        record = records[job.metadata.name]
        if record["podGroupCreated"] > time:
            continue
        gang = gang_of(job, workload, WRITTEN)
        jobs.append(job_at(job, record, time))
        if (record["completed"] or math.inf) <= time:  # of which nothing is left but the Job
            continue
        own = [pod for made in gang.pods if (pod := pod_at(made, jobs[-1], record, time)) is not None]
        group = group_at(gang.group, jobs[-1], record, own, time)
        groups += [] if group is None else [group]
        pods += own
    numbers = {"volcano_jobs": len(jobs), "pod_groups": len(groups), "pods": len(pods)}
    origins = {**workload.origins, **{name: [WRITTEN] * number for name, number in numbers.items()}}
    start = replace(workload, scenarios=[], newest_timestamp=stamp(time), origins=origins)
    return replace(start, volcano_jobs=jobs, pod_groups=groups, pods=pods)


def job_at(job: k8s.VolcanoJob, record: Plain, time: float) -> k8s.VolcanoJob:
    """Return a Volcano Job as it is at some second."""
    phases = [phase for at, phase in record["jobPhases"] if at <= time]
    metadata = structs.replace(
        job.metadata, uid=f"u-{job.metadata.name}", creation_timestamp=stamp(record["podGroupCreated"])
    )
    state = k8s.VolcanoJobState(phase=phases[-1] if phases else "Pending")
    status = k8s.VolcanoJobStatus(state=state, retry_count=phases.count("Restarting"))
    return structs.replace(job, metadata=metadata, status=status)


def group_at(
    group: k8s.PodGroup, job: k8s.VolcanoJob, record: Plain, pods: Sequence[k8s.Pod], time: float
) -> k8s.PodGroup | None:
    """Return the PodGroup of a Job as it is at some second; None while a restart has taken it away."""
    restarted = [at for at, phase in record["jobPhases"] if phase == "Restarting" and at <= time]
    created = record["podGroupCreated"]
    if restarted:  # it is made anew as the Job leaves that phase
        after = (at for at, phase in record["jobPhases"] if at > restarted[-1] and phase != "Restarting")
        created = next(after, math.inf)
    if created > time:
        return None
    phases = [phase for at, phase in record["podGroupPhases"] if created <= at <= time]
    if not phases:  # where it is the same as of the PodGroup before, it is not recorded
        running = sum(pod.status.phase == "Running" for pod in pods)
        is_admitted = any(created < life["created"] <= time for lives in record["pods"].values() for life in lives)
        phases = ["Running" if running >= job.spec.min_available else "Inqueue" if is_admitted else "Pending"]
    metadata = structs.replace(
        group.metadata, name=f"{job.metadata.name}-{job.metadata.uid}", creation_timestamp=stamp(created)
    )
    return structs.replace(group, metadata=metadata, status=k8s.PodGroupStatus(phase=phases[-1]))


def pod_at(made: k8s.Pod, job: k8s.VolcanoJob, record: Plain, time: float) -> k8s.Pod | None:
    """Return a pod of a Job as it is at some second, if it is there."""
    lives = record["pods"].get(made.metadata.name, ())
    there = [life for life in lives if life["created"] <= time < (life.get("removed") or math.inf)]
    if not there:
        return None
    life = there[-1]
    passed = {name for name in ("bound", "running", "end") if (life.get(name) or math.inf) <= time}
    is_over = "end" in passed and life["kind"] == "succeeded"
    metadata = structs.replace(
        made.metadata,
        creation_timestamp=stamp(life["created"]),
        deletion_timestamp=stamp(life["end"]) if "end" in passed and not is_over else None,
        annotations={**made.metadata.annotations, GROUP_NAME: f"{job.metadata.name}-{job.metadata.uid}"},
    )
    status = k8s.PodStatus(
        phase="Succeeded" if is_over else "Running" if "running" in passed else "Pending",
        start_time=stamp(life["running"]) if "running" in passed else None,
    )
    spec = structs.replace(made.spec, node_name=life["node"]) if "bound" in passed else made.spec
    return structs.replace(made, metadata=metadata, spec=spec, status=status)


def ranges_at(dump: Manifests, durations: Durations, *, arrivals: bool) -> When:
    """Return when the jobs of a dump that wait will start, where none arrives, or as those of the dump did."""
    options = WhenOptions(SimulateOptions(), ReplayOptions(), durations, within=WITHIN, arrivals=arrivals)
    return when(dump, options, lambda run: Runner([run], cores()).runs(range(1, 10)))


def known(workload: Plain) -> dict[str, dict[str, Distribution]]:
    """Return how long pods run, by what is known of it."""
    seconds = [float(each["duration"]) for each in workload["jobs"]]
    sigma = pstdev(map(math.log, seconds))
    return {
        "each job's duration": {f"{NAMESPACE}/{each['name']}": Fixed(each["duration"]) for each in workload["jobs"]},
        "one distribution": {"*": LogNormal(median(seconds), sigma)},
    }


def measure(
    file: Path, runs: Sequence[Path], parts: Sequence[float], asked: str
) -> Iterator[tuple[str, str, list[StartCheck]]]:
    """Yield, by what is known and whether jobs still arrive, how starts compare with their ranges."""
    plain = json.loads(file.read_text(encoding="utf-8"))
    workload = submitted(plain)
    last = max(each["arrival"] for each in plain["jobs"])
    rules = {what: each for what, each in known(plain).items() if asked in what}
    for path, part in product(runs, parts):
        outcome = json.loads(path.read_text(encoding="utf-8"))
        started = {f"{NAMESPACE}/{each['name']}": each["minRunning"] for each in outcome["jobs"]}
        time = math.ceil(part * last)
        dump = dump_at(workload, outcome, time)
        for (what, rule), arrivals in product(rules.items(), (False, True)):
            found = ranges_at(dump, Durations(rule), arrivals=arrivals)
            checks = [
                check
                for job in found.jobs
                for at in [started[job.display_name]]
                # A job that had started before, and was evicted, is not asked when it will start.
                if (at is None or at > time)
                and (check := check_job(job, None if at is None else at - time, WITHIN, WITHIN)) is not None
            ]
            assumed = f"{what}, and arrivals as before" if arrivals else what
            yield assumed, "after the last arrival" if part > 1 else "while jobs arrive", checks
            say(f"{path.name} at {time}, {assumed}: {summed_up(found, WITHIN, checks).answer}")


def main() -> None:
    """Measure recorded workloads of Volcano Jobs alone, of which a dump can be made."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workload", action="append", help="only this one, such as preempt; may be repeated")
    parser.add_argument("--moment", action="append", type=float, help="the part of the time until the last arrival")
    parser.add_argument("--runs", type=int, help="only so many recorded runs of each workload")
    parser.add_argument("--known", default="", help="only this of what is known: 'duration' or 'distribution'")
    options = parser.parse_args()
    table: dict[tuple[str, str], list[StartCheck]] = {}
    for name, (file, runs) in WORKLOADS.items():
        if json.loads(file.read_text(encoding="utf-8")).keys() & {"batchJobs", "deployments"}:
            continue
        if options.workload and name not in options.workload:
            continue
        for what, phase, checks in measure(file, runs[: options.runs], options.moment or MOMENTS, options.known):
            table.setdefault((what, phase), []).extend(checks)
    for (what, phase), checks in table.items():
        if not checks:
            continue
        inside = fmean(each.verdict == "inside" for each in checks)
        width = median((each.latest or WITHIN) - (each.earliest or 0.0) for each in checks)
        say(f"{what}, {phase}: {inside:.0%} of {len(checks)} starts, ranges of {width:.0f} s in the median")


if __name__ == "__main__":
    main()
