"""Who pays: how many pods of each job are bound without a change and with it, and what evictions take away in the end.

A Volcano Job may say what its controller does when one of its pods is evicted: it deletes the pods of the whole Job, of
the task or of the partition, and makes them again, or it ends the Job. A kubelet ends a pod before it is gone, so the
controller hears of PodFailed before PodEvicted. Reference: applyPolicies and killPods in pkg/controllers/job, updatePod
and deletePod in job_controller_handler.go there, of volcano-sh/volcano.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Final, NamedTuple

from msgspec import structs

from vqs.engine.framework.session import Session
from vqs.engine.framework.trace import Op, StatementResult
from vqs.explain.outcome import Affected, JobLoss, OfJob, Simulation
from vqs.model import kubernetes as k8s
from vqs.model.job import READY_STATUSES
from vqs.model.keys import PARTITION_ID, pod_group_of, role_of
from vqs.snapshot.controllers.kubelet import is_stopped_first
from vqs.snapshot.controllers.world import controller_of
from vqs.snapshot.reading.documents import Origin
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.scenario.generated import GeneratedDocument

BOUND: Final = frozenset(each.name for each in READY_STATUSES)
"""What pods are that have a node, or had it until they were done, as a result names it."""

_OF_A_PART: Final = frozenset({"RestartTask", "RestartPartition", "RestartPod"})
RESTARTS: Final = frozenset({"RestartJob", *_OF_A_PART})
ENDS: Final = frozenset({"AbortJob", "TerminateJob", "CompleteJob"})
OF_WHOLE_JOBS: Final = ENDS | {"RestartJob"}
"""The actions for which a controller deletes all pods of a Job."""
_JOBS_OF_A_SCENARIO: Final = "jobs"
_VOLCANO_JOB: Final = ("batch.volcano.sh/v1alpha1", "Job")


# --- pods of jobs -----------------------------------------------------------------------------------------------------


def bound_pods(simulation: Simulation) -> dict[str, int]:
    """The number of pods that have a node when a session is over, by what their job is called."""
    names = {(job.namespace, job.name): job.display_name or f"{job.namespace}/{job.name}" for job in simulation.jobs}
    counts = Counter(dict.fromkeys(names.values(), 0))
    for task in simulation.tasks:
        name = names.get((task.namespace, task.job or ""))
        if name is not None and task.status in BOUND:
            counts[name] += 1
    return dict(counts)


def bound_in(session: Session) -> dict[str, int]:
    """The number of pods that have a node when a session is over, by what their job is called."""
    counts: Counter[str] = Counter()
    for job in session.jobs.values():
        counts[job.display_name] += job.ready
    return dict(counts)


def affected(before: Simulation, after: Simulation, *, but: str = "") -> list[Affected]:
    """The jobs of which another number of pods is bound after one session than after another one."""
    return changed_pods(bound_pods(before), bound_pods(after), but=but)


def changed_pods(old: Mapping[str, int], new: Mapping[str, int], *, but: str = "") -> list[Affected]:
    """The jobs of which another number of pods is bound, by what they are called; `but` is left out."""
    return [
        Affected(job=name, pods_before=old[name], pods_after=new.get(name, 0))
        for name in sorted(old)
        if name != but and old[name] != new.get(name, 0)
    ]


def pods_held(session: Session, completed: Manifests) -> dict[str, int]:
    """The number of pods of each job, by namespace/name of its PodGroup, that have a node once a session is over.

    Those that their controller deletes because of an eviction have none.
    """
    held = {job.uid: job.allocated_number() for job in session.jobs.values()}
    for each in lost_in(session, completed):
        held[each.job] -= each.pods_lost - each.evicted
    return held


# --- evictions --------------------------------------------------------------------------------------------------------


class Eviction(OfJob, kw_only=True, omit_defaults=False):
    """A task that is evicted, and in favour of which job; jobs and tasks by namespace/name.

    `evictor_display_name` is what the job in whose favour it is is called.
    """

    task: str
    evictor_job: str
    evictor_display_name: str = ""
    action: str
    node: str


def evictions(session: Session) -> Iterator[Eviction]:
    """Yield what a session evicts for good."""
    for record in session.trace.statements:
        # A plan that failed halfway may have evicted a task that a later one of the statement evicts again.
        seen = set[str]()
        for operation in record.operations if record.result is StatementResult.COMMIT else ():
            if operation.op is Op.EVICT and operation.task.uid not in seen:
                seen.add(operation.task.uid)
                by = operation.search.task.job if operation.search is not None else record.job
                yield Eviction(
                    task=f"{operation.task.namespace}/{operation.task.name}",
                    job=operation.task.job,
                    display_name=session.cluster.display_name(operation.task.job),
                    evictor_job=by,
                    evictor_display_name=session.cluster.display_name(by),
                    action=record.action,
                    node=operation.node,
                )


# --- what evictions take away -----------------------------------------------------------------------------------------


def comes_back(pod: k8s.Pod, origin: Origin) -> bool:
    """Tell whether a pod is created again: by its controller, or whatever runs the jobs of a scenario."""
    document = origin.document
    of_scenario = isinstance(document, GeneratedDocument) and _JOBS_OF_A_SCENARIO in document.entry.path
    return of_scenario or controller_of(pod.metadata) is not None


class Reaction(NamedTuple):
    """What the controller of a Volcano Job does as a pod is evicted, and the event that it does it for."""

    action: str = ""
    event: str = ""


def reacting(completed: Manifests, jobs: Mapping[str, k8s.VolcanoJob]) -> Callable[[k8s.Pod], list[Reaction]]:
    """What returns what the controller of a Volcano Job does as a pod is evicted; nothing for pods of no Job."""
    nodes = {node.metadata.name: node for node in completed.nodes}
    ignores_own = completed.profile.controllers.own_deletions == "ignored"

    def reactions(victim: k8s.Pod) -> list[Reaction]:
        owner = controller_of(victim.metadata) if is_of_volcano_job(victim) else None
        job = jobs.get(f"{victim.metadata.namespace}/{owner.name}") if owner is not None else None
        met = [] if job is None else _met(job, victim, nodes.get(victim.spec.node_name))
        # A pod that a policy for PodFailed restarts is one that the controller deletes itself. Once it is gone the Job
        # restarts, and all that ends or restarts it then restarts it as a whole.
        if len(met) > 1 and not ignores_own and met[0].event == "PodFailed" and met[0].action in _OF_A_PART:
            return [met[0], met[1] if met[1].action in _OF_A_PART else Reaction("RestartJob", met[1].event)]
        return met[:1]

    return reactions


def _met(job: k8s.VolcanoJob, victim: k8s.Pod, node: k8s.Node | None) -> list[Reaction]:
    """What is done for PodFailed and PodEvicted, in the order of time; a task's policies come before the Job's.

    What has a timeout comes after what has none. Policies for exit codes do not count, as the pod's is not known.
    """
    tasks = (task for task in job.spec.tasks if task.name == role_of(victim.metadata))
    policies = [*(policy for task in tasks for policy in task.policies), *job.spec.policies]
    met = []
    for event in ("PodFailed", "PodEvicted")[not is_stopped_first(victim, node) :]:
        policy = next((each for each in policies if {event, "*"} & {each.event, *each.events}), None)
        if policy is not None and policy.action in RESTARTS | ENDS:
            met.append((bool(policy.timeout), Reaction(policy.action, event)))
    return [reaction for _, reaction in sorted(met, key=itemgetter(0))]


def is_of_volcano_job(owned: k8s.Pod | k8s.PodGroup) -> bool:
    """True if a Volcano Job controls an object."""
    owner = controller_of(owned.metadata)
    return owner is not None and (owner.api_version, owner.kind) == _VOLCANO_JOB


def deleted_with(victim: k8s.Pod, action: str, pods: Iterable[k8s.Pod]) -> list[k8s.Pod]:
    """The pods of a job that its controller deletes for an action, as one was evicted; that one is among them."""
    if action in ENDS:
        return [pod for pod in pods if pod is victim or pod.status.phase not in k8s.ENDED_PHASES]
    if action == "RestartJob":
        return [*pods]
    alike = [pod for pod in pods if role_of(pod.metadata) == role_of(victim.metadata)]
    if action == "RestartTask":
        return alike
    if action == "RestartPartition":
        part = victim.metadata.labels.get(PARTITION_ID)
        return [pod for pod in alike if pod is victim or (part and pod.metadata.labels.get(PARTITION_ID) == part)]
    return [victim]


def pods_by_group(pods: Iterable[k8s.Pod]) -> Mapping[str, list[k8s.Pod]]:
    """The pods that name a PodGroup, by its namespace/name."""
    found: defaultdict[str, list[k8s.Pod]] = defaultdict(list)
    for pod in pods:
        found[pod_group_of(pod.metadata)].append(pod)
    return found


def lost_in(session: Session, completed: Manifests, by: str | None = None) -> list[JobLoss]:
    """What each job loses by the evictions of a session, or by those in favour of one job, which its PodGroup names."""
    victims = {each.task for each in evictions(session) if by is None or each.evictor_job == by}
    if not victims:
        return []
    back = {pod.metadata.key for pod, origin in completed.with_origins("pods") if comes_back(pod, origin)}
    reactions = reacting(completed, completed.known_jobs)
    found = []
    for group, members in sorted(pods_by_group(completed.pods).items()):
        struck = [pod for pod in members if pod.metadata.key in victims]
        if struck:
            lost = _lost(struck, members, reactions, back)
            lost.job, lost.display_name = group, session.cluster.display_name(group)
            found.append(lost)
    return found


def lost_in_all(losses: Iterable[JobLoss]) -> dict[str, JobLoss]:
    """What each job loses in several sessions together, by what it is called; a policy is that of the first one."""
    found: dict[str, JobLoss] = {}
    for loss in losses:
        known = found.get(loss.called)
        if known is None:
            found[loss.called] = structs.replace(loss)
            continue
        known.evicted += loss.evicted
        known.pods_lost += loss.pods_lost
        known.restarted += loss.restarted
        known.sessions = (known.sessions or 1) + 1
        if not known.policy_action:
            known.policy_action, known.policy_event = loss.policy_action, loss.policy_event
    return found


def _lost(
    struck: list[k8s.Pod],
    members: list[k8s.Pod],
    reactions: Callable[[k8s.Pod], list[Reaction]],
    back: Container[str],
) -> JobLoss:
    gone: dict[str, k8s.Pod] = {pod.metadata.key: pod for pod in struck}
    first, ends = Reaction(), False
    for victim in struck:
        for found in reactions(victim):
            first, ends = first if first.action else found, ends or found.action in ENDS
            gone.update((pod.metadata.key, pod) for pod in deleted_with(victim, found.action, members))
    lost = [pod for pod in gone.values() if pod.spec.node_name and pod.status.phase not in k8s.ENDED_PHASES]
    again = [] if ends else [pod for pod in lost if pod.metadata.key in back]
    return JobLoss(
        job="",
        evicted=len(struck),
        pods_lost=len(lost),
        restarted=len(again),
        policy_action=first.action,
        policy_event=first.event,
    )
