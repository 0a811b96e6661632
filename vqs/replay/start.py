"""What controllers make of what is submitted, and of what is there at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vqs.model import kubernetes as k8s
from vqs.model.durations import parse_duration
from vqs.replay.workload import Gang, Lifecycle, Policy
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests

_DEFAULT_RETRIES = 3


def gang_of(job: k8s.VolcanoJob, base: Manifests, origin: Origin) -> Gang:
    """Return the PodGroup and all pods that the controller makes for a Volcano Job.

    Raises:
        InputErrors: it asks for too many pods.
    """
    made = made_of(job, base, origin)
    [group] = made.pod_groups
    return Gang(group, tuple(made.pods), lifecycle_of(job.spec), claims=tuple(made.claims))


def made_of(owner: k8s.VolcanoJob | k8s.Deployment, base: Manifests, origin: Origin) -> Manifests:
    """Return all that controllers make for an object.

    Raises:
        InputErrors: it asks for too many pods.
    """
    list_name = "deployments" if isinstance(owner, k8s.Deployment) else "volcano_jobs"
    alone = Manifests(
        priority_classes=base.priority_classes,
        runtime_classes=base.runtime_classes,
        limit_ranges=base.limit_ranges,
        release=base.release,
        installed=base.installed,
        shipped_by=base.shipped_by,
        scenarios=base.scenarios,
        newest_timestamp=base.newest_timestamp,
        origins={
            list_name: [origin],
            "priority_classes": base.origins.get("priority_classes", []),
            "runtime_classes": base.origins.get("runtime_classes", []),
            "limit_ranges": base.origins.get("limit_ranges", []),
        },
    )
    return complete(replace(alone, **{list_name: [owner]}))  # type: ignore[arg-type]


def lifecycle_of(spec: k8s.VolcanoJobSpec) -> Lifecycle:
    """Return the parts of a Volcano Job's spec that its controller acts on."""
    return Lifecycle(
        policies=tuple(_policies(spec.policies)),
        of_tasks={task.name: tuple(_policies(task.policies)) for task in spec.tasks if task.policies},
        min_success=spec.min_success,
        max_retry=spec.max_retry or _DEFAULT_RETRIES,
        task_minimums={task.name: task.min_available for task in spec.tasks if task.min_available is not None},
        depends_on={task.name: task.depends_on for task in spec.tasks if task.depends_on is not None},
    )


def _policies(policies: list[k8s.LifecyclePolicy]) -> Iterator[Policy]:
    for each in policies:
        events = frozenset(filter(None, (each.event, *each.events)))
        yield Policy(events, each.action, each.exit_code, parse_duration(each.timeout) or 0.0)
