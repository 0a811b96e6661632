"""Why tasks and jobs are not placed, in words: nodes by their reasons, claims, host ports, and a job's headline.

Reference: pkg/scheduler/api/unschedule_info.go (FitErrors); the reasons are those of Kubernetes' scheduler plugins.

The headline of a job says what becomes of it, and what keeps it from being placed, in the same words everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.framework.session import Session
from vqs.engine.nodes.pods import ANY_ADDRESS, Port, host_ports
from vqs.engine.plugins.predicates.filters import PORTS_TAKEN
from vqs.engine.plugins.predicates.volumes import NO_ZONE, WRONG_NODE, WRONG_NODE_BEFORE, ZONE_LABELS, waits
from vqs.explain.outcome import Blocker, JobResult, Outlook, Verdict
from vqs.explain.verdict_rules import VERDICT_RULES, PodText
from vqs.model.codes import VerdictCode
from vqs.model.job import COMPLETED_STATUSES, FitErrors, Task
from vqs.model.kubernetes import NodeSelectorRequirement, PersistentVolume, PersistentVolumeClaim
from vqs.model.requests import claim_names, class_name
from vqs.model.wording import count, first_names, listed_names
from vqs.snapshot.reading.diagnostics import Guesser, probably_meant

ON_PODS: Final = "condition PodScheduled of a pod, and its event FailedScheduling"
ON_POD_GROUPS: Final = "condition Unschedulable of a PodGroup, and its event of that name"
EVENT_OF_POD_GROUPS: Final = "event Unschedulable of a PodGroup"

EXPLAIN_QUEUE: Final = "vqs explain-queue FILES --queue {queue} shows what the queue may have, and who holds it"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, as it is written, and what it means."""

    text: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text stands for.

    Attributes:
        text: the text, without what stands around it in a log or a list of events.
        place: where it is found.
        parts: what it says, part by part.
        codes: the verdicts that it may come from.
        job: the job that it names, as namespace/name.
        steps: what to do next, besides looking the verdicts up.
        about: what it is about, where it stands on a pod.
    """

    text: str
    place: str
    parts: tuple[Part, ...]
    codes: tuple[str, ...] = ()
    job: str = ""
    steps: tuple[str, ...] = ()
    about: PodText | None = None


def codes_shown_as(*about: PodText, without: Container[str] = ()) -> tuple[str, ...]:
    """Return the verdicts whose pods show such a text, in the order in which a task meets them."""
    return tuple(
        code for code, rule in VERDICT_RULES.items() if code not in without and not {*about}.isdisjoint(rule.shown)
    )


FIT_ERROR: Final = re.compile(
    r"(?:In hyperNode (?P<group>\S+): )?(?<![\d/])0/(?P<nodes>\d{1,9}) nodes are unavailable(?:: (?P<reasons>.*))?$"
)
_NEXT_REASON: Final = re.compile(r", (?=\d+ )")
_COUNTED: Final = re.compile(r"(\d{1,9}) (.*)")
_SHORT: Final = "Insufficient "
_IN_MESSAGES: Final = "messages of pods, as the reason of a node"


class _Reason(NamedTuple):
    """What nodes say against a task.

    Attributes:
        pattern: matches the reason.
        meaning: what it means, said of a node.
        said: what it means to go on with after one node, or several, as the subject; empty for the rarer ones.
    """

    pattern: str
    meaning: str
    said: str = ""


_REASONS: Final = (
    _Reason(r"Insufficient pods", "there is no room for another pod", "{has} as many pods as the kubelet allows"),
    _Reason(
        r"Insufficient (\S+)",
        "too little {0} is left there, also once what is being deleted there is gone",
        "{has} too little {0} left",
    ),
    _Reason(r"node\(s\) were unschedulable", "cordoned: spec.unschedulable is set on the node", "{is} cordoned"),
    _Reason(
        r"node\(s\) had untolerated taint \{node\.kubernetes\.io/not-ready: .*\}",
        "not ready: its kubelet says so, and the pod does not tolerate the taint node.kubernetes.io/not-ready",
        "{is} not ready",
    ),
    _Reason(
        r"node\(s\) had untolerated taint \{node\.kubernetes\.io/unreachable: .*\}",
        "not ready: its kubelet no longer reports, and the pod does not tolerate the taint "
        "node.kubernetes.io/unreachable",
        "{is} not ready (unreachable)",
    ),
    _Reason(
        r"node\(s\) had untolerated taint \{node\.kubernetes\.io/(memory|disk|pid)-pressure: .*\}",
        "short of {0}: its kubelet says so, and the pod does not tolerate the taint node.kubernetes.io/{0}-pressure",
        "{is} under {0} pressure",
    ),
    _Reason(
        r"node\(s\) had untolerated taint \{(.*)\}",
        "tainted with {0}, and the pod does not tolerate that",
        "{has} the taint {{{0}}}, which the task does not tolerate",
    ),
    _Reason(
        r"node\(s\) had untolerated taint\(s\)",
        "tainted, and the pod does not tolerate at least one of its taints",
        "{has} a taint that the task does not tolerate",
    ),
    _Reason(
        r"node\(s\) didn't match Pod's node affinity/selector",
        "not what the pod's nodeSelector or node affinity asks for",
        "{does} not match the node selector or node affinity of the task",
    ),
    _Reason(
        r"node\(s\) pod number exceeded",
        "holds as many pods as it may already",
        "{has} as many pods as the kubelet allows",
    ),
    _Reason(
        r"node\(s\) didn't have free ports.*",
        "another pod there has a host port that the pod asks for",
        "{has} a pod that uses the host port already",
    ),
    _Reason(
        r"node\(s\) didn't match pod affinity rules",
        "none of the pods is near that the pod wants near it",
        "{is} not near the pods that the pod affinity of the task asks for",
    ),
    _Reason(
        r"node\(s\) didn't match pod anti-affinity rules",
        "a pod is near that the pod does not want near it",
        "{is} near a pod that the pod anti-affinity of the task keeps away from",
    ),
    _Reason(
        r"node\(s\) didn't satisfy existing pods anti-affinity rules",
        "a pod is near that does not want this one near it",
        "{is} near a pod whose own pod anti-affinity keeps the task away",
    ),
    _Reason(
        r"node\(s\) didn't match pod topology spread constraints.*",
        "with it there, pods would be spread too unevenly",
        "would break the topology spread constraints of the task",
    ),
    _Reason(
        r"node\(s\) (?:didn't match PersistentVolume's node affinity|had volume node affinity conflict)",
        "a volume of the pod cannot be used there: its node affinity asks for other nodes",
        "{does} not match the node affinity of a volume of the task",
    ),
    _Reason(
        r"node\(s\) had no available volume zone",
        "a volume of the pod cannot be used there: it is in another zone",
        "{is} in another zone than a volume of the task",
    ),
    _Reason(r"node\(s\) (?:had|didn't match) .*(?:volume|Volume).*", "a volume of the pod cannot be used there"),
    _Reason(
        r"node\(s\) didn't find available persistent volumes to bind",
        "no volume is there that a claim of the pod may get",
    ),
    _Reason(
        r"node\(s\) did not have enough free storage",
        "a volume has to be made for a claim of the pod, and no storage that it reaches has room for that",
    ),
    _Reason(
        r"node\(s\) unavailable due to one or more pvc\(s\) bound to non-existent pv\(s\)",
        "a claim of the pod is bound to a volume that does not exist",
    ),
    _Reason(
        r"node\(s\) exceed max volume count",
        "holds as many volumes as it may already",
        "{has} as many volumes attached as it can",
    ),
    _Reason(
        r"node isn't in scheduler node shard",
        "outside the scheduler's NodeShard, and in hard sharding mode it uses no other nodes",
        "{is} outside the NodeShard of the scheduler",
    ),
    _Reason(
        r"node group label not found",
        "in no node group, and the pod's queue, or the plugin nodegroup, asks for one",
        "{is} in no node group, and the plugin nodegroup requires one",
    ),
    _Reason(
        r"node group affinity not specified",
        "in a node group, and spec.affinity of the pod's queue names none",
        "{is} in a node group, and spec.affinity of the queue names none",
    ),
    _Reason(
        r"node does not satisfy the node group affinity|node not satisfy",
        "in a node group that the pod's queue does not name, or must avoid",
        "{is} in a node group that spec.affinity of the queue does not allow",
    ),
    _Reason(
        r"node group resource limit annotation invalid",
        "refusing all pods of the queue, as its annotation volcano.sh/nodegroup-resource-limits cannot be read",
        "{is} closed to the queue, whose limits of node groups cannot be read",
    ),
    _Reason(
        r"node group resource limit exceeded",
        "in a node group of which the pod's queue would hold more than its volcano.sh/nodegroup-resource-limits allows",
        "{is} in a node group of which the queue would hold too much",
    ),
    _Reason(
        r"proportional of resource (\S+) check failed",
        "with the pod there, too little idle cpu or memory would be left for its idle {0}",
        "{has} to keep cpu and memory for its idle {0} (option proportional)",
    ),
    _Reason(
        r"not allow to dispatch to revocable node",
        "a revocable node, and the task is not preemptable, or its annotation does not allow revocable nodes",
        "{is} revocable, and the task may not use revocable nodes",
    ),
    _Reason(
        r"revocable zone (\S+) not support",
        "in the revocable zone {0}, whose hours the configuration does not give",
        "{is} in the revocable zone {0}, whose hours the configuration does not give",
    ),
    _Reason(
        r"current time beyond revocable zone (\S+?):(.*)",
        "in the revocable zone {0}, which takes pods only at {1} (UTC)",
        "{is} in the revocable zone {0}, which takes pods only at {1} (UTC)",
    ),
    _Reason(
        r"the CPU load of the node exceeds the upper limit\.",
        "busier with CPU than the threshold of the plugin usage allows",
        "{is} busier with CPU than the plugin usage allows",
    ),
    _Reason(
        r"the memory load of the node exceeds the upper limit\.",
        "its memory is fuller than the threshold of the plugin usage allows",
        "{has} more memory in use than the plugin usage allows",
    ),
    _Reason(
        r"numa info is empty",
        "without a Numatopology, and the pod asks for a topology policy",
        "{has} no Numatopology, and the task asks for a NUMA policy",
    ),
    _Reason(
        r"cpu manager policy isn't static",
        "the kubelet's CPU manager is not static there, and the pod asks for a topology policy",
        "{has} no static CPU manager, and the task asks for a NUMA policy",
    ),
    _Reason(
        r"task topology policy\[(.*)\] is different with node\[(.*)\]",
        "the pod asks for the topology policy {0}, and the kubelet there follows {1}",
        "{has} the NUMA policy {1}, and the task asks for {0}",
    ),
    _Reason(
        r"cpu allocatable map is empty",
        "no CPU is free there that a container could have for itself",
        "{has} no CPU free that a container could have for itself",
    ),
    _Reason(
        r"container (\S+) cannot be assigned by numa",
        "the free CPUs there would spread the container {0} over more NUMA nodes than the topology policy allows",
        "{has} its free CPUs on more NUMA nodes than the task's policy allows",
    ),
    _Reason(
        r"plugin equivalence cache predicates failed",
        "the node refused another pod of the same template, and with CacheEnable that counts for this one, too",
        "{does} not take pods of this template: an earlier one was refused, and CacheEnable reuses that",
    ),
    _Reason(
        r"cannot allocate all claims",
        "too few devices are free there that the pod's ResourceClaims ask for, or not together as they ask for them",
        "{has} too few free devices for the ResourceClaims of the task",
    ),
    _Reason(
        r"invalid resource pools were encountered",
        "too few devices are free there, not counting pools that have two devices of the same name",
    ),
    _Reason(
        r"resourceclaim not available on the node",
        "a ResourceClaim of the pod holds devices that are not there",
        "{does} not have the devices that a ResourceClaim of the task holds",
    ),
    _Reason(
        r"timed out trying to allocate devices", "the search for devices for the pod's ResourceClaims took too long"
    ),
    _Reason(
        r"(?:claim|class) (\S+): selector #(\d+|N): CEL ([^\n]*)(?:\n(?s:.*))?",
        "selector {1} of the ResourceClaim or DeviceClass {0} fails: {2}",
    ),
    _Reason(
        r"claim (\S+), request (\S+): asks for all devices, but resource pool (\S+) is currently being updated",
        "the ResourceClaim {0} wants all devices, and not all ResourceSlices of the pool {2} are there",
    ),
    _Reason(
        r"claim (\S+), request (\S+): cannot add device (\S+) because a claim constraint would not be satisfied",
        "the ResourceClaim {0} wants all devices, and {2} does not meet its constraints",
    ),
    _Reason(
        r"((?:claim|pool) \S+ (?s:.*)|claim \S+: (?s:.*))", "devices for the pod cannot be searched for there: {0}"
    ),
    _Reason(
        r"GpuShare no enough gpu memory on node .*",
        "no GPU there has as much memory left as the pod asks for of one",
        "{has} no GPU with enough memory free",
    ),
    _Reason(
        r"GpuNumber no enough gpu number on node .*",
        "too few GPUs there are free of other pods",
        "{has} too few GPUs free",
    ),
    _Reason(
        r"hami-vgpuDeviceSharing error",
        "too few GPUs there have a slot, memory and cores left for a container, or are of the model and mode it wants",
        "{has} too few GPUs with a slot, memory and cores free",
    ),
    _Reason(
        r"no ascend device available",
        "its NPUs lack room for a container, or it asks for several of which it wants only a part",
        "{has} too few NPUs free",
    ),
    _Reason(
        r"node not initialized with device\S+",
        "its device plugin has registered no GPUs, or has not answered of late",
        "{has} no registered GPUs",
    ),
    _Reason(r"(?:plugin \S+ )?pre-predicates failed (.*)", "no node was asked at all: {0}", "{is} not checked: {0}"),
)

_VERBS: Final = ({"has": "has", "is": "is", "does": "does"}, {"has": "have", "is": "are", "does": "do"})
"""Of one node, and of several."""


def read_fit_error(found: re.Match[str]) -> Reading:
    """Read a text that counts nodes."""
    reasons = [reason for reason in _NEXT_REASON.split((found["reasons"] or "").removesuffix(".")) if reason]
    parts = [Part(f"0/{found['nodes']} nodes are unavailable", _asked(int(found["nodes"])))]
    if found["group"]:
        parts.insert(0, Part(f"In hyperNode {found['group']}", "only the nodes of this HyperNode were asked"))
    parts += [Part(reason, _meaning(reason)) for reason in reasons]
    return Reading(found[0], ON_PODS, tuple(parts), _codes(reasons), about=PodText.NODES)


def read_reason(text: str) -> Reading | None:
    """Read what one node said, without the text that counts the nodes; None where no node says that."""
    for reason in (text, text.removesuffix(".")):
        counted = _COUNTED.fullmatch(reason)
        if _known(counted[2] if counted else reason):
            part = Part(reason, _meaning(reason) if counted else f"about the node: {_meaning(reason)}")
            return Reading(reason, _IN_MESSAGES, (part,), _codes([reason]), about=PodText.NODES)
    return None


def _asked(nodes: int) -> str:
    if not nodes:
        return "there was no node to ask"
    return f"none of {nodes:,} nodes takes the pod; a node that gives several reasons counts in each of them"


def _meaning(reason: str) -> str:
    counted = _COUNTED.fullmatch(reason)
    number, text = (int(counted[1]), counted[2]) if counted else (0, reason)
    nodes = "1 node: " if number == 1 else f"{number:,} nodes: " if number else ""
    return nodes + reason_meaning(text)


def in_a_sentence(reason: str, nodes: int = 1) -> str:
    """What a reason says of one node, or of several, to go on with after them as the subject.

    >>> in_a_sentence("Insufficient cpu"), in_a_sentence("node(s) were unschedulable", 2)
    ('has too little cpu left', 'are cordoned')
    """
    known = _known(reason)
    if known and known[0].said:
        return known[0].said.format(*known[1], **_VERBS[nodes > 1])
    return f'{"say" if nodes > 1 else "says"} "{reason}"'


class LargeEnough(NamedTuple):
    """A node that is large enough for a task, its reason against the task, and since when that is so, if it is known.

    >>> LargeEnough("n", "node(s) were unschedulable").among(2)
    ' (such as n, which is large enough)'
    """

    node: str
    reason: str
    since: str = ""

    def among(self, nodes: int) -> str:
        """Name it as one of some nodes that give this reason."""
        return f" ({'such as ' if nodes > 1 else ''}{self.node}, which is large enough)"


def no_node_takes_it(
    errors: FitErrors | None,
    task: str = "the task",
    without: Mapping[str, int] = MappingProxyType({}),
    large: LargeEnough | None = None,
) -> str:
    """Say that no node takes a task, and of how many nodes that is so for which reason, in plain words.

    Args:
        errors: how many nodes gave which reason.
        task: what the task is called.
        without: how many nodes have none of a resource, used or not.
        large: the node to name with its reason.
    """
    if errors is None or not errors.nodes:
        return f"no node can take {task}" if errors is None else "there are no nodes"
    full = all(reason.startswith(_SHORT) for reason in errors.reasons)
    reasons = []
    for reason, number in errors.reasons.items():
        name = reason.removeprefix(_SHORT)
        none = without.get(name, 0) if name != reason else 0
        reasons += [(none, f"{_VERBS[none > 1]['has']} no {name}", "")] if none else []
        said = in_a_sentence(reason, number - none)
        reasons += [(number - none, said, reason)] if number > none else []
    every = {1: "it", 2: "both"}.get(errors.nodes, f"all {errors.nodes:,}")
    parts = []
    for number, said, reason in sorted(reasons, key=lambda each: (-each[0], each[2])):
        is_named = large is not None and large.reason == reason and errors.nodes > 1
        named = large.among(number) if large and is_named else ""
        since = large.since if large and large.reason == reason and number == 1 else ""
        parts.append(f"{f'{number:,}' if number < errors.nodes else every}{named} {said}{since}")
    why = ("; " if any(", " in part for part in parts) else ", ").join(parts)
    only = errors.nodes == 1
    nodes = "the only node" if only else f"none of the {errors.nodes:,} nodes"
    where = f" of HyperNode {errors.hyper_node}" if errors.hyper_node else ""
    verb = ("has no room for" if only else "has room for") if full else ("cannot take" if only else "can take")
    return f"{nodes}{where} {verb} {task}: {why}"


def reason_meaning(text: str) -> str:
    """Say what a node's reason against a task means."""
    known = _known(text)
    return known[0].meaning.format(*known[1]) if known else "a plugin's own words"


def _known(text: str) -> tuple[_Reason, tuple[str, ...]] | None:
    """The reason that a text gives, with its parts; None where vqs does not know it."""
    found = ((each, re.fullmatch(each.pattern, text)) for each in _REASONS)
    return next(((each, match.groups()) for each, match in found if match), None)


def _codes(reasons: list[str]) -> tuple[str, ...]:
    """Return what such a text may come from: all nodes say the same where none was asked."""
    short = any(_SHORT in reason for reason in reasons)
    without = set() if short else {VerdictCode.FRAGMENTED, VerdictCode.LARGER_THAN_ANY_NODE}
    if short or len(reasons) > 1:
        without.add(VerdictCode.PRE_PREDICATE_FAILED)
    elif any("pre-predicates failed" in reason for reason in reasons):
        without.add(VerdictCode.NO_NODE_FITS)
    return codes_shown_as(PodText.NODES, without=without)


def blocked_by(job: JobResult) -> tuple[str, str]:
    """The code and the sentence of the first thing that keeps a job waiting; empty where nothing does."""
    if job.blockers:
        return job.blockers[0].code, job.blockers[0].text
    if job.verdict is None or job.verdict.code == VerdictCode.EVICTED:
        return "", ""
    return job.verdict.code, of_tasks(job.verdict)


def of_tasks(verdict: Verdict, tasks: int = 1) -> str:
    """The sentence of a verdict where it is about one task of a job, or several."""
    subject = "a task" if tasks == 1 else f"each of {tasks:,} tasks"
    text = re.sub("^the task", subject, verdict.text)
    text = text.replace("with the task", "with one more task", 1)
    return re.sub(r"\bthe task\b", "one of its tasks", text, count=1)


def others(blockers: Sequence[Blocker], most: int = 2) -> str:
    """What else keeps a job, or some of its tasks, waiting, as a sentence; empty where nothing does."""
    if not blockers:
        return ""
    left = f"; and {len(blockers) - most:,} more" if len(blockers) > most else ""
    named = "; ".join(each.text.rstrip(".") for each in blockers[:most])
    return f"Also in its way: {named}{left}."


def prospect(outlook: Outlook | None) -> str:
    """What the sessions that follow do with a job, without its name; empty where they were not run."""
    if outlook is None or outlook.starts_in_session in (0, 1):
        return ""
    if outlook.starts_in_session is None and outlook.settled:
        return "does not start, however many sessions follow"
    if outlook.starts_in_session is None:
        return f"does not start in {count(outlook.sessions, 'session')}"
    names = first_names(outlook.waits_for)
    gone = f", once {names} {'is' if len(outlook.waits_for) == 1 else 'are'} gone" if names else ""
    return f"starts in session {outlook.starts_in_session}{gone}"


def partly(outlook: Outlook | None, pods: int) -> str:
    """How many of a job's pods have a node in the end, to go on with after `prospect`; empty where all have."""
    if outlook is None or outlook.pods_bound >= pods:
        return ""
    return f", with {outlook.pods_bound:,} of its {count(pods, 'pod')}"


def efforts(outlook: Outlook | None) -> str:
    """What is done in a job's favour for nothing, as a sentence; empty where nothing is."""
    if outlook is None or outlook.starts_in_session is not None:
        return ""
    if outlook.pods_evicted:
        evicting, every = outlook.sessions_evicting, outlook.sessions
        within = "this session" if every == 1 else f"{evicting if evicting < every else 'all'} of {every} sessions"
        evicted = f"{count(outlook.pods_evicted, 'pod')} {'is' if outlook.pods_evicted == 1 else 'are'} evicted"
        return f"In {within}, {evicted} for this job{' in all' if evicting > 1 else ''}, and it still waits."
    if outlook.sessions_reserving:
        reserving, every = outlook.sessions_reserving, outlook.sessions
        each = f"each of {every} sessions" if reserving == every else f"{reserving} of {every} sessions"
        each = each if every > 1 else "this session"
        return (
            f"In {each}, nodes are reserved for this job, and it does not start: a reservation ends with its session."
        )
    return ""


_OF_PLACES: Final = (NO_ZONE, WRONG_NODE, WRONG_NODE_BEFORE)
"""What nodes say that a volume cannot be used from."""

_BY_HAND: Final = "kubernetes.io/no-provisioner"


def unusable_claim(session: FinishedSession, task: Task) -> str:
    """Say of the first claim of a task that is missing, or should be bound and is not, why; empty without any."""
    cluster = session.cluster
    for name, is_ephemeral in claim_names(task.pod):
        key = f"{task.namespace}/{name}"
        claim = cluster.claims.get(key)
        if claim is None and not is_ephemeral:
            own = f"{task.namespace}/"
            names = (each.partition("/")[2] for each in cluster.claims if each.startswith(own))
            meant = session.noted(f"claims of {own}", partial(Guesser, names)).meant(name)
            return f"PersistentVolumeClaim {key} does not exist{f' (did you mean {meant!r}?)' if meant else ''}"
        why = "" if claim is None or claim.spec.volume_name else _unbound(session, claim)
        if why:
            return f"PersistentVolumeClaim {key} is Pending, not bound to a volume: {why}"
    return ""


def _unbound(session: Session, claim: PersistentVolumeClaim) -> str:
    """Say why a claim has no volume yet; empty where it gets one once its pod has a node."""
    classes, named = session.cluster.storage_classes, class_name(claim)
    if not named:
        return "it names no StorageClass, and no PersistentVolume"
    storage_class = classes.get(named)
    if storage_class is None:
        meant = probably_meant(named, classes)
        hint = f" (did you mean {meant!r}?)" if meant else ""
        return f"its StorageClass {named} does not exist{hint}" if classes else ""
    if waits(storage_class):
        return ""
    provisioner = storage_class.provisioner
    if provisioner == _BY_HAND:
        return f"nothing provisions volumes of its StorageClass {named}, so a PersistentVolume has to be created for it"
    return f"{provisioner}, the provisioner of its StorageClass {named}, has not made one yet"


def out_of_reach(session: Session, task: Task, errors: FitErrors) -> str:
    """Say which nodes can use the volumes of a task, where nodes refuse it for them; empty elsewhere."""
    if errors.reasons.keys().isdisjoint(_OF_PLACES):
        return ""
    said: list[str] = []
    for name, _ in claim_names(task.pod):
        claim = session.cluster.claims.get(f"{task.namespace}/{name}")
        volume = None if claim is None else session.cluster.volumes.get(claim.spec.volume_name)
        places = _places(volume) if volume is not None else ""
        if volume is not None and places:
            of = f"{'claim' if said else 'Claim'} {name} is bound to PersistentVolume {volume.metadata.name}"
            said.append(f"{of}, which only nodes with {places} can use")
    return " and ".join(said)


def _places(volume: PersistentVolume) -> str:
    """Say which labels nodes need to use a volume; empty where all nodes can."""
    required = volume.spec.node_affinity.required if volume.spec.node_affinity else None
    terms = required.node_selector_terms if required else []
    listed = [listed_names([_words(each) for each in (*term.match_expressions, *term.match_fields)]) for term in terms]
    zones = [f"{key}={volume.metadata.labels[key]}" for key in ZONE_LABELS if key in volume.metadata.labels]
    return " or ".join(filter(None, listed)) or listed_names(zones)


def _words(requirement: NodeSelectorRequirement) -> str:
    if requirement.operator == "In":
        return " or ".join(f"{requirement.key}={value}" for value in requirement.values)
    return " ".join(filter(None, [requirement.key, requirement.operator, ", ".join(requirement.values)]))


def ports_in_use(session: FinishedSession, task: Task, errors: FitErrors) -> str:
    """Say which pods use the host ports that a task asks for, where nodes refuse it for them; empty elsewhere."""
    refused, job = errors.reasons.get(PORTS_TAKEN, 0), session.jobs.get(task.job)
    if not refused or job is None:
        return ""
    wanted = host_ports(task.pod.spec)
    using: dict[str, Task] = {}
    taken: list[Port] = []
    for port in wanted:
        takers = session.takers_of_ports.get(port[1:], ())
        found = [each for address, each in takers if each.job != task.job and _meet(port[0], address)]
        using |= {each.uid: each for each in found}
        taken += [port] if found else []
    said: list[str] = []
    if using:
        names = first_names([f"{each.namespace}/{each.name}" for each in using.values()])
        said.append(f"{names} {'uses' if len(using) == 1 else 'use'} {_named(taken)}")
    alike = [
        each
        for each in job.tasks.values()
        if each.status not in COMPLETED_STATUSES and host_ports(each.pod.spec) == wanted
    ]
    if len(alike) > 1 and refused > len({each.node for each in using.values()}):
        said.append(
            f"{len(alike):,} pods of the job itself ask for {_named(wanted)}, and a node has room for one of them"
        )
    return "; ".join(said)


def _meet(one: str, other: str) -> bool:
    """True if two addresses cannot have the same port: a port of all addresses is in the way of any."""
    return one == other or ANY_ADDRESS in (one, other)


def _named(ports: Iterable[Port]) -> str:
    """Name ports by their numbers, with the address and the protocol where these are not the usual ones."""
    texts = [
        f"{'' if address == ANY_ADDRESS else f'{address}:'}{number}{'' if protocol == 'TCP' else f'/{protocol}'}"
        for address, protocol, number in sorted(ports, key=lambda port: port[2])
    ]
    return f"host port{'s' if len(texts) > 1 else ''} {listed_names(texts)}"
