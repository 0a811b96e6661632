"""A gang that is larger than the whole cluster."""

import numpy as np

from vqs.engine.nodes.table import Masks
from vqs.lint.amounts import quantity
from vqs.lint.node_room import EmptyNodes
from vqs.lint.pod_groups import GroupPlaces, gang_request, waiting_jobs
from vqs.lint.rule import Finding, Findings, LintContext, Need, Rule, Severity
from vqs.model.job import PENDING, Job, TaskStatus
from vqs.model.resource import EPSILON, PODS, Resource
from vqs.model.wording import count


def check(context: LintContext) -> Findings:
    """Find gangs for which all nodes together are too small."""
    nodes = EmptyNodes(context.session)
    if not len(nodes):
        return
    places = GroupPlaces(context)
    for job in waiting_jobs(context):
        finding = _by_pods(nodes, job, places) or _by_minimum(context, job, places)
        if finding is not None:
            yield finding


def _by_pods(nodes: EmptyNodes, job: Job, places: GroupPlaces) -> Finding | None:
    """Judge a gang by what its pods ask for; a single pod is another rule's matter."""
    if job.min_available <= 1 or job.total < job.min_available:
        return None
    # The nodes that some pod of a gang may use, and what each of its pods asks for at least.
    usable: Masks = np.zeros(len(nodes), np.bool_)
    tasks = [task for task in job.tasks.values() if task.status is not TaskStatus.Failed]
    for task in tasks:
        usable |= nodes.admitted(task.pod.spec)
    names = set(tasks[0].request.scalars).intersection(*(task.request.scalars for task in tasks))
    smallest = Resource(
        min(task.request.milli_cpu for task in tasks),
        min(task.request.memory for task in tasks),
        {name: min(task.request.get(name) for task in tasks) for name in names},
    )
    slots = nodes.slots(smallest)[usable].sum()
    if slots < 1:
        return None
    place = places.at(job.uid, "spec", "minMember")
    need = gang_request(job)
    for name in need.names():
        have = nodes.total(name, usable)
        if nodes.have(name) and need.get(name) - have >= EPSILON:
            return Finding(
                f"{job.display_name} needs {quantity(name, need.get(name))} for its minimum of "
                f"{count(job.min_available, 'pod')}, and all nodes that its pods may use have "
                f"{quantity(name, have)} together",
                place,
            )
    if slots < job.min_available:
        return Finding(
            f"{job.display_name} needs {count(job.min_available, 'pod')} at once, and all nodes that they may use "
            f"would have room for {int(slots)} if they were empty",
            place,
        )
    return None


def _by_minimum(context: LintContext, job: Job, places: GroupPlaces) -> Finding | None:
    """Check the minResources of a job that is not admitted yet."""
    session = context.session
    if session.queue_ledger is None or "enqueue" not in context.conf.actions or job.phase not in (PENDING, ""):
        return None
    need, total = job.minimum(), session.total_resource
    for name in need.names():
        asked_for = any(task.request.get(name) for task in job.tasks.values())
        if asked_for and not total.get(name):
            continue  # the pods ask for what no node has, which is another rule's finding
        if name != PODS and need.get(name) - total.get(name) >= EPSILON:
            place = places.at(job.uid, "spec", "minResources")
            if place.path == ("spec", "minResources"):
                place = place.at(name)
            return Finding(
                f"minResources of {job.display_name} asks for {quantity(name, need.get(name))}, and the cluster has "
                f"{quantity(name, total.get(name))}",
                place,
            )
    return None


RULE = Rule(
    code="gang-above-cluster",
    severity=Severity.ERROR,
    title="a gang is larger than the whole cluster",
    meaning="The nodes that the gang's pods may use have less than the gang needs to start, or have room for fewer of "
    "its pods than its minimum, even with nothing else on them; or its minResources are above what the cluster has.",
    why="A gang starts completely or not at all, so this one never starts. If it is admitted, its minResources stay "
    "reserved in its queue.",
    fix="Lower minMember (minAvailable of a Job), lower the requests of its pods, or add nodes.",
    source="pkg/scheduler/plugins/gang/gang.go",
    check=check,
    needs=Need.SESSION,
    example="minAvailable 8 with pods of 4 GPUs, in a cluster of 3 nodes with 8 GPUs each",
)
