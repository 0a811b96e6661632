"""A Job that the API server refuses by the schema of its kind."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from vqs.lint.queue_tree import is_made, queue_tree
from vqs.lint.rule import Finding, Place, Rule, Severity
from vqs.lint.written import written_objects
from vqs.snapshot.diagnostics import did_you_mean, one_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from vqs.lint.subject import Subject
    from vqs.model import kubernetes as k8s
    from vqs.snapshot.diagnostics import Path

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL.pattern}(\.{_LABEL.pattern})*", re.ASCII)
_MOST_OF_A_LABEL = 63
_POLICIES = ("none", "best-effort", "restricted", "single-numa-node")
_LEAST = {"maxRetry": 0, "ttlSecondsAfterFinished": 0, "minSuccess": 1}


def check(subject: Subject) -> Iterator[Finding]:
    """Find names and numbers that the schema does not allow."""
    written = subject.once(written_objects)
    queues = queue_tree(subject).queues  # the names of these are looked at where they stand
    for job, place in subject.each("volcano_jobs"):
        if not subject.is_stored(job):
            spec = written.get("volcano_jobs", place.index).get("spec")
            for path, text in (*_of_job(job), *_of_spec(spec if isinstance(spec, dict) else {}, queues)):
                yield Finding(f"Job {job.metadata.key}: {text}", Place(place.list_name, place.index, path))
    for group, place in subject.each("pod_groups"):
        queue = group.spec.queue
        if queue and not (subject.is_stored(group) or queue in queues or is_made(subject, place) or _is_name(queue)):
            at = Place(place.list_name, place.index, ("spec", "queue"))
            yield Finding(f"PodGroup {group.metadata.key}: {queue!r} cannot be the name of a queue", at)


def _of_spec(spec: dict[str, Any], queues: Collection[str]) -> Iterator[tuple[Path, str]]:
    """Judge what reading leaves out, and names of other objects."""
    yield from _numbers(spec, ("spec",))
    tasks = spec.get("tasks")
    for index, task in enumerate(tasks if isinstance(tasks, list) else ()):
        yield from _numbers(task if isinstance(task, dict) else {}, ("spec", "tasks", index))
    for field, what in (("queue", "a queue"), ("priorityClassName", "a PriorityClass")):
        name = spec.get(field)
        if name and isinstance(name, str) and name not in queues and not _is_name(name):
            yield ("spec", field), f"{name!r} cannot be the name of {what}"


def _of_job(job: k8s.VolcanoJob) -> Iterator[tuple[Path, str]]:
    spec = job.spec
    for index, task in enumerate(spec.tasks):
        path: Path = ("spec", "tasks", index)
        if task.name and (not _LABEL.fullmatch(task.name) or len(task.name) > _MOST_OF_A_LABEL):
            yield (*path, "name"), f"the task name {task.name} is not of lower case letters, digits and dashes"
        if task.topology_policy and task.topology_policy not in _POLICIES:
            hint = did_you_mean(task.topology_policy, _POLICIES) or f"there are {one_of(_POLICIES)}"
            yield (*path, "topologyPolicy"), f"the topologyPolicy {task.topology_policy} does not exist ({hint})"
    for index, volume in enumerate(spec.volumes):
        if ":" in volume.mount_path:
            yield ("spec", "volumes", index, "mountPath"), f"the mountPath {volume.mount_path} has a colon"
    for path, topology in _topologies(spec):
        if topology.highest_tier_name and not _is_name(topology.highest_tier_name):
            yield (*path, "highestTierName"), f"{topology.highest_tier_name!r} cannot be the name of a tier"
    if len(spec.scheduler_name) > _MOST_OF_A_LABEL:
        yield ("spec", "schedulerName"), f"the schedulerName is longer than {_MOST_OF_A_LABEL} characters"


def _topologies(spec: k8s.VolcanoJobSpec) -> Iterator[tuple[Path, k8s.NetworkTopology]]:
    if spec.network_topology is not None:
        yield ("spec", "networkTopology"), spec.network_topology
    for index, task in enumerate(spec.tasks):
        if task.partition_policy is not None and task.partition_policy.network_topology is not None:
            path = ("spec", "tasks", index, "partitionPolicy", "networkTopology")
            yield path, task.partition_policy.network_topology


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def _numbers(spec: dict[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    for field, least in _LEAST.items():
        number = spec.get(field)
        if isinstance(number, int) and number < least:
            yield (*path, field), f"{field} {number} is below {least}"


RULE = Rule(
    code="refused-by-schema",
    severity=Severity.ERROR,
    title="the API server refuses a Job or PodGroup by its schema",
    meaning="The name of a task, queue, PriorityClass or tier has characters that are not allowed there, a "
    "topologyPolicy does not exist, a mountPath has a colon, or a number is below its minimum.",
    why="The custom resource definitions have patterns and limits for these fields, which the API server checks before "
    "any webhook that only validates does.",
    fix="Correct what the message names.",
    source="config/crd/volcano/bases/batch.volcano.sh_jobs.yaml, scheduling.volcano.sh_podgroups.yaml",
    check=check,
    example="tasks: [{name: Worker_1}]",
)
