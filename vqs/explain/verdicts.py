"""Why a task is not placed: one verdict for each, read from the trace, never computed anew.

The gates are asked in the order in which a task passes them: enqueue, the check of the gang, the queue, the node, the
gang as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from msgspec import structs

from vqs.engine.actions import allocate, backfill, enqueue
from vqs.engine.framework.dequeue import may_enqueue
from vqs.engine.framework.finished import FinishedSession, GangShortfall
from vqs.engine.framework.points import MeasuringPredicate
from vqs.engine.framework.session import Session
from vqs.engine.framework.topology import TOP
from vqs.engine.framework.trace import HyperNodeTrial, Op, StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.shortage import could_hold, standing_refusals
from vqs.engine.nodes.table import Floats, Masks
from vqs.engine.plugins import gang
from vqs.engine.plugins.predicates.filters import NODE_AFFINITY
from vqs.explain.node_labels import known_labels
from vqs.explain.outcome import Verdict, figure, in_words, timestamp
from vqs.explain.rollouts import kept_by_stale_groups
from vqs.explain.texts.node_reasons import (
    LargeEnough,
    in_a_sentence,
    no_node_takes_it,
    out_of_reach,
    ports_in_use,
    unusable_claim,
)
from vqs.explain.verdict_rules import VERDICT_RULES, holds
from vqs.model import kubernetes as k8s
from vqs.model.awaited import ADMISSION, DEPENDENCIES, ORDER, REFUSED, AwaitedPods, Event
from vqs.model.codes import RefusalCode, VerdictCode
from vqs.model.job import NOT_ADMITTED, READY_STATUSES, VALID_STATUSES, FitErrors, Job, SubJob, Task, TaskStatus
from vqs.model.keys import DEFAULT_SCHEDULER
from vqs.model.resource import EPSILON, PODS
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.reading.diagnostics import one_of, probably_meant

_MANY = 4
"""The number of HyperNodes that a sentence names."""

_LABELS = 2
"""The number of labels that a sentence names."""

_NO_HYPER_NODE: Final = VERDICT_RULES[VerdictCode.NO_HYPER_NODE]
_NO_NODE_FITS: Final = VERDICT_RULES[VerdictCode.NO_NODE_FITS]


def no_hyper_node(session: FinishedSession, job: Job, sub_job: SubJob | None = None) -> str:
    """Tell what kept each HyperNode from being tried for a job, or for one of its sub-groups."""
    of = "" if sub_job is None else sub_job.uid
    trials = [each for each in session.trace.hyper_nodes.get(job.uid, []) if each.hyper_node != TOP]
    trials = sorted((each for each in trials if not of or each.sub_job == of), key=lambda each: each.hyper_node)
    whys = ((each.hyper_node, why_not(session, each)) for each in trials[:_MANY])
    parts = [why if why == _NO_HYPER_NODE.said("no nodes", name=name) else f"{name}: {why}" for name, why in whys]
    if len(trials) > _MANY:
        parts.append(_NO_HYPER_NODE.said("more", hyper_nodes=count(len(trials) - _MANY, "HyperNode")))
    topology = job.topology if sub_job is None else sub_job.topology
    if topology is not None and topology.limit is not None:
        parts.insert(0, _NO_HYPER_NODE.said("limit", tier=topology.limit))
    return "; ".join(parts) or _NO_HYPER_NODE.said("none")


def _sub_group_without_hyper_node(session: FinishedSession, job: Job, task: Task) -> SubJob | None:
    """Return the sub-group of a task if no HyperNode could be tried for it; None where one was, or it has none."""
    sub_job = job.sub_job_of.get(task.uid) if job.sub_jobs else None
    if sub_job is None or sub_job.topology is None:
        return None
    trials = [each for each in session.trace.hyper_nodes.get(job.uid, []) if each.sub_job == sub_job.uid]
    return sub_job if trials and all(each.refusal is not None for each in trials) else None


def why_not(session: FinishedSession, trial: HyperNodeTrial) -> str:
    """Tell why a HyperNode was not taken; empty for one that was."""
    if trial.refusal is not None:
        if trial.refusal.resource and not len(session.topology.members[trial.hyper_node]):
            return _NO_HYPER_NODE.said("no nodes", name=trial.hyper_node)
        return refused(trial.refusal)
    if trial.score is None:
        return _NO_HYPER_NODE.said("no room")
    return "" if trial.chosen else _NO_HYPER_NODE.said("not the best")


def refused(refusal: Refusal) -> str:
    """Tell why a HyperNode was not tried."""
    name = refusal.resource
    if not name:
        return refusal.text
    have, need = in_words(name, refusal.have), in_words(name, refusal.need)
    return _NO_HYPER_NODE.said("too small", have=have, need=need, resource=name)


OF_NODES: Final = (VerdictCode.NO_NODE_FITS, VerdictCode.FRAGMENTED, VerdictCode.LARGER_THAN_ANY_NODE)
"""The verdicts on a task that every node refused."""

SETTLED: Final = frozenset(TaskStatus) - {
    TaskStatus.Pending,
    TaskStatus.Allocated,
    TaskStatus.Pipelined,
    TaskStatus.Releasing,
}
"""The statuses of tasks of which nothing is to be explained: most tasks of a big cluster just run."""


def verdict(session: FinishedSession, job: Job, task: Task) -> Verdict | None:
    """Return why a task is not placed, None where it is."""
    match task.status:
        case TaskStatus.Pipelined:
            search = session.searches_by_preemptor.get(task.uid)
            text = _until(session, job, task)
            if search is not None and search.victims:
                them = "it" if len(search.victims) == 1 else "them"
                text += VERDICT_RULES[VerdictCode.WAITS_FOR_RELEASE].said("evicts", action=search.action, them=them)
            return _verdict(
                job, task, VerdictCode.WAITS_FOR_RELEASE, text, action=search.action if search else allocate.NAME
            )
        case TaskStatus.Releasing if task.status_before is not TaskStatus.Releasing:
            return _evicted(session, job, task)
        case TaskStatus.Allocated if task.uid in session.trace.tasks:
            return refusal_verdict(session, job, task, *session.trace.tasks[task.uid])
        case TaskStatus.Allocated:
            waiting = min(job.having(TaskStatus.Pipelined).values(), key=lambda each: each.name, default=None)
            cause, rule = _incomplete(session, job), VERDICT_RULES[VerdictCode.WAITS_FOR_GANG]
            if waiting is not None:
                until = _until(session, job, waiting)
                cause = rule.said("reserved", name=waiting.name, node=waiting.node, text=until)
            text = rule.said("cause", cause=cause) if cause else ""
            action = backfill.NAME if task.best_effort else allocate.NAME
            return _verdict(job, task, VerdictCode.WAITS_FOR_GANG, text, action=action)
        case TaskStatus.Pending:
            return _pending(session, job, task)
        case _:
            return None


def _until(session: FinishedSession, job: Job, task: Task) -> str:
    """Tell what has to happen before a pipelined task goes to its node."""
    rule = VERDICT_RULES[VerdictCode.WAITS_FOR_RELEASE]

    def gone(each: Task) -> str:
        names = [f"{pod.namespace}/{pod.name}" for pod in session.leaving_before(each)]
        return rule.said("one pod" if len(names) == 1 else "several pods", pods=first_names(names)) if names else ""

    if leaving := gone(task):
        return rule.said("pods", pods=leaving)
    siblings = sorted(job.having(TaskStatus.Pipelined).values(), key=lambda each: each.name)
    waits = (rule.said("sibling", name=each.name, pods=pods) for each in siblings if (pods := gone(each)))
    sibling = next(waits, "")
    if sibling or not session.plugins.job_pipelined(job):
        return rule.said("gang", sibling=sibling)
    return rule.said("room")


def _evicted(session: FinishedSession, job: Job, task: Task) -> Verdict:
    """Tell for which task another is evicted, and which plugins allowed it."""
    search, rule = session.searches_by_victim.get(task.uid), VERDICT_RULES[VerdictCode.EVICTED]
    if search is None:
        plugins = session.trace.shuffled[task.uid]
        reasons = [
            rule.said(each if each in rule.cases and each != "shuffle" else "other plugin", plugin=each)
            for each in plugins
        ]
        text = rule.said("shuffle", reasons=" and ".join(reasons))
        return _verdict(job, task, VerdictCode.EVICTED, text, action="shuffle")
    queue, winner = session.jobs[search.task.job].queue, f"{search.task.namespace}/{search.task.name}"
    case = "same queue" if queue == job.queue else "other queue"
    text = rule.said(case, action=search.action, task=winner, queue=queue)
    plugins = [
        vote.plugin
        for decision in search.decisions.values()
        if task in decision.victims
        for vote in decision.votes
        if vote.tier == decision.tier
    ]
    if plugins:
        names = list(dict.fromkeys(plugins))
        text += rule.said("one plugin" if len(names) == 1 else "several plugins", plugins=listed_names(names))
    return _verdict(job, task, VerdictCode.EVICTED, text, action=search.action)


def job_verdict(session: FinishedSession, job: Job) -> Verdict | None:
    """Return the verdict of the job's first task that is not placed, else why the job itself was refused.

    A job whose tasks all have a place is only told of where its gang is incomplete all the same, or where pods of it do
    not exist yet.
    """
    if job.uid not in session.jobs:
        return ignored_verdict(session, job)
    if (lacks := lacking_pods(session, job)) is not None:
        return lacks
    refused = refused_pods(session, job)
    unsettled = [task for task in job.tasks.values() if task.status not in SETTLED]
    verdicts = (verdict(session, job, task) for task in sorted(unsettled, key=lambda task: task.name))
    first = next((each for each in verdicts if each is not None), None)
    if first is not None:
        return first
    not_created = _pods_not_created(session, job)
    if not_created is not None and job.uid not in session.not_enqueued:
        return not_created
    if refused is not None and job.uid not in session.not_enqueued:
        return refused
    if job.uid not in session.unschedulable and (job.tasks or job.uid in session.cluster.ended):
        return None
    why = _job_refused(session, job, None)
    too_small = gang.valid(job) if why is None and job.uid in session.unschedulable else None
    why = why if too_small is None else refusal_verdict(session, job, None, "", too_small)
    if why is None or not is_left_to_others(session, job, why):
        return why
    text, _ = next(left_to_others(session, job))
    return structs.replace(why, code=VerdictCode.OTHER_SCHEDULER.value, plugin="", need=None, have=None, text=text)


def is_left_to_others(session: FinishedSession, job: Job, why: Verdict) -> bool:
    """True if a gang is too small only because Volcano leaves pods of it to other schedulers."""
    pods = len(session.cluster.left_of_groups.get(job.uid, ()))
    return why.code == VerdictCode.GANG_TOO_SMALL and pods > 0 and (why.have or 0) + pods >= (why.need or 0)


def left_to_others(session: FinishedSession, job: Job) -> Iterator[tuple[str, int]]:
    """Yield a sentence on each other scheduler that pods of a job ask for, and how many do."""
    for scheduler, pods in Counter(session.cluster.left_of_groups.get(job.uid, ())).items():
        rule, case = VERDICT_RULES[VerdictCode.OTHER_SCHEDULER], "one" if pods == 1 else "several"
        yield rule.said(case, pods=count(pods, "pod"), name=scheduler or DEFAULT_SCHEDULER), pods


def pods_without_task(session: FinishedSession, job: str) -> int:
    """The number of pods of a job that are no tasks of the session: not created yet, or left to other schedulers."""
    awaited = session.cluster.awaited.get(job)
    return (awaited.number if awaited else 0) + len(session.cluster.left_of_groups.get(job, ()))


def refused_pods(session: FinishedSession, job: Job) -> Verdict | None:
    """Return which pods of a job the API server refuses, and why; None where it refuses none."""
    pods = session.cluster.awaited.get(job.uid)
    if pods is None or pods.refusal is None:
        return None
    number, every = pods.number_waiting_for(REFUSED), len(job.tasks) + pods.number
    which = count(number, "pod") if number == every else f"{number} of the {every} pods"
    verdict = _verdict(job, None, VerdictCode.API_SERVER_REFUSES_PODS, f"{which}: {pods.refusal.text}")
    verdict.resource = pods.refusal.resource
    return verdict


def without_any_pod(session: Session) -> dict[str, str]:
    """Return, by namespace/name, what is no job as the API server refuses all of its pods, and why in a sentence."""
    rule = VERDICT_RULES[VerdictCode.API_SERVER_REFUSES_PODS]
    return {
        pods.maker.partition(" ")[2]: rule.said(
            "no job", maker=pods.maker, pods=count(pods.number_waiting_for(REFUSED), "pod"), why=pods.refusal.text
        )
        for uid, pods in session.cluster.awaited.items()
        if pods.refusal is not None and uid not in session.jobs
    }


def lacking_pods(session: FinishedSession, job: Job) -> Verdict | None:
    """Return which pods the API server refuses, where those that a job has, and gets, are fewer than its minimum."""
    refused = refused_pods(session, job)
    if refused is None or job.uid in session.not_enqueued:
        return None
    pods = session.cluster.awaited[job.uid]
    lacks = len(job.tasks) + pods.number - pods.number_waiting_for(REFUSED) < job.min_available
    return refused if lacks else None


def created_next(job: Job, pods: AwaitedPods) -> int:
    """Return how many pods a job's controller creates after a session that is over: it has admitted the PodGroup."""
    return 0 if job.is_pending() else pods.number_waiting_for(ADMISSION)


_EVENTS: Final[tuple[Event, ...]] = (ADMISSION, DEPENDENCIES, ORDER)
"""What makes a controller create pods that do not exist yet, each a case of the verdict."""


def _pods_not_created(session: FinishedSession, job: Job) -> Verdict | None:
    """Tell what the pods wait for that the job's controller has yet to create."""
    pods = session.cluster.awaited.get(job.uid)
    if pods is None or not any(map(pods.number_waiting_for, _EVENTS)):
        return None
    now = created_next(job, pods)
    numbers = {event: pods.number_waiting_for(event) for event in _EVENTS}
    if now:
        numbers[ADMISSION] = 0
    rule = VERDICT_RULES[VerdictCode.PODS_NOT_CREATED]
    later = [
        _dependencies(pods, job, number) if event == DEPENDENCIES else rule.said(event, pods=count(number, "pod"))
        for event, number in numbers.items()
        if number
    ]
    if now:
        text = " and ".join([rule.said("now", controller=pods.controller, pods=count(now, "pod")), *later])
    else:
        text = rule.said("later", controller=pods.controller, later=" and ".join(later))
    return _verdict(job, None, VerdictCode.PODS_NOT_CREATED, text)


def _dependencies(pods: AwaitedPods, job: Job, number: int) -> str:
    """Say which tasks have to run before some pods are created, and which of their pods does not run, and why."""
    rule, those = VERDICT_RULES[VerdictCode.PODS_NOT_CREATED], count(number, "pod")
    waiting = (each.depends_on for each in pods.roles if each.waits_for == DEPENDENCIES)
    named = {(*each.name, each.iteration): each for each in waiting if each is not None}
    if len(named) != 1:
        return rule.said(DEPENDENCIES, pods=those)
    [depends_on] = named.values()
    names = depends_on.name
    is_any = len(names) > 1 and depends_on.iteration == "any"
    case = "one task" if len(names) == 1 else "any task" if is_any else "all tasks"
    said = rule.said(case, pods=those, tasks=one_of(names) if is_any else listed_names(names))
    on_nodes = (task for task in job.tasks.values() if task.role in names and task.node)
    held = next(((task.pod, reason) for task in on_nodes if (reason := _why_not_ready(task.pod))), None)
    if held is None:
        return said
    (pod, reason), metadata = held, held[0].metadata
    return said + rule.said(
        "pod not ready",
        pod=metadata.key,
        node=pod.spec.node_name,
        reason=reason,
        name=metadata.name,
        namespace=metadata.namespace,
    )


def _why_not_ready(pod: k8s.Pod) -> str:
    """The reason for which the first container of a pod that is not ready does not run; empty where none is written."""
    statuses = (*pod.status.init_container_statuses, *pod.status.container_statuses)
    waiting = (each.state.waiting for each in statuses if not each.ready and each.state.waiting is not None)
    first = next((each for each in waiting if each.reason), None)
    if first is None:
        return ""
    message = " ".join(first.message.split())
    return f"{first.reason}: {message}" if message else first.reason


def ignored_verdict(session: Session, job: Job) -> Verdict:
    """Return why the scheduler ignores a job: its queue does not exist."""
    meant = probably_meant(job.queue, session.queues)
    hint = VERDICT_RULES[VerdictCode.UNKNOWN_QUEUE].said("meant", queue=meant) if meant else ""
    return _verdict(job, None, VerdictCode.UNKNOWN_QUEUE, hint)


def _job_refused(session: FinishedSession, job: Job, task: Task | None) -> Verdict | None:
    """Return why the job as a whole was refused; what enqueue said before it admitted the job after all is over."""
    waits = job.uid in session.not_enqueued
    if job.uid in session.trace.jobs:
        action, refusal = session.trace.jobs[job.uid]
        if waits or action != enqueue.NAME:
            return refusal_verdict(session, job, task, action, refusal)
    if not waits:
        return None
    if may_enqueue(job, session.options.process, session.options.now):
        return _verdict(job, task, VerdictCode.NOT_ENQUEUED)
    return _verdict(job, task, VerdictCode.LEFT_QUEUE)


def _pending(session: FinishedSession, job: Job, task: Task) -> Verdict:
    trace = session.trace
    if task.scheduling_gated:
        return _gated(job, task)
    # What refuses a job that was tried, as a gang some tasks of which were evicted since, is told after other reasons.
    of_job = None if job.uid in trace.tried else _job_refused(session, job, task)
    if of_job is not None:
        return of_job
    if task.uid in trace.tasks and trace.tasks[task.uid][1].code == VerdictCode.TAKEN_BACK:
        return refusal_verdict(session, job, task, *trace.tasks[task.uid])
    if task.last_transaction is not None:
        last, lack, cause = task.last_transaction, session.gang(job).shortfall, _incomplete(session, job)
        text = VERDICT_RULES[VerdictCode.GANG_DISCARDED].said(
            "reserved" if last.status is TaskStatus.Pipelined else "placed", node=last.node, lack=_lacks(job, lack)
        )
        text = f"{text}. {cause}" if cause else text
        made = _verdict(job, task, VerdictCode.GANG_DISCARDED, text, action=allocate.NAME)
        made.plugin, made.need, made.have = gang.NAME, lack.need, lack.have
        return made
    if task.uid in trace.tasks:
        return refusal_verdict(session, job, task, *trace.tasks[task.uid])
    if sub_group := _sub_group_without_hyper_node(session, job, task):
        name, why = sub_group.uid.rpartition("/")[2], no_hyper_node(session, job, sub_group)
        text = _NO_HYPER_NODE.said("of a sub-group", name=name, text=why)
        return _with_sentence(job, task, VerdictCode.NO_HYPER_NODE, text, action=allocate.NAME)
    if task.best_effort:
        case = "too early" if backfill.NAME in session.conf.actions else "not configured"
        text = VERDICT_RULES[VerdictCode.LEFT_TO_BACKFILL].said(case)
        return _verdict(job, task, VerdictCode.LEFT_TO_BACKFILL, text)
    blocked = "" if session.plugins.job_ready(job) else _blocked_by(session, job)
    if not blocked and job.queue in trace.queues:
        return refusal_verdict(session, job, task, *trace.queues[job.queue])
    case = "gang" if blocked else _why_not_tried(session, job)
    text = VERDICT_RULES[VerdictCode.NEVER_CONSIDERED].said(case, cause=blocked)
    return _verdict(job, task, VerdictCode.NEVER_CONSIDERED, text, action=allocate.NAME if blocked else "")


def _gated(job: Job, task: Task, the_task: str = "the task") -> Verdict:
    gates = [f'"{gate.name}"' for gate in task.pod.spec.scheduling_gates]
    case = "one" if len(gates) == 1 else "several"
    text = VERDICT_RULES[VerdictCode.GATED].said(case, gates=listed_names(gates))
    return _verdict(job, task, VerdictCode.GATED, text, the_task=the_task)


def _why_not_tried(session: FinishedSession, job: Job) -> str:
    """Return the case of the verdict: what kept allocate from a job that is in its queue."""
    if allocate.NAME not in session.conf.actions:
        return "no allocate"
    if not len(session.nodes):
        return "no nodes"
    if job.phase_before in NOT_ADMITTED and job.uid not in session.trace.tried:
        return "admitted late"
    return "earlier task"


# --- gangs ------------------------------------------------------------------------------------------------------------


def _lacks(job: Job, lack: GangShortfall) -> str:
    """Tell what a discarded gang lacked: tasks, tasks of a role, or a sub-group."""
    rule = VERDICT_RULES[VerdictCode.GANG_DISCARDED]
    if lack.need is None or lack.have is None:
        return rule.said("sub-groups" if job.sub_jobs else "no node")
    tasks = f"tasks of role {lack.role}" if lack.role else "tasks"
    return rule.said("too few", have=f"{lack.have:.0f}", need=f"{lack.need:.0f}", tasks=tasks)


def _incomplete(session: FinishedSession, job: Job) -> str:
    """Name the sibling that was refused, else one that is blocked by its scheduling gates, and why."""
    gated = session.gang(job).gated
    return _blocked_by(session, job) or (_gated(job, gated, gated.name).text if gated else "")


def _blocked_by(session: FinishedSession, job: Job) -> str:
    """Name the sibling that was refused, and why, as a sentence; empty where none was.

    Where an action rolled back what it had reserved for that one, it is pending again, and what refused it came before.
    """
    first, before_place = session.gang(job).refused, session.trace.before_place
    if first is None:
        pending = job.having(TaskStatus.Pending).values()
        first = min((each for each in pending if each.uid in before_place), key=lambda each: each.name, default=None)
        if first is None:
            return ""
        action, refusal = before_place[first.uid]
        why = _sentence(session, job, first, refusal, None, the_task="that task")
        return VERDICT_RULES[VerdictCode.NEVER_CONSIDERED].said(
            "refused before", action=action, name=first.name, text=why
        )
    errors = job.fit_errors.get(first.uid)
    if job.is_refused_by_nodes(first):
        sentence = no_node_takes_it(errors, first.name, _without(session, first, errors))
    else:
        sentence = _sentence(session, job, first, session.trace.tasks[first.uid][1], errors, the_task=first.name)
    if not re.search(rf"(?<![\w.-]){re.escape(first.name)}(?![\w-])", sentence):
        return VERDICT_RULES[VerdictCode.NEVER_CONSIDERED].said("not placed", name=first.name, text=sentence)
    return sentence if sentence.startswith(first.name) else sentence[:1].upper() + sentence[1:]


# --- refusals ---------------------------------------------------------------------------------------------------------


def refusal_verdict(
    session: FinishedSession,
    job: Job,
    task: Task | None,
    action: str,
    refusal: Refusal,
    *,
    errors: FitErrors | None = None,
) -> Verdict:
    """Return what one refusal says, whatever came after it; `errors` is what the nodes said, if that was kept."""
    if errors is None and task is not None:
        errors = job.fit_errors.get(task.uid)
    if refusal.code == VerdictCode.FRAGMENTED and not (task and _is_fragmented(session, task)):
        refusal = replace(refusal, code=VerdictCode.NO_NODE_FITS)
    text = _sentence(session, job, task, refusal, errors)
    if refusal.code == VerdictCode.FRAGMENTED and task is not None:
        text += _together(session, task)
    elif refusal.code in (VerdictCode.QUEUE_LIMIT, VerdictCode.QUEUE_CAPABILITY) and task is not None:
        text += _then_and_now(session, job, task, action, refusal)
    made = _with_sentence(job, task, refusal.code, text, action=action)
    made.plugin, made.resource = refusal.plugin, refusal.resource
    made.need, made.have = figure(refusal.resource, refusal.need), figure(refusal.resource, refusal.have)
    made.node = refusal.node
    made.queue = refusal.queue or job.queue
    return made


def _free_for(session: FinishedSession, task: Task) -> tuple[Floats, Floats]:
    """What a task asks for, (resources,), and what all nodes have at the end, (resources, nodes)."""
    names = task.request.dimensions()
    free = np.maximum(session.nodes.future_idle[[session.nodes.row[name] for name in names]], 0.0)
    return np.array([task.request.get(name) for name in names]), free


def _is_fragmented(session: FinishedSession, task: Task) -> bool:
    """True if at the end, too, the nodes that could hold a task have enough together of what leaves or is idle."""
    need, free = _free_for(session, task)
    together = free[:, could_hold(session.fit(task), session.reasons)].sum(axis=1)
    return bool((need - together < EPSILON).all())


def free_together(session: FinishedSession, task: Task, resource: str) -> float:
    """Return how much of a resource that a task requests the nodes that could hold it have free together at the end."""
    _, free = _free_for(session, task)
    row = task.request.dimensions().index(resource)
    return float(free[row, could_hold(session.fit(task), session.reasons)].sum())


def _together(session: FinishedSession, task: Task) -> str:
    """Say that the nodes that may take a task have enough for it together; or had, where one has room at the end.

    Of what it requests, that is named of which no node has enough; all of it where only no node has all at once.
    """
    need, free_on_all = _free_for(session, task)
    may_take = could_hold(session.fit(task), session.reasons)
    free = free_on_all[:, may_take]
    number = free.shape[1]
    them = "all nodes" if number == len(session.nodes) else f"the {number:,} nodes that may take it"
    lacking, rule = need[:, None] - free >= EPSILON, VERDICT_RULES[VerdictCode.FRAGMENTED]
    if not lacking.any(axis=0).all():
        return rule.said("when tried", nodes=them)
    names = task.request.dimensions()
    nowhere = [row for row, lacks in enumerate(lacking) if lacks.all()]
    rows = nowhere or [row for row, name in enumerate(names) if need[row] and name != PODS]
    have = listed_names([f"{in_words(names[row], float(free[row].sum()))} {names[row]}" for row in rows])
    wanted = [f"{in_words(names[row], need[row])} {names[row]}" for row in rows]
    none = " or ".join(wanted) if nowhere else f"{listed_names(wanted)} at once"
    together = rule.said("at the end", nodes=them, have=have, request=none)
    kept_out = _with_room_kept_out(session, task, (need[:, None] - free_on_all < EPSILON).all(axis=0) & ~may_take)
    if kept_out is None:
        return together
    node, why = kept_out
    has = [f"{in_words(names[row], float(free_on_all[row, node]))} {names[row]}" for row in rows]
    return together + rule.said("kept out", node=session.nodes.names[node], have=listed_names(has), why=why)


def _with_room_kept_out(session: FinishedSession, task: Task, nodes: Masks) -> tuple[int, str] | None:
    """The first of some nodes with room for a task that have the reason against it which fewest of them have."""
    refused = standing_refusals(session.fit(task), session.reasons)
    counts = Counter(refused[nodes].tolist())
    if not counts:
        return None
    code = min(counts, key=lambda code: (counts[code], code))
    reasons = (in_a_sentence(reason, 1) for reason in session.reasons.texts(code))
    return int(np.flatnonzero(nodes & (refused == code))[0]), " and ".join(reasons)


def _then_and_now(session: FinishedSession, job: Job, task: Task, action: str, refusal: Refusal) -> str:
    """Say what a queue held when it refused a task and does not hold any more; empty where that is the same."""
    name, rule = refusal.resource, VERDICT_RULES[refusal.code]
    figures = session.closed_queues.get(refusal.queue or job.queue)
    if figures is None or refusal.need is None or not name:
        return ""
    held, then = figures.allocated.get(name), refusal.need - task.request.get(name)
    if abs(then - held) < EPSILON:
        return ""
    for record in reversed(session.trace.statements):
        if record.job == job.uid and record.action == action and record.result is StatementResult.DISCARD:
            siblings = [each.task for each in record.operations if each.op is not Op.EVICT and each.task is not task]
            if abs(sum(each.request.get(name) for each in siblings) - (then - held)) < EPSILON:
                were = "was" if len(siblings) == 1 else "were"
                return rule.said("rolled back", tasks=count(len(siblings), "task"), were=were)
    return rule.said("changed", then=in_words(name, then), now=in_words(name, held))


def _verdict(
    job: Job, task: Task | None, code: RefusalCode, text: str = "", *, action: str = "", the_task: str = "the task"
) -> Verdict:
    """Return a verdict; `text` is what its sentence leaves to the case, and `the_task` what this calls the task."""
    sentence = VERDICT_RULES[code].sentence.format(**_names(job, task), text=text, the_task=the_task)
    return _with_sentence(job, task, code, sentence, action=action)


def _with_sentence(job: Job, task: Task | None, code: RefusalCode, sentence: str, *, action: str) -> Verdict:
    rule, names = VERDICT_RULES[code], _names(job, task) | {"name": job.name}
    if rule.bare and task is not None:
        names["task"] = task.name
    log = rule.log.format(**names)
    return Verdict(code=code.value, action=action, queue=job.queue, text=sentence, log=log, verbosity=rule.verbosity)


def _names(job: Job, task: Task | None) -> dict[str, str]:
    names = {
        "queue": job.queue,
        "job": job.uid,
        "name": job.called.short,
        "group": job.called.of_pod_group,
        "task": job.uid,
        "role": "",
        "node": "",
    }
    if task is not None:
        names.update(task=f"{task.namespace}/{task.name}", role=task.role, node=task.node or "")
    return names


def _sentence(
    session: FinishedSession,
    job: Job,
    task: Task | None,
    refusal: Refusal,
    errors: FitErrors | None,
    *,
    the_task: str = "the task",
) -> str:
    name = refusal.resource
    need, have = _figures(refusal)
    is_own = not refusal.queue or refusal.queue == job.queue
    names = _names(job, task) | {"queue": job.queue if is_own else f"{refusal.queue}, above queue {job.queue},"}
    text = _detail(session, job, task, refusal, errors, the_task=the_task)
    if refusal.code == VerdictCode.GANG_TOO_SMALL and refusal.need == 1:
        text = text.replace("tasks", "task", 1).replace("sub-groups", "sub-group", 1)
    rule = VERDICT_RULES[refusal.code]
    sentence = rule.sentence.format(
        **names, resource=name, need=need, have=have, text=text, holds=holds(name, need, have), the_task=the_task
    )
    if refusal.code == VerdictCode.NOT_ENQUEUED_QUOTA:
        return sentence  # a quota may count what nodes do not have
    if refusal.code == VerdictCode.GANG_TOO_SMALL:
        numbers = {status.name: len(tasks) for status, tasks in job.by_status.items() if status not in VALID_STATUSES}
        others = [f"{number:,} {rule.cases.get(name, name)}" for name, number in sorted(numbers.items()) if number]
        sentence += rule.said("not counted", others=listed_names(others)) if others else ""
        return sentence + _created_too_late(session, job, refusal)
    if refusal.code == VerdictCode.QUEUE_OVERUSED and not len(session.nodes):
        return sentence + rule.said("no nodes")
    if refusal.code in OF_NODES or not name or session.total_resource.get(name):
        return sentence
    return sentence + _NO_NODE_FITS.said("on no node", resource=name)


def _created_too_late(session: FinishedSession, job: Job, refusal: Refusal) -> str:
    """Say that a gang lacks pods that are created only once others of it run; empty where it lacks none of these."""
    pods = session.cluster.awaited.get(job.uid)
    later = [each for each in pods.roles if each.waits_for == DEPENDENCIES] if pods else []
    created = 0 if pods is None else pods.number - pods.number_waiting_for(DEPENDENCIES)
    running = {task.role for task in job.tasks.values() if task.status in READY_STATUSES}
    for role in later:
        lacks = refusal.text == f"tasks of role {role.role}" or (
            refusal.text == "tasks" and (refusal.have or 0) + created < (refusal.need or 0)
        )
        if not lacks or role.depends_on is None or not running.isdisjoint(role.depends_on.name):
            continue
        names, is_any = role.depends_on.name, role.depends_on.iteration == "any"
        tasks, verb = one_of(names) if is_any else listed_names(names), "runs" if len(names) == 1 or is_any else "run"
        them, wait = (tasks, "waits") if len(names) == 1 else ("they", "wait")
        return VERDICT_RULES[VerdictCode.GANG_TOO_SMALL].said(
            "created too late", role=role.role, tasks=tasks, run=verb, them=them, wait=wait
        )
    return ""


def _detail(
    session: FinishedSession, job: Job, task: Task | None, refusal: Refusal, errors: FitErrors | None, *, the_task: str
) -> str:
    """Return what the sentence of a refusal leaves to the case."""
    if refusal.code == VerdictCode.PRE_PREDICATE_FAILED and task is not None and "plugin Volume" in refusal.text:
        return unusable_claim(session, task) or refusal.text
    if refusal.code in OF_NODES:
        return _no_node_fits(session, task, refusal, errors, the_task=the_task)
    if refusal.code == VerdictCode.NO_HYPER_NODE:
        return no_hyper_node(session, job)
    if refusal.code == VerdictCode.ROLE_FAILED and task is not None:
        first = session.gang(job).failed_roles.get((job.sub_job_uid(task), task.role))
        its_errors, named = (None, "") if first is None else (job.fit_errors[first.uid], f"{first.name}, ")
        said = VERDICT_RULES[refusal.code].said("earlier task", named=named, role=task.role)
        return no_node_takes_it(its_errors, said, _without(session, first, its_errors))
    if refusal.code == VerdictCode.NOT_ENQUEUED_OVERCOMMIT:
        name, total = refusal.resource, session.total_resource.get(refusal.resource)
        used = float(refusal.text) * total - (refusal.have or 0.0)
        stale = kept_by_stale_groups(session, name)
        if not total:
            return stale
        # The limit of overcommit is its factor times what all nodes have, minus what was used at the opening.
        rule = VERDICT_RULES[refusal.code]
        in_use = rule.said("in use", used=in_words(name, used)) if used >= EPSILON else ""
        limit = rule.said("of all nodes", factor=refusal.text, total=in_words(name, total), in_use=in_use)
        return f"{limit}{stale}"
    return refusal.text


def _figures(refusal: Refusal) -> tuple[str, str]:
    return told_apart(refusal.resource, refusal.need, refusal.have)


def told_apart(name: str, need: float | None, have: float | None) -> tuple[str, str]:
    """Write what is needed and what there is, with as many digits as it takes to tell them apart."""
    texts = in_words(name, need), in_words(name, have)
    if texts[0] != texts[1] or need == have:
        return texts
    exact = [repr(figure(name, value)).removesuffix(".0") for value in (need, have)]
    return exact[0], exact[1]


def _no_node_fits(
    session: FinishedSession, task: Task | None, refusal: Refusal, errors: FitErrors | None, *, the_task: str
) -> str:
    """Tell how many nodes gave which reason, and what the closest one lacks; none is close where all have nothing."""
    large = None
    if refusal.node and not refusal.resource and errors and refusal.text in errors.reasons:
        large = LargeEnough(refusal.node, refusal.text, _since(session, refusal.node, refusal.text))
    text = no_node_takes_it(errors, the_task, _without(session, task, errors), large)
    if errors is not None and task is not None:
        missing = known_labels(session.nodes).missing(task.pod.spec) if NODE_AFFINITY in errors.reasons else []
        label = _NO_NODE_FITS.said("no label", labels=", nor ".join(map(str, missing[:_LABELS]))) if missing else ""
        more = [label, out_of_reach(session, task, errors), ports_in_use(session, task, errors)]
        text = ". ".join(filter(None, [text, *more]))
    if not refusal.node or large or (errors and not errors.nodes):
        return text
    return f"{text}. {_closest(session, task, refusal, is_one_of_many=bool(errors and errors.nodes > 1))}"


def _closest(session: FinishedSession, task: Task | None, refusal: Refusal, *, is_one_of_many: bool) -> str:
    """Say what the node lacks that comes closest: when the task was tried, and at the end of the session."""
    node, name = refusal.node, refusal.resource
    if not name:
        why = in_a_sentence(refusal.text)
        if task is not None and not could_hold(session.fit(task), session.reasons)[session.nodes.index[node]]:
            return _NO_NODE_FITS.said("kept out", node=node, why=why)
        return _NO_NODE_FITS.said("closest", node=node, why=why)
    need, have = _figures(refusal)
    if refusal.code == VerdictCode.LARGER_THAN_ANY_NODE:
        return VERDICT_RULES[refusal.code].said("closest", need=need, resource=name, node=node, have=have)
    where = f" {refusal.text}" if refusal.text else ""
    row = None if task is None else session.nodes.row.get(name)
    if task is not None:
        task_class, predicates = session.fit(task).task_class, session.node_plugins.predicates
        # A plugin may have amounts of its own of what a task asks for, such as those of single devices.
        if any(isinstance(each, MeasuringPredicate) and each.measures(task_class) for each in predicates):
            row = None
    now = float((refusal.have if row is None else session.nodes.future_idle[row, session.nodes.index[node]]) or 0.0)
    example = ", for example," if is_one_of_many else ""
    if abs(now - (refusal.have or 0.0)) < EPSILON:
        if now < EPSILON:
            return _NO_NODE_FITS.said("none free", need=need, resource=name, where=where, node=node, example=example)
        there = " there" if where else ""
        return _NO_NODE_FITS.said("some free", need=need, resource=name, where=where, node=node, have=have, there=there)
    late = ""
    if now - (refusal.need or 0.0) > -EPSILON:
        job = None if task is None else session.jobs.get(task.job)
        moves = [each.last_transaction for each in job.tasks.values()] if job is not None else []
        is_own = any(each is not None and each.node == node for each in moves)
        late = _NO_NODE_FITS.said("gang rolled back" if is_own else "too late")
    then = _NO_NODE_FITS.said("then and now", have=have if refusal.have else "none", now=in_words(name, now), late=late)
    case = "some free then" if refusal.have else "none free then"
    return _NO_NODE_FITS.said(case, need=need, resource=name, node=node, example=example, then=then)


def _without(session: FinishedSession, task: Task | None, errors: FitErrors | None) -> dict[str, int]:
    """How many nodes have none of a resource that a task asks for, where all nodes were asked."""
    nodes = session.nodes
    if task is None or errors is None or errors.nodes != len(nodes):
        return {}
    found = {}
    for name in task.request.dimensions():
        number = int((nodes.allocatable[nodes.row[name]] < EPSILON).sum()) if name in nodes.row else len(nodes)
        if number <= errors.reasons.get(f"Insufficient {name}", 0):
            found[name] = number
    return found


def _since(session: FinishedSession, node: str, reason: str) -> str:
    """Say since when a node is not ready, where that is the reason; empty where the snapshot does not say."""
    conditions = session.nodes.nodes[session.nodes.index[node]].object.status.conditions
    ready = next((each for each in conditions if each.type == "Ready" and each.status != "True"), None)
    if ready is None or ready.last_transition_time is None or not in_a_sentence(reason).startswith("is not ready"):
        return ""
    return _NO_NODE_FITS.said("since", time=timestamp(ready.last_transition_time.timestamp()))
