"""How long pods run: what a file says by patterns of jobs, what is known of pods, and what is assumed of the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from math import inf
from typing import Any, BinaryIO, Final

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.job import JobName
from vqs.model.keys import SCHEDULER_NAME, role_of
from vqs.model.wording import count
from vqs.replay.distribution import (
    Distribution,
    DistributionError,
    Empirical,
    Fixed,
    LogNormal,
    Remaining,
    Together,
    parse_distribution,
)
from vqs.replay.reading.dumps import Alike, Life, alike_of, began, is_running, ran
from vqs.replay.timing import pattern_of
from vqs.replay.when.outcome import Assumption, Source
from vqs.replay.workload import Arrival, Present, Timing, Workload, timing_of
from vqs.snapshot.controllers.job import job_names
from vqs.snapshot.controllers.world import batch_job_of, group_name_of
from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, InputErrors, Problems
from vqs.snapshot.reading.documents import Origin, documents
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.sources import read_source

DEFAULT: Final = "{lognormal: {median: 1h, sigma: 1.5}}"
"""How long pods are taken to run of which nothing says it: four of five between 9 minutes and 7 hours."""

_USUAL: Final = LogNormal(3600.0, 1.5)
_USUALLY: Final = "1h as a median, four of five of them between 9m and 7h"

UNUSED_DURATION: Final = "unused-duration"
"""The code of the note that a pattern of --durations matches no job."""


@dataclass(frozen=True)
class Durations:
    """How long the pods of jobs run, by patterns of their names, the first that matches; and those of all others."""

    rules: Mapping[str, Distribution] = field(default_factory=dict)
    default: Distribution = _USUAL
    written_default: str = _USUALLY
    origin: Origin | None = None

    @cached_property
    def _patterns(self) -> list[tuple[Any, Distribution]]:
        return [(pattern_of(text), each) for text, each in self.rules.items()]

    def of(self, job: str) -> Distribution | None:
        """Return what the file says of a job; None where no pattern matches its namespace/name."""
        return next((each for pattern, each in self._patterns if pattern.match(job)), None)

    def unused(self, jobs: Sequence[str]) -> Iterator[Diagnostic]:
        """Yield a note on each pattern that matches no job: a name that is misspelt would change nothing in silence."""
        guesser = Guesser(jobs)
        for text in self.rules:
            if self.origin is not None and not any(map(pattern_of(text).match, jobs)):
                message = f"no job of the snapshot matches {text!r}"
                note = self.origin.key_diagnostic(UNUSED_DURATION, message, (text,), hint=guesser.hint(text))
                yield structs.replace(note, severity="note")


def read_durations(path: str, stdin: BinaryIO | None = None) -> Durations:
    """Read a YAML mapping from patterns of jobs to how long their pods run.

    Raises:
        InputErrors: it is none, or some of it stands for no duration.
    """
    problems = Problems()
    source = read_source(path, stdin, problems)
    found = [
        (value, Origin(document, inner))
        for document in (documents(source, problems) if source is not None else ())
        for inner, value in document.values(problems, lambda _: None)
    ]
    problems.raise_errors()
    expected = "expected one mapping from jobs to durations, such as 'ml/train-*: 6h'"
    if len(found) != 1:
        raise InputErrors([Diagnostic(code="wrong-type", severity="error", message=expected, file=path)])
    [(value, origin)] = found
    if not isinstance(value, Mapping):
        raise InputErrors([origin.diagnostic("wrong-type", expected)])
    rules = {}
    for key, given in value.items():
        try:
            rules[str(key)] = parse_distribution(given)
        except DistributionError as error:
            problems.add(origin.diagnostic("invalid-value", error.message, (key, *error.path), hint=error.hint))
    problems.raise_errors()
    return Durations(rules, origin=origin)


class Lengths:
    """How long the pods of a workload run, found pod by pod, and where that is known from."""

    def __init__(
        self,
        durations: Durations,
        start: Manifests,
        pods: Sequence[k8s.Pod],
        names: Mapping[str, JobName],
        now: datetime,
        *,
        history: Sequence[Manifests] = (),
    ) -> None:
        """Take a snapshot, all pods that there are once controllers have acted, what jobs are called, and the time.

        What pods like them took is known from the snapshot, and from the earlier dumps of a history.
        """
        self.durations = durations
        self.names = names
        self.now = now
        self._pods = pods
        self._jobs = {job.metadata.key: job for job in start.jobs}
        self._counts: Counter[Source] = Counter()
        self._overdue: Counter[Source] = Counter()
        self._timed = 0
        self._ended: defaultdict[Alike, list[float]] = defaultdict(list)
        for alike, seconds in ran([*history, replace(start, pods=[*pods], newest_timestamp=now)]):
            self._ended[alike].append(seconds)

    def given_to(self, workload: Workload, named: Mapping[str, Present]) -> Workload:
        """Return a workload whose pods run as long as this says; `named` is what its scenarios say of it."""
        present = dict(workload.present)
        groups: defaultdict[str, list[k8s.Pod]] = defaultdict(list)
        for pod in self._pods:
            if pod.status.phase in k8s.ENDED_PHASES:
                continue
            if pod.spec.scheduler_name == SCHEDULER_NAME:
                groups[f"{pod.metadata.namespace}/{group_name_of(pod)}"].append(pod)
            elif is_running(pod):
                self._counts["other-scheduler"] += 1
        for key, pods in groups.items():
            known = present.get(key, Present())
            own = self._present(key, pods, named.get(key, Present()))
            present[key] = replace(known, timing=own.timing, remaining=own.remaining)
        for key, known in present.items():
            job = known.job if key in self.names else None
            if job is not None and (roles := [task.name for task in job.spec.tasks if task.name not in known.timing]):
                present[key] = replace(known, timing={**known.timing, **self.of_arriving(job, {}, only=roles)})
        arrivals = tuple(map(self.arriving, workload.arrivals))
        return replace(workload, present=present, arrivals=arrivals)

    def _present(self, group: str, pods: Iterable[k8s.Pod], known: Present) -> Present:
        timing, remaining = dict(known.timing), {}
        for pod in pods:
            role = role_of(pod.metadata)
            said = timing_of(role, known.timing)
            start = began(pod) if is_running(pod) else None
            # A scenario says how long its running pods still have.
            age = max((self.now - start).total_seconds(), 0.0) if start is not None and said.duration is None else 0.0
            source, whole = self._of_pod(group, pod, said, age)
            limit = self._limit(pod)
            left = limit - age
            job = self._job_of(pod)
            if job is not None and job.spec.active_deadline_seconds is not None:
                since = job.status.start_time or start
                gone = (self.now - since).total_seconds() if since is not None else 0.0
                left = min(left, job.spec.active_deadline_seconds - gone)
            self._counts[source] += 1
            if whole is None:
                timing[role] = replace(said, duration=None)
                continue
            rest = Remaining.after(whole, age, max(left, 0.0))
            self._overdue[source] += rest.is_overdue
            timing[role] = replace(said, duration=Together(Remaining.after(whole, 0.0, limit), group))
            if is_running(pod):
                remaining[pod.metadata.key] = Together(rest, group)
                self._timed += start is not None
        return Present(timing=timing, remaining=remaining)

    def _of_pod(self, group: str, pod: k8s.Pod, said: Timing, age: float) -> tuple[Source, Distribution | None]:
        """Return how long a pod runs in all, None for without end, and what says so."""
        source, found = self._of_job(self.names[group].display if group in self.names else group, said)
        if found is not None:
            return source, found
        if Life(pod, 0).is_service:
            return "service", None
        # Times that the pod has outlived say nothing of it.
        outlasting = Counter(seconds for seconds in self._ended[alike_of(pod)] if seconds > age)
        if outlasting:
            return "history", Empirical.of(outlasting)
        limit = self._limit(pod)
        return ("limit", Fixed(limit)) if limit < inf else ("default", self.durations.default)

    def _of_job(self, job: str, said: Timing) -> tuple[Source, Distribution | None]:
        rule = self.durations.of(job)
        return ("durations", rule) if rule is not None else ("scenario", said.duration)

    def _limit(self, pod: k8s.Pod) -> float:
        """Return after how many seconds a pod, or the Job of Kubernetes that it is of, is ended at the latest."""
        job = self._job_of(pod)
        given = (pod.spec.active_deadline_seconds, job.spec.active_deadline_seconds if job is not None else None)
        return float(min((each for each in given if each is not None), default=inf))

    def _job_of(self, pod: k8s.Pod) -> k8s.Job | None:
        key = batch_job_of(pod.metadata)
        return None if key is None else self._jobs.get(key)

    def arriving(self, arrival: Arrival) -> Arrival:
        """Return a job of which no pod has been made yet with how long its pods run."""
        job = arrival.job
        if not isinstance(job, k8s.VolcanoJob):
            return arrival
        return replace(arrival, timing=self.of_arriving(job, arrival.timing))

    def of_arriving(
        self, job: k8s.VolcanoJob, known: Mapping[str, Timing], like: str = "", only: Container[str] | None = None
    ) -> Mapping[str, Timing]:
        """Return how long the pods of a job run that has none yet, by role, by the rule for one that it is `like`."""
        timing = dict(known)
        for task in job.spec.tasks:
            if only is not None and task.name not in only:
                continue
            said = timing_of(task.name, known)
            seconds = task.template.spec.active_deadline_seconds
            limit = inf if seconds is None else float(seconds)
            source, whole = self._of_job(like or job.metadata.key, said)
            if whole is None:
                source, whole = ("limit", Fixed(limit)) if limit < inf else ("default", self.durations.default)
            self._counts[source] += 0 if like else task.replicas
            duration = Together(Remaining.after(whole, 0.0, limit), job.metadata.key)
            timing[task.name] = replace(said, duration=duration)
        return timing

    def assumptions(self) -> Iterator[Assumption]:
        """Yield what was assumed of pods; what most is known of comes first."""
        file = self.durations.origin.document.source.name if self.durations.origin is not None else ""
        texts: dict[Source, str] = {
            "durations": f"run as long as {file} says",
            "scenario": "run as long as the snapshot says",
            "limit": "run until their limit, activeDeadlineSeconds",
            "history": "run as long as others of their job that have ended",
            "service": "of services run without end",
            "other-scheduler": "of other schedulers run without end",
            "default": f"run for {self.durations.written_default}, as nothing says how long: --default-duration",
        }
        for source, text in texts.items():
            pods, overdue = self._counts[source], self._overdue[source]
            late = f"; {overdue:,} of them longer than that already, and taken to end now" if overdue else ""
            if pods:
                said = f"{count(pods, 'pod')} {text if pods > 1 else text.replace('run ', 'runs ', 1)}{late}"
                yield Assumption(source=source, pods=pods, overdue=overdue, text=said)
        if self._timed:
            said = (
                f"{count(self._timed, 'pod')} began to run at any moment of the second that the snapshot has for that"
            )
            yield Assumption(source="clock", pods=self._timed, overdue=0, text=said)


def with_durations(workload: Workload, start: Manifests, durations: Durations) -> tuple[Workload, list[Diagnostic]]:
    """Return a workload of which the jobs that a file names run as long as it says, and notes on unused patterns."""
    names = job_names(start)
    present = {uid: name for uid, name in names.items() if durations.of(name.display) is not None}
    arriving = {each.job.metadata.key for each in workload.arrivals if isinstance(each.job, k8s.VolcanoJob)}
    pods = [pod for pod in start.pods if f"{pod.metadata.namespace}/{group_name_of(pod)}" in present]
    lengths = Lengths(durations, workload.start, pods, present, workload.begin)
    arrivals = [
        lengths.arriving(each)
        if isinstance(each.job, k8s.VolcanoJob) and durations.of(each.job.metadata.key) is not None
        else each
        for each in workload.arrivals
    ]
    made = lengths.given_to(replace(workload, arrivals=()), workload.present)
    unused = durations.unused([*(name.display for name in names.values()), *arriving])
    return replace(made, arrivals=tuple(arrivals)), list(unused)
