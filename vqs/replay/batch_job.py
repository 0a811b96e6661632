"""Jobs of Kubernetes over time: pods that follow those that have succeeded, and how many failures end a Job.

A pod that is evicted counts as failed. After a failure the controller makes no pod for 10 seconds, and twice as long
after each further one, until a pod succeeds. References: pkg/controller/job (job_controller.go, backoff_utils.go,
pod_failure_policy.go) in kubernetes/kubernetes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from vqs.model import kubernetes as k8s
from vqs.snapshot.controllers.workloads import completions_of, succeeded_of
from vqs.snapshot.controllers.world import batch_job_of, is_active

SYNC_PERIOD = 1.0
"""How long the controller gathers what happens to pods of a Job before it looks at them, in seconds."""

_BACK_OFF = 10.0
_MOST_BACK_OFF = 600.0
_BACKOFF_LIMIT = 6
"""How many failures a Job outlives that does not say."""


@dataclass(slots=True)
class BatchJob:
    """A Job of Kubernetes.

    Attributes:
        rules: those of its podFailurePolicy, the first that matches counting.
        waiting: how many of its completions have no pod yet.
        limit: how many more failures it outlives.
        takes_all: whether it is done with the first success, as a Job without a number of completions is.
        in_a_row: how many pods have failed since one has succeeded.
        last_failure: when the last one did, in seconds.
        made: how many pods it has had that followed others.
        has_succeeded: whether a pod has.
    """

    rules: list[k8s.PodFailurePolicyRule]
    waiting: int
    limit: float
    takes_all: bool
    in_a_row: int = 0
    last_failure: float = -inf
    made: int = 0
    has_succeeded: bool = False

    @classmethod
    def of(cls, job: k8s.Job, pods: Sequence[k8s.Pod]) -> BatchJob:
        """Take up a Job where it stands, with all pods that it has made."""
        spec, succeeded, completions = job.spec, succeeded_of(job, pods), completions_of(job)
        limit = (_BACKOFF_LIMIT if spec.backoff_limit is None else spec.backoff_limit) - job.status.failed
        return cls(
            rules=spec.pod_failure_policy.rules,
            waiting=max((completions or 0) - succeeded - sum(map(is_active, pods)), 0),
            limit=inf if spec.backoff_limit_per_index is not None else limit,
            takes_all=completions is None,
            has_succeeded=succeeded > 0,
        )

    def succeeds(self) -> bool:
        """Note that a pod has succeeded; True if another one follows it."""
        self.in_a_row, self.has_succeeded = 0, True
        follows = self.waiting > 0
        self.waiting -= follows
        self.made += follows
        return follows

    def fails(self, exit_code: int | None, now: float) -> bool:
        """Note that a pod has failed, or was deleted before it had ended (no exit code); True if that ends the Job."""
        action = next((rule.action for rule in self.rules if _matches(rule, exit_code)), "Count")
        if action == "Ignore":
            return False
        self.in_a_row += 1
        self.last_failure = now
        self.limit -= 1
        return action == "FailJob" or self.limit < 0

    @property
    def next_pod(self) -> float:
        """When the next pod may be made at the earliest, in seconds."""
        wait = min(_BACK_OFF * 2.0 ** (self.in_a_row - 1), _MOST_BACK_OFF) if self.in_a_row else 0.0
        return self.last_failure + wait


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
