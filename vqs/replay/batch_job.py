"""Jobs of Kubernetes over time: pods that follow those that have succeeded, and how many failures end a Job.

A pod that is evicted counts as failed. After a failure the controller makes no pod for 10 seconds, and twice as long
after each further one, until a pod succeeds. Indexed Jobs may count failures for each index by itself: then an index
that fails too often is given up, and others go on. References: pkg/controller/job (job_controller.go,
indexed_job_utils.go, backoff_utils.go, pod_failure_policy.go, success_policy.go) in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Literal

from msgspec import structs

from vqs.model import kubernetes as k8s
from vqs.model.quantity import whole_number
from vqs.snapshot.controllers.names import suffix
from vqs.snapshot.controllers.workloads import (
    COMPLETION_INDEX,
    completions_of,
    free_indexes,
    ranges,
    succeeded_of,
)
from vqs.snapshot.controllers.world import batch_job_of, is_active
from vqs.snapshot.whatif.owners import fresh

SYNC_PERIOD = 1.0
"""How long the controller gathers what happens to pods of a Job before it looks at them, in seconds."""

_BACK_OFF = 10.0
_MOST_BACK_OFF = 600.0
_BACKOFF_LIMIT = 6
"""How many failures a Job outlives that does not say."""

_FAILURES = "batch.kubernetes.io/job-index-failure-count"
"""The annotation of a pod that says how often its index has failed before."""

Index = int | None
"""What pods of a Job work on; None where all work on the same."""


@dataclass(slots=True)
class BatchJob:
    """A Job of Kubernetes.

    Attributes:
        spec: what is asked for.
        pending: the indexes that have no pod yet, or None for each completion without one.
        limit: how many more failures it outlives.
        takes_all: whether it is done with the first success, as a Job without a number of completions is.
        succeeded: the indexes that have succeeded.
        failed: those that have failed too often.
        counted: how often pods have failed by index, where each has a limit.
        in_a_row: how many pods have failed since one has succeeded, or by index.
        last_failure: when the last one did, in seconds.
        made: how many pods it has had that followed others.
        has_succeeded: whether a pod has.
        rules: those of its successPolicy: the indexes that each names, none standing for all, and how many more have to
            succeed.
    """

    spec: k8s.JobSpec
    pending: list[Index]
    limit: float
    takes_all: bool
    succeeded: set[Index]
    failed: set[Index]
    counted: Counter[Index]
    in_a_row: Counter[Index] = field(default_factory=Counter)
    last_failure: dict[Index, float] = field(default_factory=dict)
    made: int = 0
    has_succeeded: bool = False
    rules: list[tuple[frozenset[Index], int]] = field(default_factory=list)

    @classmethod
    def of(cls, job: k8s.Job, pods: Sequence[k8s.Pod]) -> BatchJob:
        """Take up a Job where it stands, with all pods that it has made."""
        spec, succeeded, completions = job.spec, succeeded_of(job, pods), completions_of(job)
        limit = float(_BACKOFF_LIMIT if spec.backoff_limit is None else spec.backoff_limit) - job.status.failed
        by_index = spec.backoff_limit_per_index is not None
        pending: list[Index] = [None] * ((completions or 0) - succeeded - sum(map(is_active, pods)))
        indexes: set[Index] = {index for each in ranges(job.status.completed_indexes) for index in each}
        indexes |= {_index_of(pod) for pod in pods if pod.status.phase == "Succeeded"}
        counted = Counter[Index]()
        for pod in pods:
            before = whole_number(pod.metadata.annotations.get(_FAILURES, ""))
            so_far = (before or 0) + (pod.status.phase == "Failed")
            counted[_index_of(pod)] = max(counted[_index_of(pod)], so_far)
        return cls(
            spec=spec,
            pending=[*free_indexes(job, pods)] if spec.completion_mode == "Indexed" else pending,
            limit=inf if by_index and spec.backoff_limit is None else limit,
            takes_all=completions is None,
            succeeded=indexes,
            failed={index for each in ranges(job.status.failed_indexes) for index in each},
            counted=counted,
            in_a_row=Counter(counted) if by_index else Counter(),
            has_succeeded=succeeded > 0,
            rules=[_needs(rule, indexes) for rule in spec.success_policy.rules],
        )

    def succeeds(self, pod: k8s.Pod) -> None:
        """Note that a pod has succeeded."""
        self.in_a_row[self._key(pod)], self.has_succeeded = 0, True
        index = _index_of(pod)
        if index not in self.succeeded:
            self.succeeded.add(index)
            self.rules = [(named, left - (not named or index in named)) for named, left in self.rules]

    def following(self, pod: k8s.Pod, uid: str) -> k8s.Pod:
        """Return the next pod of those that have none yet, made like another one of the Job."""
        index = self.pending.pop(0)
        self.made += 1
        owner = pod.metadata.name.rpartition("-")[0]
        if index is None:
            return fresh(pod, f"{owner}-{suffix(uid, self.made)}")
        made = fresh(pod, f"{owner.rpartition('-')[0]}-{index}-{suffix(uid, self.made)}")
        own = {COMPLETION_INDEX: str(index)}
        metadata = structs.replace(
            made.metadata, labels=made.metadata.labels | own, annotations=made.metadata.annotations | own
        )
        return structs.replace(made, metadata=metadata)

    def fails(self, pod: k8s.Pod, exit_code: int | None, now: float) -> Literal["job", "index", ""]:
        """Note that a pod has failed, or was deleted before it had ended (no exit code); return what that ends."""
        rules = self.spec.pod_failure_policy.rules
        action = next((rule.action for rule in rules if _matches(rule, exit_code)), "Count")
        index, of_each = _index_of(pod), self.spec.backoff_limit_per_index
        if action == "Ignore" and of_each is None:
            return ""
        self.in_a_row[self._key(pod)] += 1
        self.last_failure[self._key(pod)] = now
        if action == "Ignore":
            return ""
        self.limit -= 1
        self.counted[index] += 1
        if action == "FailJob" or self.limit < 0:
            return "job"
        if of_each is None or (action != "FailIndex" and self.counted[index] <= of_each):
            return ""
        self.failed.add(index)
        most = self.spec.max_failed_indexes
        return "job" if most is not None and len(self.failed) > most else "index"

    def next_pod(self, pod: k8s.Pod) -> float:
        """Return when a pod may be made again at the earliest, in seconds."""
        failures = self.in_a_row[self._key(pod)]
        wait = min(_BACK_OFF * 2.0 ** (failures - 1), _MOST_BACK_OFF) if failures else 0.0
        return self.last_failure.get(self._key(pod), -inf) + wait

    def _key(self, pod: k8s.Pod) -> Index:
        """What failures are counted by that make the controller wait."""
        return None if self.spec.backoff_limit_per_index is None else _index_of(pod)


def _needs(rule: k8s.SuccessPolicyRule, succeeded: set[Index]) -> tuple[frozenset[Index], int]:
    """Return the indexes that a rule names, and how many more of them have to succeed than have."""
    named = frozenset[Index](index for each in ranges(rule.succeeded_indexes) for index in each)
    hits = len(succeeded & named) if named else len(succeeded)
    return named, (len(named) if rule.succeeded_count is None else rule.succeeded_count) - hits


def _index_of(pod: k8s.Pod) -> Index:
    return whole_number(pod.metadata.annotations.get(COMPLETION_INDEX, ""))


def batch_jobs(jobs: Iterable[k8s.Job], pods: Iterable[k8s.Pod]) -> dict[str, BatchJob]:
    """Return the Jobs of Kubernetes that pods are of, by the namespace/name of the pod."""
    there = {job.metadata.key: job for job in jobs}
    of_job: defaultdict[str, list[k8s.Pod]] = defaultdict(list)
    for pod in pods if there else ():
        key = batch_job_of(pod.metadata)
        if key in there:
            of_job[key].append(pod)
    made = {key: BatchJob.of(there[key], owned) for key, owned in of_job.items()}
    return {pod.metadata.key: batch for key, batch in made.items() for pod in of_job[key]}


def _matches(rule: k8s.PodFailurePolicyRule, exit_code: int | None) -> bool:
    """True if a rule is for an exit code; those for conditions are not: an eviction by the scheduler sets none."""
    if rule.on_exit_codes is None or not exit_code:
        return False
    return (exit_code in rule.on_exit_codes.values) == (rule.on_exit_codes.operator == "In")
