"""Who is found to use queues."""

from __future__ import annotations

from datetime import UTC, datetime

from vqs.config.scheduler_conf import built_in_configuration
from vqs.lint.queue_users import queue_users
from vqs.lint.rule import LintContext
from vqs.model.keys import GROUP_NAME, GROUP_QUEUE
from vqs.model.kubernetes import (
    Deployment,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodGroup,
    PodGroupSpec,
    PodGroupStatus,
    PodSpec,
    PodTemplateSpec,
    VolcanoJob,
    VolcanoJobSpec,
    VolcanoJobState,
    VolcanoJobStatus,
    WorkloadSpec,
)
from vqs.snapshot.reading.manifests import Manifests


def users(manifests: Manifests) -> dict[str, str]:
    """Return the users of queues with their queues."""
    context = LintContext(manifests, built_in_configuration(), datetime(2026, 1, 1, tzinfo=UTC))
    return {user.what: user.queue for user in queue_users(context)}


def pod(name: str, annotations: dict[str, str], *, scheduler: str = "volcano", owner: str = "") -> Pod:
    """Return a pod that waits for a scheduler."""
    owners = [OwnerReference(kind="ReplicaSet", name=owner, controller=True)] if owner else []
    metadata = ObjectMeta(name, namespace="ml", annotations=annotations, owner_references=owners)
    return Pod(metadata, PodSpec(scheduler_name=scheduler))


def test_jobs_and_pod_groups() -> None:
    """What names no queue is on the default one; a PodGroup that belongs to a Job is not told apart from it."""
    owner = OwnerReference(api_version="batch.volcano.sh/v1alpha1", kind="Job", name="train", controller=True)
    manifests = Manifests(
        volcano_jobs=[VolcanoJob(ObjectMeta("train", namespace="ml"), VolcanoJobSpec(queue="research"))],
        pod_groups=[
            PodGroup(ObjectMeta("train-1", namespace="ml", owner_references=[owner]), PodGroupSpec(queue="research")),
            PodGroup(ObjectMeta("train-2", namespace="etl", owner_references=[owner]), PodGroupSpec(queue="")),
        ],
    )
    assert users(manifests) == {"Job ml/train": "research", "the PodGroup of etl/train": "default"}


def test_annotations() -> None:
    """An annotation counts on pods that Volcano will make a PodGroup for, and once for pods made alike."""
    queue = {GROUP_QUEUE: "research"}
    manifests = Manifests(
        pods=[
            pod("alone", queue),
            pod("web-1", queue, owner="web"),
            pod("web-2", queue, owner="web"),
            pod("grouped", queue | {GROUP_NAME: "group"}),
            pod("other", queue, scheduler="default-scheduler"),
            pod("unnamed", {}),
        ],
        deployments=[
            Deployment(
                ObjectMeta("shop", namespace="ml"),
                WorkloadSpec(
                    template=PodTemplateSpec(ObjectMeta(annotations=queue), PodSpec(scheduler_name="volcano"))
                ),
            )
        ],
    )
    assert users(manifests) == {
        "pod ml/alone": "research",
        "pod ml/web-1": "research",
        "Deployment ml/shop": "research",
    }


def test_how_far_they_are() -> None:
    """What runs does not wait any more, and what is over is over."""
    phases = ("", "Pending", "Inqueue", "Running", "Completed")
    manifests = Manifests(
        volcano_jobs=[VolcanoJob(ObjectMeta("job"), status=VolcanoJobStatus(VolcanoJobState("Aborted")))],
        pod_groups=[PodGroup(ObjectMeta(phase or "new"), status=PodGroupStatus(phase)) for phase in phases],
    )
    context = LintContext(manifests, built_in_configuration(), datetime(2026, 1, 1, tzinfo=UTC))
    found = {user.what.rpartition("/")[2]: (user.waits, user.ended) for user in queue_users(context)}
    assert found == {
        "job": (False, True),
        "new": (True, False),
        "Pending": (True, False),
        "Inqueue": (True, False),
        "Running": (False, False),
        "Completed": (False, True),
    }
