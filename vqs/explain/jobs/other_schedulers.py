"""The report on pods without a PodGroup, as they ask for another scheduler; they are no job, and known by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vqs.explain.assemble import diagnostics, session_info
from vqs.explain.jobs.outcome import JobReport, SchedulingOrder
from vqs.explain.outcome import Blocker, JobResult, TaskResult, Verdict
from vqs.explain.pods_of_others import PodsOfOthers
from vqs.explain.simulate import SimulateOptions, run_session
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.model.codes import VerdictCode
from vqs.model.job import Job
from vqs.model.keys import SCHEDULER_NAME
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.whatif.edits import SetValue, apply


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
    edits = [SetValue("pod", *each, ("spec", "schedulerName"), SCHEDULER_NAME) for each in names]
    try:
        session = run_session(apply(manifests, edits), replace(options, cache=None)).session
    except InputErrors:
        return None
    jobs = session.jobs.values()
    return next(
        (job for job in jobs if not keys.isdisjoint(task.pod.metadata.key for task in job.tasks.values())), None
    )
