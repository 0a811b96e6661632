"""How often jobs started within the ranges of `vqs when`, on recorded workloads: python -m tests.verify.coverage.

At some times of each recording, the cluster is written down as a dump would show it, `vqs when` says when the jobs that
wait will start, and the recording says when they did. How long pods run is taken to be known of each job, or only as
one distribution of all jobs. Jobs that arrive later are not in a dump, so the first part of a recording breaks an
assumption of the ranges; after the last arrival, it holds.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any, Final

import yaml

from tests.conformance.test_workloads import WORKLOADS, scenario
from tests.kubectl_dumps import Item, pod, volcano_job
from vqs.cli.failures import say
from vqs.explain.simulate import SimulateOptions
from vqs.processes import cores
from vqs.replay.distribution import Distribution, Fixed, LogNormal
from vqs.replay.engine import ReplayOptions
from vqs.replay.runs import Runner
from vqs.replay.when.durations import Durations
from vqs.replay.when.outcome import When
from vqs.replay.when.run import WhenOptions, when
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.verify.starts import StartCheck, check_job, summed_up

BEGIN: Final = datetime(2026, 3, 2, 9, tzinfo=UTC)
WITHIN: Final = 600.0
NAMESPACE: Final = "default"
TASK: Final = "w"
Plain = Mapping[str, Any]


def stamp(seconds: float) -> str:
    """Return a time as the API server writes it."""
    return (BEGIN + timedelta(seconds=int(seconds))).strftime("%Y-%m-%dT%H:%M:%SZ")


def dump_at(workload: Plain, outcome: Plain, time: float) -> Manifests:
    """Return the cluster at some second of a recording."""
    asked = {each["name"]: each for each in workload["jobs"]}
    cluster = {**scenario(dict(workload)), "jobs": [], "now": stamp(time)}
    items = [
        item
        for job in outcome["jobs"]
        if job["podGroupCreated"] <= time
        for item in objects(asked[job["name"]], job, workload["evictPolicy"], time)
    ]
    text = yaml.safe_dump_all([cluster, *items])
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))


def objects(asked: Plain, job: Plain, policy: str, time: float) -> Iterator[Item]:
    """Yield a Volcano Job, its PodGroup and its pods, as they are at some second."""
    made = volcano_job(
        job["name"],
        namespace=NAMESPACE,
        cpu=1,
        pods=asked["replicas"],
        minimum=asked["minAvailable"],
        queue=asked["queue"],
    )
    batch, group = made[:2]
    requests = {"cpu": asked["cpu"], "memory": asked["memory"]}
    requests |= {"nvidia.com/gpu": asked["gpu"]} if asked.get("gpu") else {}
    batch["spec"]["tasks"][0]["name"] = TASK
    template = batch["spec"]["tasks"][0]["template"]["spec"]
    template["containers"][0]["resources"]["requests"] = requests
    batch["spec"]["policies"] = [{"event": "PodEvicted", "action": policy}]
    phases = [phase for at, phase in job["podGroupPhases"] if at <= time]
    group["status"]["phase"] = phases[-1] if phases else "Pending"
    if asked.get("priorityClass"):
        batch["spec"]["priorityClassName"] = group["spec"]["priorityClassName"] = asked["priorityClass"]
    for each in (batch, group):
        each["metadata"]["creationTimestamp"] = stamp(job["podGroupCreated"])
    if job["completed"] and job["completed"] <= time:  # of which nothing is left but the Job
        batch["status"] = {"state": {"phase": "Completed"}}
        yield batch
        return
    yield batch
    yield group
    for name, runs in job["pods"].items():
        lives = [run for run in runs if run["created"] <= time and not (run.get("removed") and run["removed"] <= time)]
        for run in lives[-1:]:
            now = pod(name, group["metadata"]["name"], batch, namespace=NAMESPACE, cpu=1)
            now["metadata"]["annotations"]["volcano.sh/task-spec"] = TASK
            now["metadata"]["creationTimestamp"] = stamp(run["created"])
            now["spec"]["containers"][0]["resources"]["requests"] = requests
            if asked.get("priorityClass"):
                now["spec"]["priorityClassName"] = asked["priorityClass"]
            lives_on(now, run, time)
            yield now


def lives_on(now: Item, run: Plain, time: float) -> None:
    """Give a pod the state that it has at some second."""
    if (run.get("bound") or math.inf) > time:
        return
    now["spec"]["nodeName"] = run["node"]
    if (run.get("running") or math.inf) <= time:
        now["status"] = {"phase": "Running", "startTime": stamp(run["running"])}
    if (run.get("end") or math.inf) <= time:
        if run["kind"] == "succeeded":
            now["status"]["phase"] = "Succeeded"
        else:
            now["metadata"]["deletionTimestamp"] = stamp(run["end"])


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


def measure(file: Path, runs: Sequence[Path], parts: Sequence[float]) -> Iterator[tuple[str, str, list[StartCheck]]]:
    """Yield, by what is known and whether jobs still arrive, how starts compare with their ranges."""
    workload = json.loads(file.read_text(encoding="utf-8"))
    last = max(each["arrival"] for each in workload["jobs"])
    for path in runs:
        outcome = json.loads(path.read_text(encoding="utf-8"))
        started = {f"{NAMESPACE}/{each['name']}": each["minRunning"] for each in outcome["jobs"]}
        for part in parts:
            time = math.ceil(part * last)
            dump = dump_at(workload, outcome, time)
            for (what, rules), arrivals in product(known(workload).items(), (False, True)):
                found = ranges_at(dump, Durations(rules), arrivals=arrivals)
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
    """Measure all recorded workloads of Volcano Jobs alone, of which a dump can be made."""
    table: dict[tuple[str, str], list[StartCheck]] = {}
    for file, runs in WORKLOADS.values():
        if json.loads(file.read_text(encoding="utf-8")).keys() & {"batchJobs", "deployments"}:
            continue
        for what, phase, checks in measure(file, runs, (0.6, 1.01)):
            table.setdefault((what, phase), []).extend(checks)
    for (what, phase), checks in table.items():
        inside = fmean(each.verdict == "inside" for each in checks)
        width = median((each.latest or WITHIN) - (each.earliest or 0.0) for each in checks)
        say(f"{what}, {phase}: {inside:.0%} of {len(checks)} starts, ranges of {width:.0f} s in the median")


if __name__ == "__main__":
    main()
