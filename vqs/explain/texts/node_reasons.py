"""The text that counts the nodes by their reasons against a task: `0/4 nodes are unavailable: ...`; what a reading is.

Reference: pkg/scheduler/api/unschedule_info.go (FitErrors); the reasons are those of Kubernetes' scheduler plugins.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from vqs.explain.verdict_rules import VERDICT_RULES, PodText
from vqs.model.codes import VerdictCode
from vqs.model.job import FitErrors

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
