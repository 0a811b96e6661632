"""The report on pods without a PodGroup, as they ask for another scheduler; they are no job, and known by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
from vqs.snapshot.reading.kinds import group_of
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import SetValue, apply


@dataclass(frozen=True, slots=True)
class PodsOfOthers:
    """Pods that ask for another scheduler and have no node: those of one controller, or one that nothing controls.

    Attributes:
        called: their namespace and name, and the kind where other such pods have the same.
        names: what they may be named by without a namespace: each pod's name, and those of all that is above it.
        pods: the pods.
        maker: the topmost controller; None where nothing controls them.
    """

    called: str
    names: frozenset[str]
    pods: Sequence[k8s.Pod]
    maker: Owner | None

    @property
    def name(self) -> str:
        """What they are called together, in their namespace."""
        return self.pods[0].metadata.name if self.maker is None else self.maker.name

    @property
    def why(self) -> str:
        """Say whose they are."""
        names = first_names([*dict.fromkeys(each.spec.scheduler_name or DEFAULT_SCHEDULER for each in self.pods)])
        who = "its pod asks" if len(self.pods) == 1 else f"its {len(self.pods):,} pods ask"
        return (
            f"{who if self.maker else 'it asks'} for the scheduler {names}, and Volcano looks only at pods with "
            f"{SCHEDULER} {SCHEDULER_NAME}"
        )


def pods_of_others(manifests: Manifests) -> list[PodsOfOthers]:
    """Return the pods that are left to other schedulers, those with the same topmost controller together."""
    owners = Owners(manifests)
    found: dict[tuple[str, str, str, str], tuple[list[k8s.Pod], set[str], Owner | None]] = {}
    for pod in manifests.pods:
        metadata = pod.metadata
        if pod.spec.scheduler_name == SCHEDULER_NAME or pod.spec.node_name or pod.status.phase not in ("", "Pending"):
            continue
        above = [*owners.above(metadata)]
        top = above[-1] if above else k8s.OwnerReference("v1", "Pod", metadata.name)
        maker = Owner(api_version=top.api_version, kind=top.kind, name=top.name) if above else None
        key = metadata.namespace, top.name, group_of(top.api_version), top.kind
        pods, names, _ = found.setdefault(key, ([], set(), maker))
        pods.append(pod)
        names |= {metadata.name, *(each.name for each in above)}
    shared = Counter(key[:2] for key in found)
    return [
        PodsOfOthers(
            f"{namespace}/{name} ({kind})" if shared[namespace, name] > 1 else f"{namespace}/{name}",
            frozenset(names),
            pods,
            maker,
        )
        for (namespace, name, _, kind), (pods, names, maker) in found.items()
    ]


def called(name: str, pods: Iterable[PodsOfOthers]) -> list[PodsOfOthers]:
    """Return those that a name stands for, with or without a namespace."""
    namespace, _, short = name.rpartition("/")
    return [
        each
        for each in pods
        if name in (each.called, each.called.partition("/")[2])
        or (short in each.names and namespace in ("", each.pods[0].metadata.namespace))
    ]


def report_on_others(manifests: Manifests, options: SimulateOptions, others: PodsOfOthers) -> JobReport:
    """Report on pods that are left to another scheduler."""
    finished, namespace = run_session(manifests, options), others.pods[0].metadata.namespace
    code = VerdictCode.OTHER_SCHEDULER
    verdict = Verdict(code=code.value, text=others.why)
    blocker = Blocker(code=code.value, owner=VERDICT_RULES[code].owner, tasks=len(others.pods), text=others.why)
    job = JobResult(
        namespace=namespace,
        name=others.name,
        display_name=others.called,
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
        tasks=tasks,
        answer=f"{others.called} is not scheduled by Volcano: {others.why}.",
        blockers=[blocker],
        blocked_at="valid",
        cause=verdict,
        scheduling_order=SchedulingOrder(queues=[], jobs=[]),
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
