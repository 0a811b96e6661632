"""Who uses queues: Jobs, PodGroups, and the pods and templates that name a queue in an annotation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vqs.lint.pod_sources import pod_sources
from vqs.lint.rule import LintContext, Place, once
from vqs.model import kubernetes as k8s
from vqs.model.keys import DEFAULT_QUEUE, GROUP_NAME, GROUP_QUEUE, SCHEDULER_NAME
from vqs.snapshot.controllers.world import controller_of, is_active

_QUEUE: Final = ("spec", "queue")
_ANNOTATION: Final = ("metadata", "annotations", GROUP_QUEUE)


@dataclass(frozen=True, slots=True)
class QueueUser:
    """Something that belongs to a queue.

    Attributes:
        what: names it: ``Job ns/train``.
        queue: the name of the queue.
        place: where it names the queue.
        waits: whether it has yet to start.
        ended: whether it is over.
        is_job: whether it is a Volcano Job, for which the webhook is stricter than for a PodGroup.
        is_new: whether it has yet to be made, and a webhook is asked whether it may be on that queue.
    """

    what: str
    queue: str
    place: Place
    is_job: bool = False
    waits: bool = True
    ended: bool = False
    is_new: bool = False


@once
def queue_users(context: LintContext) -> Sequence[QueueUser]:
    """All users of queues; of a Job and the PodGroup that was made for it, the Job."""
    users = []
    for job, place in context.objects("volcano_jobs"):
        phase = job.status.state.phase
        users.append(
            QueueUser(
                what=f"Job {job.metadata.key}",
                queue=job.spec.queue or DEFAULT_QUEUE,
                place=place.at(*_QUEUE),
                is_job=True,
                waits=phase in ("", "Pending"),
                ended=phase in k8s.ENDED_JOB_PHASES,
                is_new=_is_new(context, job),
            )
        )
    jobs = {job.metadata.key for job, _ in context.objects("volcano_jobs")}
    for group, place in context.objects("pod_groups"):
        owners = (each for each in group.metadata.owner_references if each.api_version.startswith("batch.volcano.sh/"))
        if not any(each.kind == "Job" and f"{group.metadata.namespace}/{each.name}" in jobs for each in owners):
            state = group.status.phase
            users.append(
                QueueUser(
                    what=context.named(group),
                    queue=group.spec.queue or DEFAULT_QUEUE,
                    place=place.at(*_QUEUE),
                    waits=state in ("", "Pending", "Inqueue"),
                    ended=state == "Completed",
                    is_new=_is_new(context, group),
                )
            )
    # Pods that will get a PodGroup, and what makes such pods, by the queue that their annotation names. Of pods that
    # share a controller, the first: there may be very many, so they are looked at in short.
    controllers: set[tuple[str, str]] = set()
    for pod, at in context.objects("pods"):
        annotations, spec = pod.metadata.annotations, pod.spec
        has_queue = annotations.get(GROUP_QUEUE) and not annotations.get(GROUP_NAME)
        if has_queue and spec.scheduler_name == SCHEDULER_NAME and not spec.node_name and is_active(pod):
            owner = controller_of(pod.metadata)
            controller = (pod.metadata.namespace, f"{owner.kind}/{owner.name}" if owner else pod.metadata.name)
            if controller not in controllers:
                controllers.add(controller)
                users.append(QueueUser(f"pod {pod.metadata.key}", annotations[GROUP_QUEUE], at.at(*_ANNOTATION)))
    for source in pod_sources(context):
        queue = source.metadata.annotations.get(GROUP_QUEUE)
        if queue and source.for_volcano and source.list_name not in ("pods", "volcano_jobs"):
            users.append(QueueUser(source.what, queue, source.at(*_ANNOTATION)))
    return users


def _is_new(context: LintContext, typed: k8s.VolcanoJob | k8s.PodGroup) -> bool:
    return not (context.is_stored(typed) or context.is_applied(typed))
