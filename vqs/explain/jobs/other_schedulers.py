"""The report on pods without a PodGroup, as they ask for another scheduler; they are no job, and known by name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Final

from vqs.explain.assemble import diagnostics, session_info
from vqs.explain.jobs.outcome import JobReport, SchedulingOrder
from vqs.explain.jobs.own_fields import SCHEDULER
from vqs.explain.outcome import Blocker, JobResult, Owner, TaskResult, Verdict
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model import kubernetes as k8s
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.keys import DEFAULT_SCHEDULER, SCHEDULER_NAME
from vqs.model.wording import first_names
from vqs.snapshot.controllers.job_names import Owners
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import SetValue, apply

_PATCHED: Final = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController")
"""What creates pods by a template that can be changed."""


@dataclass(frozen=True, slots=True)
class PodsOfOthers:
    """Pods that ask for another scheduler and have no node, and what creates them; None where nothing does."""

    pods: Sequence[k8s.Pod]
    maker: Owner | None

    @property
    def name(self) -> str:
        """What they are called together."""
        return self.pods[0].metadata.name if self.maker is None else self.maker.name

    @property
    def _how(self) -> str:
        """Say how they get to Volcano."""
        if self.maker is None:
            return f"Create it anew with {SCHEDULER}: {SCHEDULER_NAME}"
        kind, namespace = self.maker.kind, self.pods[0].metadata.namespace
        if kind not in _PATCHED:
            return f"Set {SCHEDULER}: {SCHEDULER_NAME} in the pod template of {kind} {namespace}/{self.name}"
        patch = json.dumps({"spec": {"template": {"spec": {SCHEDULER: SCHEDULER_NAME}}}})
        return (
            f"Set {SCHEDULER}: {SCHEDULER_NAME} in the pod template: "
            f"kubectl patch {kind.lower()} {self.name} -n {namespace} --type merge -p {quote(patch)}"
        )

    @property
    def why(self) -> str:
        """Say whose they are."""
        names = first_names([*dict.fromkeys(each.spec.scheduler_name or DEFAULT_SCHEDULER for each in self.pods)])
        who = "its pod asks" if len(self.pods) == 1 else f"its {len(self.pods):,} pods ask"
        return (
            f"{who if self.maker else 'it asks'} for the scheduler {names}, and Volcano looks only at pods with "
            f"{SCHEDULER} {SCHEDULER_NAME}"
        )

    def answer(self) -> str:
        """Say what becomes of them, why, and how that changes."""
        return f"{self.pods[0].metadata.namespace}/{self.name} is not scheduled by Volcano: {self.why}. {self._how}."


def pods_of_others(manifests: Manifests, name: str) -> PodsOfOthers | None:
    """Return the pods of other schedulers that a name stands for, by their own or of what creates them."""
    owners = Owners(manifests)
    found: list[k8s.Pod] = []
    top: Owner | None = None
    for pod in manifests.pods:
        metadata = pod.metadata
        if pod.spec.scheduler_name == SCHEDULER_NAME or pod.spec.node_name or pod.status.phase not in ("", "Pending"):
            continue
        above = [*owners.above(metadata)]
        called = [metadata.name, *(each.name for each in above)]
        if name in (*called, *(f"{metadata.namespace}/{each}" for each in called)):
            found.append(pod)
            maker = above[-1] if above else None
            top = maker and Owner(api_version=maker.api_version, kind=maker.kind, name=maker.name)
    return PodsOfOthers(found, top) if found else None


def report_on_others(manifests: Manifests, options: SimulateOptions, others: PodsOfOthers) -> JobReport:
    """Report on pods that are left to another scheduler."""
    finished, namespace = run_session(manifests, options), others.pods[0].metadata.namespace
    code = VerdictCode.OTHER_SCHEDULER
    verdict = Verdict(code=code.value, text=others.why)
    blocker = Blocker(code=code.value, owner=VERDICT_RULES[code].owner, tasks=len(others.pods), text=others.why)
    job = JobResult(
        namespace=namespace,
        name=others.name,
        display_name=f"{namespace}/{others.name}",
        owner=others.maker,
        queue="",
        min_available=1,
        priority=0,
        phase_before="",
        phase="",
        decision="not-considered",
        ready=0,
        tasks=len(others.pods),
        verdict=verdict,
        blockers=[blocker],
    )
    tasks = [
        TaskResult(
            namespace=namespace,
            name=pod.metadata.name,
            job=others.name,
            queue="",
            status_before="Pending",
            status="Pending",
            verdict=verdict,
        )
        for pod in others.pods
    ]
    return JobReport(
        volcano=finished.session.profile.name,
        scenario=options.scenario,
        session=session_info(finished.session),
        job=job,
        queue_path=[],
        tasks=tasks,
        answer=others.answer(),
        blockers=[blocker],
        outlook=None,
        blocked_at="valid",
        cause=verdict,
        cause_task="",
        admission=None,
        scheduling_order=SchedulingOrder(queues=[], jobs=[]),
        attempts=[],
        hyper_nodes=[],
        eviction_actions=[],
        searches=[],
        evictions=[],
        fix_search=None,
        diagnostics=diagnostics(finished.session, finished.manifests),
    )


def job_of_others(manifests: Manifests, options: SimulateOptions, others: PodsOfOthers) -> Job | None:
    """Return the job that the pods become once they ask for Volcano; None where they become none."""
    keys = {pod.metadata.key for pod in others.pods}
    names = [(each.metadata.namespace, each.metadata.name) for each in others.pods]
    edits = [SetValue("pod", *each, ("spec", SCHEDULER), SCHEDULER_NAME) for each in names]
    try:
        session = run_session(apply(manifests, edits), replace(options, cache=None)).session
    except InputErrors:
        return None
    jobs = session.jobs.values()
    return next(
        (job for job in jobs if not keys.isdisjoint(task.pod.metadata.key for task in job.tasks.values())), None
    )
