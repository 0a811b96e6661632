"""A hand-made result that holds one of everything a report has to show."""

from __future__ import annotations

import pytest

from vqs.explain.outcome import (
    Amounts,
    DiagnosticResult,
    FitErrorResult,
    JobResult,
    OperationResult,
    QueueClosed,
    QueueOpened,
    QueueResult,
    SessionInfo,
    Simulation,
    StatementResult,
    TaskResult,
    Timing,
    Verdict,
)
from vqs.explain.words import tell_of_jobs

GIB = 2.0**30
NO_GPU = "0/3 nodes are unavailable: 2 Insufficient [gpu], 1 node(s) had untolerated taint {dedicated: infra}."


def queue(name: str, weight: int, before: Amounts, after: Amounts, share: tuple[float, float]) -> QueueResult:
    """Return a queue that deserves 28 cores and asks for more."""
    return QueueResult(
        name=name,
        weight=weight,
        priority=0,
        state="Open",
        reclaimable=True,
        opened=QueueOpened(
            deserved={"cpu": 28.0, "memory": 13 * GIB, "[gpu]": 2.0},
            allocated=before,
            request={"cpu": 40.5, "memory": 20 * GIB, "[gpu]": 8.0},
            inqueue={"cpu": 0.1},
            elastic={},
            capability={},
            real_capability={"cpu": 96.0, "memory": None},
            guarantee={},
            share=share[0],
        ),
        closed=QueueClosed(allocated=after, inqueue={}, share=share[1], overused=share[1] >= 1),
    )


def task(job: str, name: str, status: str, node: str | None = None, tied: int | None = None) -> TaskResult:
    """Return a task that was pending."""
    return TaskResult(
        namespace="ml",
        name=name,
        job=job,
        role="worker",
        queue="research",
        status_before="Pending",
        status=status,
        node=node,
        tied_nodes=tied,
    )


def refused(job: str, name: str) -> TaskResult:
    """Return a task that fits nowhere."""
    result = task(job, name, "Pending")
    result.message = NO_GPU
    result.fit_errors = FitErrorResult(nodes=3, reasons={"Insufficient [gpu]": 2})
    result.verdict = Verdict(
        code="no-node-fits",
        action="allocate",
        plugin="predicates",
        queue="research",
        resource="[gpu]",
        need=4.0,
        have=2.0,
        text="no node has 4 [gpu] free; the closest, gpu-1, has 2",
        log="Predicates failed",
        verbosity=3,
    )
    return result


def orphan(name: str) -> TaskResult:
    """Return a pod without a PodGroup."""
    result = task("", name, "Pending")
    result.verdict = Verdict(code="no-pod-group", text="belongs to no PodGroup")
    return result


@pytest.fixture
def lonely_pods() -> list[TaskResult]:
    """Return two pods that belong to no job."""
    return [orphan("lonely-0"), orphan("lonely-1")]


@pytest.fixture
def result() -> Simulation:
    """Return a session of two jobs: one gang that is placed, one that is not."""
    placed = [task("llama-finetune", f"llama-finetune-worker-{i}", "Binding", "gpu-1", 2) for i in range(2)]
    waiting = [refused("diffusion:warning:train", f"diffusion:warning:train-{i}") for i in range(2)]
    made = Simulation(
        volcano="1.14",
        scenario="cluster.yaml",
        session=SessionInfo(
            actions=["enqueue", "allocate", "backfill"],
            tiers=[["priority", "gang"], ["predicates", "proportion"]],
            now="2026-11-21T12:00:00Z",
            seed=None,
            nodes=3,
            queues=2,
            jobs=2,
            tasks=4,
            total_resource={"cpu": 96.0, "memory": 1.5e17, "[gpu]": 4.0},
            configuration="built-in",
        ),
        queues=[
            queue("research", 2, {}, {"cpu": 28.0, "memory": 6.5 * GIB, "[gpu]": 2.0}, (0.0, 1.0)),
            queue("adhoc", 1, {"cpu": 7.0}, {"cpu": 7.0}, (0.25, 0.25)),
        ],
        jobs=[
            JobResult(
                namespace="ml",
                name="llama-finetune",
                queue="research",
                min_available=2,
                priority=0,
                phase_before="Pending",
                phase="Running",
                decision="committed",
                ready=2,
                tasks=2,
            ),
            JobResult(
                namespace="ml",
                name="diffusion:warning:train",
                queue="research",
                min_available=2,
                priority=0,
                phase_before="Pending",
                phase="Inqueue",
                decision="discarded",
                ready=0,
                tasks=2,
                unschedulable="2/2 tasks in gang unschedulable: pod group is not ready, 2 Pending, 2 minAvailable",
            ),
        ],
        tasks=placed + waiting,
        trace=[
            StatementResult(
                id=1,
                action="allocate",
                job="ml/llama-finetune",
                result="commit",
                operations=[OperationResult(op="allocate", task="ml/llama-finetune-worker-0", node="gpu-1")],
            )
        ],
        diagnostics=[
            DiagnosticResult(
                code="unknown-plugin",
                severity="warning",
                message="the plugin 'gagn' does not exist; it is skipped",
                file="cluster.yaml",
                line=12,
                column=15,
                path="$.tiers[0].plugins[1].name",
                help="did you mean 'gang'?",
            )
        ],
        timing=Timing(parse=0.0125, load=0.5, open=0.25, actions={"allocate": 1.0}, session=1.25, report=0.0),
    )
    return tell_of_jobs(made)
