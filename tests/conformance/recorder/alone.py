"""Write scenarios in which one thing alone decides: a label beside an annotation, a status, a limit, a fallback.

    python -m tests.conformance.recorder.alone FOLDER [FAMILY ...]

Each row of a table has a node of its own, with victims and a pod that wants their room, or two nodes between which a
pod chooses. So all that a plugin says of a row shows, little is drawn by luck, and no row hides another.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

from tests.conformance.recorder.corners import at, claim, device_class, fields_of, slice_of
from tests.conformance.recorder.edges import last_group, pods_of, uneven
from tests.conformance.recorder.generate import (
    PREEMPTABLE,
    Cluster,
    Object,
    aligned,
    configuration,
    disruption_budget,
    hyper_node,
    numatopology,
    offer,
    plugin,
    priority_classes,
    write,
)


def faced(c: Cluster, rows: Sequence[Sequence[Object]], queues: int = 1) -> None:
    """A node for each row, which its victims fill, and a pod of a higher priority that wants the node as a whole.

    A victim is what its pods have of labels, annotations, status and spec, what metadata their PodGroup has, how many
    they are (`pods`), and how many have to stay (`minimum`). They are in the first of one or two queues, and the others
    in the last. Where the first says what is wanted (`wants`), that is less than the whole node.
    """
    names = uneven(c, len(rows), cpus=(4,))
    c.add_queues(queues)
    for name, row in zip(names, rows, strict=True):
        each_has = {"cpu": f"{4000 // sum(each.get('pods', 1) for each in row)}m", "memory": "1Gi"}
        for each in row:
            pods = each.get("pods", 1)
            least = each.get("minimum", 1)
            c.add_job(
                pods, running=pods, minimum=least, priority="low", requests=each_has, pod=partial(at, [name] * pods)
            )
            last_group(c)["spec"]["queue"] = "q0"
            last_group(c)["metadata"] |= each.get("group", {})
            for one in c.jobs[-pods - 1 :]:
                one["metadata"]["namespace"] = each.get("namespace", "team")
            for pod in c.jobs[-pods:]:
                pod["metadata"]["labels"] |= each.get("labels", {})
                pod["metadata"]["annotations"] |= {PREEMPTABLE: "true", **each.get("annotations", {})}
                pod["status"] |= each.get("status", {})
                pod["spec"] |= each.get("spec", {})
        wanted = {"cpu": row[0].get("wants", "4"), "memory": "1Gi"}
        c.add_job(1, priority="high", requests=wanted, pod=partial(only_on, name))
        last_group(c)["spec"]["queue"] = c.queues[-1]["metadata"]["name"]
    c.others += priority_classes()


def only_on(node: str, _: int) -> Object:
    """The field of a pod that may go to one node alone."""
    return {"spec/nodeSelector": {"kubernetes.io/hostname": node}}


def wanting(c: Cluster) -> list[tuple[Object, Object]]:
    """The PodGroups and pods of those that want a node."""
    return [each for each in pairwise(c.jobs) if each[0]["spec"].get("minMember") and "nodeSelector" in each[1]["spec"]]


EVICTING: Final = ("preempt", "reclaim", "gangpreempt", "gangreclaim")


def evicting(number: int, *own: str | Object) -> Object:
    """Preempt, reclaim, or what they are for gangs, in which these plugins and the priority alone say who may go."""
    gang = {"name": "gang", "enablePreemptable": False, "enableReclaimable": False}
    return configuration(f"enqueue, allocate, {EVICTING[number % 4]}", ("priority", gang, *own, "predicates"))


COOLDOWN: Final = "volcano.sh/cooldown-time"


def condition(of: str, time: str, status: str = "True") -> Object:
    """A condition of a pod, since a time of the day."""
    return {"type": of, "status": status, "lastTransitionTime": f"2026-11-21T{time}Z"}


LATELY: Final = condition("PodScheduled", "11:59:00")
BEFORE: Final = condition("PodScheduled", "10:00:00")
COOLING: Final[tuple[tuple[str | None, str | None, Object], ...]] = (
    ("1h", "1s", {"conditions": [LATELY]}),
    ("1s", "1h", {"conditions": [LATELY]}),
    ("", "1h", {"conditions": [LATELY]}),
    ("soon", "1h", {"conditions": [LATELY]}),
    (None, "1h", {"conditions": [LATELY]}),
    ("1h", None, {"conditions": [LATELY], "phase": "Pending"}),
    ("1h", None, {"conditions": [condition("PodScheduled", "11:59:00", "False")]}),
    ("1h", None, {"conditions": [condition("PodScheduled", "11:59:00", "Unknown"), BEFORE]}),
    ("1h", None, {"conditions": [condition("PodScheduled", "10:00:00", "False"), LATELY]}),
    ("1h", None, {"conditions": [BEFORE, LATELY]}),
    ("1h", None, {"conditions": [LATELY, BEFORE]}),
    ("2h", None, {"conditions": [BEFORE]}),
    ("1h", None, {"conditions": [BEFORE], "startTime": "2026-11-21T11:59:00Z"}),
    ("1h", None, {"conditions": [{"type": "PodScheduled", "status": "True"}], "startTime": "2026-11-21T11:59:00Z"}),
    ("1h", None, {"conditions": [condition("Ready", "11:59:00"), condition("Initialized", "11:59:00"), BEFORE]}),
    ("-1h", None, {"conditions": [LATELY]}),
)
"""How long pods cool down by their label and their annotation, and what their status says."""


def cooling(rng: random.Random, number: int) -> list[Object]:
    """Pods of which one thing alone says that they cool down, or that they do not."""
    c = Cluster(rng)
    rows = [
        {
            "labels": {} if label is None else {COOLDOWN: label},
            "annotations": {} if annotation is None else {COOLDOWN: annotation},
            "status": status,
        }
        for label, annotation, status in COOLING
    ]
    faced(c, [[each] for each in rows], 1 + number % 2)
    return [evicting(number, "cdp"), *c.objects()]


def budget(name: str, allowed: int, selector: Object | None, namespace: str = "team", *disrupted: str) -> Object:
    """A PodDisruptionBudget that allows so many disruptions, and knows of pods that are going."""
    status: Object = {"disruptionsAllowed": allowed, "currentHealthy": 5, "desiredHealthy": 3, "expectedPods": 5}
    status |= {"disruptedPods": dict.fromkeys(disrupted, "2026-11-21T11:59:00Z")} if disrupted else {}
    return disruption_budget(name, selector, status, namespace)


def labels(**own: str) -> Object:
    """A selector of these labels."""
    return {"matchLabels": own}


def overlapping_budgets(rng: random.Random, number: int) -> list[Object]:
    """Pods of two budgets at a time, of those of other namespaces, and of those that know that they are going."""
    c = Cluster(rng)
    rows: list[list[Object]] = [
        [{"labels": {"a": "1", "b": "1"}}],
        [{"labels": {"c": "1", "d": "1"}}],
        [{"labels": {"e": "1", "f": "1"}, "pods": 2}],
        [{"labels": {"g": "1", "h": "1"}, "pods": 2}],
        [{"labels": {"i": "1"}}],
        [{"labels": {"j": "1"}, "pods": 2}],
        [{"labels": {"k": "1"}, "pods": 2}],
        [{"labels": {"l": "1", "m": "1"}}],
        [{"labels": {"n": "1"}, "namespace": "bare"}],
        [{"labels": {"same": "1"}}, {"labels": {"same": "1"}, "namespace": "bare"}],
        [{"labels": {"app": "x", "tier": "x"}}],
        [{"labels": {"app": "x"}}],
        [{"labels": {"o": "1"}}, {"labels": {"o": "1"}, "status": {"phase": "Pending"}}],
        [{"labels": {"p": "1"}}],
    ]
    faced(c, rows, 1 + number % 3 % 2)
    named = [[pod["metadata"]["name"] for pod in pods_of(c) if key in pod["metadata"]["labels"]] for key in "ijkl"]
    not_x = {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["x"]}]}
    c.others += [
        *(
            budget(name, allowed, labels(**{name: "1"}))
            for name, allowed in zip("abcdefgh", (5, 0, 0, 5, 2, 1, 1, 2), strict=True)
        ),
        budget("i", 0, labels(i="1"), "team", named[0][0]),
        budget("j", 1, labels(j="1"), "team", named[1][0]),
        budget("k", 1, labels(k="1"), "team", named[2][1]),
        budget("l", 0, labels(l="1"), "team", named[3][0]),
        budget("m", 0, labels(m="1")),
        budget("everything", 0, {}, "bare"),
        budget("nothing", 0, None, "bare"),
        *(budget("same", 1, labels(same="1"), each) for each in ("team", "bare")),
        budget("app", 0, {**labels(app="x"), **not_x}),
        budget("o", 1, labels(o="1")),
        budget("p", 0, labels(p="1"), "elsewhere"),
    ]
    if number % 3 == 2:
        return [configuration("shuffle", ("priority", "gang", "pdb", "predicates")), *c.objects()]
    return [evicting(number % 3, "pdb"), *c.objects()]


def budgets_in_turn(rng: random.Random, number: int) -> list[Object]:
    """Two pods of a budget that allows one to go; the first is spared for another budget, if it is asked for first."""
    c = Cluster(rng)
    faced(c, [[{"labels": {"a": "1", "b": "1"}, "wants": "2"}, {"labels": {"a": "1"}}]], 1 + number % 2)
    c.others += [budget("a", 1, labels(a="1")), budget("b", 0, labels(b="1"))]
    return [evicting(number, "pdb"), *c.objects()]


WAITED: Final = (
    ("x", "30m"),
    ("x", None),
    ("0s", "1s"),
    ("-1h", None),
    ("-1h", "8760h"),
    ("8760h", "1s"),
    ("1s", "8760h"),
    ("8760h", None),
    (None, "x"),
    (None, None),
)
"""How long jobs are ready to wait, by the two annotations."""


def spelled_terms(rng: random.Random, number: int) -> list[Object]:
    """Jobs that have waited an hour for more than there is, whose annotations say for how long they are ready to."""
    c = Cluster(rng)
    uneven(c, 1, cpus=(4,))
    c.add_queues(1)
    for own, short in WAITED:
        given = {"volcano.sh/sla-waiting-time": own, "sla-waiting-time": short}
        c.add_job(1, requests={"cpu": "4", "memory": "1Gi"}, group={key: each for key, each in given.items() if each})
        group = last_group(c)
        group["metadata"]["creationTimestamp"] = "2026-11-21T11:00:00Z"
        group["spec"]["minResources"] = {"cpu": "6", "memory": "1Gi"}
        group["status"]["phase"] = "Pending"
    if number % 2:
        group["metadata"]["labels"] = {"volcano.sh/sla-waiting-time": "1s", "sla-waiting-time": "1s"}
        c.add_job(1, requests={"cpu": "1", "memory": "1Gi"}, group={"sla-waiting-time": "8760h"})
        last_group(c)["spec"]["minResources"] = {"cpu": "1"}
        last_group(c)["status"]["phase"] = "Pending"
    usual = ({}, {"sla-waiting-time": "1s"}, {"sla-waiting-time": "8760h"}, {"sla-waiting-time": 60})[number % 4]
    overcommit = {"name": "overcommit", "arguments": {"overcommit-factor": 1.0}}
    tiers = (("priority", {"name": "sla", "arguments": usual}), ("gang", "predicates", overcommit))
    return [configuration("enqueue, allocate", *tiers), *c.objects()]


def patient(rng: random.Random, number: int) -> list[Object]:
    """Jobs that others are evicted for, and that would be ready to wait longer, or would not."""
    c = Cluster(rng)
    terms = ("8760h", "1s", "x", None)
    faced(c, [[{}] for _ in terms])
    for (group, _), term in zip(wanting(c), terms, strict=True):
        group["metadata"]["annotations"] = {} if term is None else {"sla-waiting-time": term}
    return [evicting(number, "sla"), *c.objects()]


ZONE: Final = "volcano.sh/revocable-zone"
LEAST: Final = "volcano.sh/jdb-min-available"
MOST: Final = "volcano.sh/jdb-max-unavailable"
STAYS: Final = {PREEMPTABLE: "false"}
"""What a pod has that may evict others."""


def zones_of_day(**more: Any) -> Object:
    """The plugin tdm with a zone that is open at noon, and one that is not."""
    zones = {"tdm.revocable-zone.day": "08:00-18:00", "tdm.revocable-zone.night": "20:00-23:00"}
    return plugin(
        "tdm", **{key.replace(".", "__"): each for key, each in zones.items()}, tdm__evict__period="0s", **more
    )


WANTING: Final[tuple[tuple[Object, Object, Object], ...]] = (
    (STAYS, {}, {}),
    ({}, {}, {}),
    ({**STAYS, ZONE: "*"}, {}, {}),
    ({PREEMPTABLE: "true", ZONE: "x"}, {}, {}),
    ({}, STAYS, {}),
    ({**STAYS, ZONE: ""}, {}, {}),
    ({PREEMPTABLE: "maybe"}, {}, {}),
    (STAYS, {}, {"annotations": {PREEMPTABLE: "true"}, "labels": STAYS}),
    (STAYS, {}, {"annotations": STAYS, "labels": {PREEMPTABLE: "true"}}),
    (STAYS, {}, {"labels": {PREEMPTABLE: "true"}}),
    (STAYS, {}, {"annotations": {PREEMPTABLE: "maybe"}, "labels": {PREEMPTABLE: "true"}}),
)
"""The annotations and labels of pods that want a node, and the metadata of their PodGroups."""

LIMITED: Final[tuple[tuple[Object, ...], ...]] = (
    ({"status": {"phase": "Pending"}},),
    ({}, {}),
    ({"pods": 2},),
    ({"pods": 2, "group": {"annotations": {MOST: "2"}}},),
    ({"pods": 2, "group": {"labels": {MOST: "2"}}},),
    ({"pods": 2, "group": {"annotations": {LEAST: "1", MOST: "2"}}},),
    ({"pods": 2, "group": {"annotations": {LEAST: "0", MOST: "1"}}},),
    ({"pods": 2, "group": {"annotations": {LEAST: "", MOST: "2"}}},),
    ({"pods": 2, "group": {"annotations": {LEAST: "x", MOST: "1"}}},),
    ({"pods": 2, "group": {"annotations": {MOST: "51%"}}},),
    ({"pods": 2, "group": {"annotations": {LEAST: "49%"}}},),
    ({"group": {"annotations": {LEAST: "3"}}},),
    ({"group": {"annotations": {MOST: ""}}},),
)
"""Victims of jobs that limit how many of their pods may go at a time."""


def limited_evictions(rng: random.Random, number: int) -> list[Object]:
    """Pods that may evict others or may not, victims of which so many may go, and jobs that want two nodes at once."""
    c = Cluster(rng)
    faced(c, [*([{}] for _ in WANTING), *LIMITED, *([{}] for _ in range(3)), LIMITED[0]], 1 + number % 2)
    wanted = wanting(c)
    others = (WANTING[0],) * (len(wanted) - len(WANTING))
    for (group, pod), (said, own, of_group) in zip(wanted, (*WANTING, *others), strict=True):
        pod["metadata"]["annotations"] |= said
        pod["metadata"]["labels"] |= own
        group["metadata"] |= of_group
    for minimum, place in ((1, -4), (2, -2)):
        (one, _), (other, pod) = wanted[place:][:2]
        one["spec"]["minMember"] = minimum
        of_one = {"scheduling.k8s.io/group-name": one["metadata"]["name"], "volcano.sh/task-spec": "other"}
        pod["metadata"]["annotations"] |= of_one
        c.jobs.remove(other)
    action = ("preempt", "reclaim")[number % 2]
    own = zones_of_day()
    tiers: tuple[str | Object, ...] = ("priority", own, *(("conformance",) * (number % 2)), "predicates")
    return [configuration(f"enqueue, allocate, {action}", tiers), *c.objects()]


def zones_evicted_from(rng: random.Random, number: int) -> list[Object]:
    """Pods that may go to revocable nodes, as nothing keeps them off, and would have to evict others there."""
    c = Cluster(rng)
    faced(c, [[{"pods": 2, "group": {"annotations": {MOST: "2"}}}] for _ in range(4)])
    for node, zone in zip(c.nodes, ("", "day", "night", "nowhere"), strict=True):
        node["metadata"]["labels"] |= {ZONE: zone} if zone else {}
    for _, pod in wanting(c):
        pod["metadata"]["annotations"] |= STAYS
    own = zones_of_day(enablePredicate=False)
    actions = ("enqueue, allocate, preempt", "enqueue, shuffle, allocate, preempt")[number % 2]
    return [configuration(actions, ("priority", own, "predicates")), *c.objects()]


def leaving_again(rng: random.Random, number: int) -> list[Object]:
    """A closed zone from which pods are evicted one at a time, once or twice in a session."""
    c = Cluster(rng)
    faced(c, [[{"pods": 2}], [{"pods": 2, "group": {"annotations": {LEAST: "1"}}}]])
    for node in c.nodes:
        node["metadata"]["labels"][ZONE] = "night"
    own = zones_of_day()
    own["arguments"]["tdm.evict.period"] = ("0s", "1h")[number % 2]
    return [configuration("shuffle, shuffle", ("priority", own, "predicates")), *c.objects()]


def paired(c: Cluster, pods: Sequence[Object]) -> None:
    """Two nodes for each of some pods, which take no other: what the pod is decides between them."""
    uneven(c, 2 * len(pods))
    c.add_queues(1)
    for index, node in enumerate(c.nodes):
        node["metadata"]["labels"]["pair"] = str(index // 2)
    for index, each in enumerate(pods):
        amounts = each.get("requests", {"cpu": "1", "memory": "1Gi"})
        c.add_job(1, requests=amounts, pod=partial(fields_of, {"spec/nodeSelector": {"pair": str(index)}}))
        for kind in ("annotations", "labels"):
            c.jobs[-1]["metadata"][kind] |= each.get(kind, {})


ALLOWED: Final[tuple[tuple[str, int, Object], ...]] = (
    ("day", 1, {"annotations": {ZONE: "*"}}),
    ("day", 1, {"annotations": {ZONE: "day"}}),
    ("day", 1, {"annotations": {ZONE: "day", PREEMPTABLE: "true"}}),
    ("day", 1, {"annotations": {ZONE: "*", PREEMPTABLE: "false"}}),
    ("day", 1, {"annotations": {PREEMPTABLE: "true"}}),
    ("day", 1, {"annotations": {PREEMPTABLE: "maybe"}}),
    ("day", 1, {"labels": {ZONE: "*"}}),
    ("day", 1, {"labels": {PREEMPTABLE: "true"}}),
    ("day", 1, {}),
    ("night", 0, {"annotations": {ZONE: "*"}}),
    ("nowhere", 0, {"annotations": {ZONE: "*"}}),
    ("night", 0, {}),
    ("", 0, {"annotations": {ZONE: "*"}}),
)
"""The zone of the first node of a pair, which of the two others favour, and what the pod says."""


def revocable_pairs(rng: random.Random, number: int) -> list[Object]:
    """Pods that choose between a node of a zone and one of none, of which one is fuller."""
    c = Cluster(rng)
    paired(c, [pod for _, _, pod in ALLOWED])
    for index, (zone, favoured, _) in enumerate(ALLOWED):
        first, *_ = pair = c.nodes[2 * index :][:2]
        first["metadata"]["labels"] |= {ZONE: zone} if zone else {}
        name = pair[favoured]["metadata"]["name"]
        c.add_job(1, running=1, requests={"cpu": "4", "memory": "4Gi"}, pod=partial(at, [name]))
    own = zones_of_day(**({"enablePredicate": False} if number % 2 else {}))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, "binpack")), *c.objects()]


Used = tuple[float, float, str]
"""Which percentage of the cores and of the memory of a node was used, and at what time of the day."""


def use(c: Cluster, node: Object, cpu: float, memory: float, at_time: str = "12:00:00") -> None:
    """Say how much of a node was used at a time."""
    amounts = node["status"]["allocatable"]
    milli, mebibytes = int(amounts["cpu"]) * 10 * cpu, float(amounts["memory"][:-2]) * 10.24 * memory
    c.measure(node, {"cpu": f"{milli:.0f}m", "memory": f"{mebibytes:.0f}Mi"})
    c.others[-1]["timestamp"] = f"2026-11-21T{at_time}Z"


def running(requests: Object, limits: Object | None = None, started: str = "11:59:50", **more: Object) -> Object:
    """What is said of a pod that runs since a time of the day."""
    status = {"phase": "Running"} | ({"startTime": f"2026-11-21T{started}Z"} if started else {})
    return {"requests": requests, "limits": limits or {}, "status": status, **more}


TWO: Final = {"cpu": "2", "memory": "1Mi"}
DELETED: Final = {"deletionTimestamp": "2026-11-21T12:00:20Z", "deletionGracePeriodSeconds": 30}
OTHERS: Final = {"schedulerName": "default-scheduler"}
THOUGHT: Final[tuple[tuple[tuple[float, float], tuple[float, float], Object], ...]] = (
    ((0, 0), (10, 0), running(TWO, status={"phase": "Pending"})),
    ((0, 0), (10, 0), running(TWO, started="")),
    ((0, 0), (10, 0), running(TWO, started="11:59:30")),
    ((0, 0), (10, 0), running(TWO, started="11:59:15")),
    ((0, 0), (10, 0), running(TWO, started="11:58:00")),
    ((0, 0), (10, 0), running(TWO)),
    ((0, 0), (10, 0), running(TWO, metadata=DELETED)),
    ((0, 0), (10, 0), running(TWO, spec=OTHERS)),
    ((0, 0), (10, 0), running(TWO, spec=OTHERS, status={"phase": "Pending"})),
    ((0, 0), (10, 0), running(TWO, spec=OTHERS, started="11:00:00")),
    ((0, 0), (10, 0), running(TWO, status={"phase": "Succeeded", "startTime": "2026-11-21T11:59:50Z"})),
    ((0, 0), (2, 0), running({})),
    ((0, 0), (8, 0), running({})),
    ((0, 0), (20, 0), running({})),
    ((70, 70), (73.4, 70), running({})),
    ((0, 0), (2, 0), running({"memory": "1Mi"})),
    ((0, 0), (15, 0), running(TWO, {"cpu": "1"})),
    ((70, 70), (89, 70), running(TWO)),
    ((0, 0), (20, 0), running(TWO, {"cpu": "4"})),
    ((60, 60), (90, 60), running(TWO)),
    ((25, 25), (65, 25), running({"cpu": "1", "memory": "1Mi"}, {"cpu": "4"})),
    ((25, 25), (80, 25), running({"cpu": "1", "memory": "1Mi"}, {"cpu": "5"})),
    ((0, 0), (10, 0), running({"cpu": "10m", "memory": "8Gi"})),
)
"""What is used of each node of a pair, and a pod on the first that may count as well."""

ESTIMATES: Final[tuple[tuple[Object, str], ...]] = (
    ({}, "30s"),
    ({"request_ratio": 1, "burst_ratio": 0.5, "risk_threshold": 0.25, "risk_factor": 2, "be_cpu": "2"}, "30s"),
    ({"request_ratio": 1.5, "burst_ratio": 1.5, "risk_threshold": 1.5, "risk_factor": 0.5, "be_cpu": -5}, "30s"),
    ({"request_ratio": -1, "burst_ratio": -1, "risk_threshold": -1, "be_cpu": "x", "be_mem": "-1Gi"}, "30s"),
    ({"be_cpu": 0, "be_mem": 2048}, "0s"),
    ({"be_cpu": "0", "be_mem": "2Gi"}, "-1m"),
    ({}, "1m"),
    ({}, "soon"),
)
"""How the use of pods is estimated, and how often it is measured."""


def thought_of(rng: random.Random, number: int) -> list[Object]:
    """Pods that choose between two nodes, by what another that is placed on the first is thought to use."""
    c = Cluster(rng)
    paired(c, [{}] * (len(THOUGHT) + 2))
    for index, (first, second, fields) in enumerate(THOUGHT):
        one, other = c.nodes[2 * index :][:2]
        use(c, one, *first)
        use(c, other, *second)
        resources = {"requests": fields["requests"], "limits": fields["limits"]}
        c.add_job(1, running=1, requests=resources, pod=partial(at, [one["metadata"]["name"]]))
        pod = c.jobs[-1]
        pod["spec"]["containers"][0]["resources"] = {key: each for key, each in resources.items() if each}
        pod["status"] = fields["status"]
        pod["metadata"] |= fields.get("metadata", {})
        if "spec" in fields:
            pod["spec"] |= fields["spec"]
            del pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
            c.jobs.remove(last_group(c))
    *_, small, _, tried, other = c.nodes
    small["status"]["allocatable"]["cpu"] = "6"
    for node, cpu in zip(c.nodes[-4:], (0, 20, 0, 10), strict=True):
        use(c, node, cpu, 0)
    status = running(TWO)["status"]
    c.add_job(1, running=1, requests=TWO, pod=lambda _: {"spec/nodeName": small["metadata"]["name"], "status": status})
    wanted = ({"pair": tried["metadata"]["labels"]["pair"]}, {"pair": "none"})
    c.add_job(2, minimum=2, priority="high", requests=TWO, pod=lambda index: {"spec/nodeSelector": wanted[index]})
    c.jobs[-1]["metadata"]["annotations"]["volcano.sh/task-spec"] = "other"
    c.others += priority_classes()
    estimator, interval = ESTIMATES[number - 100]
    arguments = {"thresholds": {"cpu": 100, "mem": 100}} | ({"estimator": estimator} if estimator else {})
    own = {"name": "usage", "arguments": arguments}
    more = {"metrics": {"type": "metrics_server", "interval": interval}}
    return [configuration("allocate", ("priority", "gang", "predicates", own), **more), *c.objects()]


MEASURED: Final[tuple[tuple[Used | None, Used], ...]] = (
    ((95, 0, "11:53:00"), (90, 0, "11:59:00")),
    ((0, 0, "11:53:00"), (50, 0, "11:59:00")),
    ((95, 0, "11:56:00"), (50, 0, "11:59:00")),
    (None, (70, 70, "11:59:00")),
    (None, (0, 0, "11:59:00")),
    ((0.5, 0, "11:59:00"), (100, 0, "11:59:00")),
    ((0, 0.5, "11:59:00"), (0, 100, "11:59:00")),
    ((50, 50, "11:59:00"), (0, 0, "11:59:00")),
    ((0, 60, "11:59:00"), (60, 0, "11:59:00")),
    ((80, 80, "11:59:00"), (100, 0, "11:59:00")),
    ((81, 90, "11:59:00"), (10, 90, "11:59:00")),
    ((0, 0, "11:59:00"), (0, 0, "11:59:00")),
)
"""What is known of the use of each node of a pair."""

USAGE: Final[tuple[Object, ...]] = (
    {},
    {"thresholds": {"cpu": True, "mem": True}},
    {"thresholds": {"cpu": -1, "mem": 100}},
    {"usage.weight": 0},
    {"cpu.weight": 0, "memory.weight": 0},
    {"cpu.weight": 3, "memory.weight": 0, "thresholds": {"mem": 100}},
    {"usage.weight": -2, "cpu.weight": -3, "memory.weight": -3},
    {"thresholds": {"cpu": 101, "mem": "50"}},
)


def known_use(rng: random.Random, number: int) -> list[Object]:
    """Pods that choose between two nodes by how busy they are, or were; another plugin favours the first."""
    c = Cluster(rng)
    paired(c, [{}] * len(MEASURED))
    for index, (first, second) in enumerate(MEASURED):
        one, other = c.nodes[2 * index :][:2]
        if first is not None:
            use(c, one, *first)
        use(c, other, *second)
        name = one["metadata"]["name"]
        c.add_job(1, running=1, requests={"cpu": "3", "memory": "4Gi"}, pod=partial(at, [name]))
    own = {"name": "usage", "arguments": USAGE[number % len(USAGE)]}
    more = {"metrics": {"type": ("prometheus_adaptor", "prometheus")[number // 8 % 2]}}
    return [configuration("allocate", ("priority", "gang", "predicates", own, "binpack"), **more), *c.objects()]


GROUP: Final = "volcano.sh/nodegroup-name"


def group_affinity(required: str = "", preferred: str = "", forbidden: str = "", avoided: str = "") -> Object:
    """The affinity of a queue to node groups, each of which has a name of one letter."""
    kinds = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
    terms = {"nodeGroupAffinity": (required, preferred), "nodeGroupAntiAffinity": (forbidden, avoided)}
    return {
        name: {kind: [*groups] for kind, groups in zip(kinds, both, strict=True) if groups}
        for name, both in terms.items()
        if any(both)
    }


def add_queue(c: Cluster, name: str, affinity: Object | None = None, **spec: Any) -> None:
    """Add a queue that is not reclaimed from."""
    c.add_queues(1, **({} if affinity is None else {"affinity": affinity}), **spec)
    c.queues[-1]["metadata"] |= {"name": name, "uid": name}


def everywhere(c: Cluster, groups: Sequence[str | None], fields: Sequence[Object]) -> None:
    """A node of each group, and for each of them pods with some fields, of the queue that these name."""
    for node, group in zip(uneven_nodes(c, len(groups)), groups, strict=True):
        node["metadata"]["labels"] |= {} if group is None else {GROUP: group}
        for each in fields:
            pod = partial(only_on, node["metadata"]["name"])
            c.add_job(1, requests={"cpu": "100m", "memory": "1Mi"}, pod=pod)
            last_group(c)["spec"]["queue"] = each["queue"]
            for kind in ("labels", "annotations"):
                c.jobs[-1]["metadata"][kind] |= each.get(kind, {})


def uneven_nodes(c: Cluster, number: int) -> list[Object]:
    """Nodes of which each has a little more than the one before."""
    uneven(c, number)
    return c.nodes


def affine(rng: random.Random, number: int) -> list[Object]:
    """Queues that require, prefer, forbid or avoid a group in every combination, and pods of each for every node."""
    c = Cluster(rng)
    for bits in range(16):
        add_queue(c, f"q{bits:02}", group_affinity(*("a" * (bits >> place & 1) for place in range(4))))
    add_queue(c, "without")
    groups = (("a", None), ("b", ""))[number // 2 % 2]
    everywhere(c, groups, [{"queue": each["metadata"]["name"]} for each in c.queues])
    own = plugin("nodegroup", **({"strict": False} if number % 2 else {}))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own)), *c.objects()]


def inherited(rng: random.Random, number: int) -> list[Object]:
    """Queues that have their own affinity, an empty one, or that of another queue above them."""
    c = Cluster(rng)
    add_queue(c, "root", group_affinity(required="c") if number % 2 else None)
    add_queue(c, "top", group_affinity(required="a"), parent="root")
    add_queue(c, "empty", {}, parent="top")
    add_queue(c, "below-empty", parent="empty")
    add_queue(c, "middle", parent="top")
    add_queue(c, "below-middle", parent="middle")
    add_queue(c, "near", group_affinity(preferred="b"), parent="top")
    add_queue(c, "below-near", parent="near")
    add_queue(c, "plain", parent="root")
    add_queue(c, "alone")
    if number % 4 < 2:  # where its pods find a place, the scheduler panics
        add_queue(c, "orphan", parent="gone")
    everywhere(c, ("a", "b", "c", None), [{"queue": each["metadata"]["name"]} for each in c.queues[1:]])
    own = plugin("nodegroup", **({"strict": False} if number % 4 > 1 else {}))
    own |= {"enableHierarchy": True} if number < 104 else {}
    other = {"name": "drf", **({"enableHierarchy": True} if number >= 104 else {})}
    return [configuration("enqueue, allocate", ("priority", "gang", other, "predicates", own)), *c.objects()]


SCORED: Final[tuple[tuple[Object, str, str, str, str], ...]] = (
    (group_affinity("a", "b"), "a", "b", "0", "0"),
    (group_affinity("ab", "a"), "a", "b", "0", "800m"),
    (group_affinity("", "a", "", "b"), "a", "b", "0", "3"),
    (group_affinity("b", "a", "", "b"), "a", "b", "0", "3"),
    (group_affinity("", "ab", "", "b"), "a", "b", "0", "3"),
    (group_affinity("", "a", "", "b"), "a", "b", "0", "4040m"),
    (group_affinity("", "ab"), "a", "b", "0", "800m"),
    (group_affinity("", "aba"), "a", "b", "800m", "0"),
    (group_affinity("", "abac"), "a", "c", "0", "1120m"),
    (group_affinity("", "abc"), "a", "c", "0", "2400m"),
    (group_affinity("", "abc"), "a", "b", "0", "1120m"),
    (group_affinity("b", "", "a", "a"), "a", "b", "4", "0"),
)
"""The affinity of a queue, the groups of two nodes, and what others use of these."""


def scored_groups(rng: random.Random, number: int) -> list[Object]:
    """Pods that choose between a group that their queue likes better, and one that is fuller."""
    c = Cluster(rng)
    paired(c, [{}] * len(SCORED))
    for index, (affinity, *groups_and_used) in enumerate(SCORED):
        add_queue(c, f"queue-{index}", affinity)
        c.jobs[2 * index]["spec"]["queue"] = f"queue-{index}"
        for node, group, cpu in zip(c.nodes[2 * index :], groups_and_used[:2], groups_and_used[2:], strict=False):
            node["metadata"]["labels"][GROUP] = group
            if cpu != "0":
                c.add_job(1, running=1, requests={"cpu": cpu}, pod=partial(at, [node["metadata"]["name"]]))
    own = {"name": "nodegroup", "arguments": {"enablePreferredOrder": bool(number % 2)}}
    weights = plugin("binpack", binpack__cpu=1, binpack__memory=0)
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own, weights)), *c.objects()]


HELD: Final[tuple[tuple[str, Object, str, Object], ...]] = (
    ('{"g": {"cpu": "2"}}', {"cpu": "2"}, "", {}),
    ('{"g": {"cpu": "1999m"}}', {"cpu": "2"}, "", {}),
    ('{"g": {"cpu": 2}}', {"cpu": "2001m"}, "", {}),
    ('{"g": {"cpu": "1"}}', {"memory": "1Gi"}, "2", {}),
    ('{"g": {"cpu": "4", "memory": "1Gi"}}', {"cpu": "1", "memory": "2Gi"}, "", {}),
    ('{"g": {"cpu": "2", "memory": "4Gi"}}', {"cpu": "3", "memory": "1Gi"}, "", {}),
    ('{"g": null}', {"cpu": "1"}, "", {}),
    ('{"g": {}}', {"cpu": "1"}, "", {}),
    ('{"h": {"cpu": "0"}}', {"cpu": "1"}, "", {}),
    ("null", {"cpu": "1"}, "", {}),
    ("{}", {"cpu": "1"}, "", {}),
    ("", {"cpu": "1"}, "", {}),
    ("{", {"cpu": "1"}, "", {}),
    ('{"g": {"cpu": "x"}}', {"cpu": "1"}, "", {}),
    ('{"g": {"nvidia.com/gpu": "1"}}', {"cpu": "1"}, "", {}),
    ('{"g": {"cpu": "3"}}', {"cpu": "2"}, "2", {}),
    ('{"g": {"cpu": "3"}}', {"cpu": "2"}, "2", {"status": {"phase": "Pending"}}),
    ('{"g": {"cpu": "3"}}', {"cpu": "2"}, "2", {"metadata": DELETED}),
    ('{"g": {"cpu": "3"}}', {"cpu": "2"}, "2", {"status": {"phase": "Succeeded"}}),
    ('{"g": {"cpu": "0"}}', {"cpu": "1"}, "", {}),
    ('{"g": {"memory": 0}}', {"cpu": "1", "memory": "1Gi"}, "", {}),
    ('{"g": {"pods": "0"}}', {"cpu": "1"}, "", {}),
    ('{"g": {"nvidia.com/gpu": "0"}}', {"cpu": "1", "nvidia.com/gpu": "1"}, "", {}),
)
"""The limits of a queue, what a pod asks for, and what another in the node group holds, and how."""


def limited_groups(rng: random.Random, number: int) -> list[Object]:
    """A queue for each pod, which says how much its pods may hold in a group, or has one above it that does."""
    c = Cluster(rng)
    names = uneven(c, len(HELD), cpus=(8,))
    add_queue(c, "root", group_affinity("g"))
    for index, (limits, asked, held, fields) in enumerate(HELD):
        if index or number % 2 == 0:
            c.nodes[index]["metadata"]["labels"][GROUP] = "g"
        add_queue(c, f"queue-{index:02}", group_affinity("g"), parent="root")
        c.queues[-1]["metadata"]["annotations"] = {"volcano.sh/nodegroup-resource-limits": limits}
        own = f"queue-{index:02}"
        if number % 2:
            add_queue(c, f"below-{index:02}", None, parent=own)
            own = f"below-{index:02}"
        c.add_job(1, requests=asked, pod=partial(only_on, names[index]))
        last_group(c)["spec"]["queue"] = own
        if held:
            c.add_job(1, running=1, requests={"cpu": held}, pod=partial(at, [names[index]]))
            c.jobs[-1]["status"] |= fields.get("status", {})
            c.jobs[-1]["metadata"] |= fields.get("metadata", {})
            last_group(c)["spec"]["queue"] = own
    c.nodes[12]["metadata"]["labels"].pop(GROUP)
    own_plugin = {"name": "nodegroup", "enableHierarchy": True}
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", own_plugin)), *c.objects()]


OF_POD: Final = "volcano.sh/queue-name"
OF_GROUP: Final = "scheduling.volcano.sh/queue-name"


def queues_of_pods(rng: random.Random, _: int) -> list[Object]:
    """Pods that name one queue by a label and another by an annotation, none, or one that is not there."""
    c = Cluster(rng)
    add_queue(c, "a", group_affinity("a"))
    add_queue(c, "b", group_affinity("b"))
    add_queue(c, "empty", {})
    add_queue(c, "without")
    named = [
        {"labels": {OF_POD: "a"}, "annotations": {OF_POD: "b"}},
        {"annotations": {OF_POD: "a", OF_GROUP: "b"}},
        {"labels": {OF_POD: "a"}, "annotations": {OF_GROUP: "b"}},
        {"labels": {OF_POD: ""}, "annotations": {OF_POD: "a"}},
        {"annotations": {OF_POD: "", OF_GROUP: "a"}},
        {"annotations": {OF_GROUP: "a"}},
        {"labels": {OF_GROUP: "a"}},
        {"annotations": {OF_POD: "gone"}},
        {"annotations": {OF_POD: "empty"}},
        {"annotations": {OF_POD: "without"}},
        {},
    ]
    everywhere(c, ("a", "b", None), [{"queue": "b", **each} for each in named])
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates", "nodegroup")), *c.objects()]


SYSTEM: Final = {"priorityClassName": "system-node-critical"}
CRITICAL: Final[tuple[tuple[Object, ...], ...]] = (
    ({},),
    ({"spec": SYSTEM},),
    ({"spec": {"priorityClassName": "system-cluster-critical"}},),
    ({"spec": {"priorityClassName": "system-other", "priority": 2000001000}},),
    ({"spec": {"priority": 2000000000}},),
    ({"namespace": "kube-system"},),
    ({"namespace": "kube-public"},),
    ({"namespace": "kube-system", "spec": SYSTEM},),
    ({"spec": SYSTEM, "wants": "2"}, {}),
    ({"namespace": "kube-system", "wants": "2"}, {}),
)
"""Victims of which some keep the cluster running."""


def critical(rng: random.Random, number: int) -> list[Object]:
    """Pods of one priority class, or in one namespace, each on a node of its own."""
    c = Cluster(rng)
    faced(c, CRITICAL, 1 + number % 2)
    return [evicting(number, "conformance"), *c.objects()]


def ranks(rng: random.Random, number: int) -> list[Object]:
    """Jobs and pods of one, of equal and of other priorities, and a job that wants two nodes, but needs one."""
    c = Cluster(rng)
    faced(c, [[{"spec": {"priority": 10}}], [{"spec": {"priority": 5000}}], *([{}] for _ in range(6))], 1 + number % 2)
    groups = [each for each in c.jobs if each["kind"] == "PodGroup"]
    groups[4]["spec"]["priorityClassName"] = "high"  # the victim is of an equal job
    groups[6]["spec"]["priorityClassName"] = "higher"
    groups[9]["spec"]["priorityClassName"] = "low"
    own = [pods_of(c)[place] for place in (10, 11, 13, 15)]
    own[1]["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = groups[10]["metadata"]["name"]
    own[3]["metadata"]["annotations"] |= {
        "scheduling.k8s.io/group-name": groups[13]["metadata"]["name"],
        "volcano.sh/task-spec": "other",
    }
    c.jobs = [each for each in c.jobs if each is not groups[11] and each is not groups[15]]
    classes = priority_classes()
    classes.append({**classes[0], "metadata": {"name": "higher"}, "value": 2000})
    c.others = [each for each in c.others if each["kind"] != "PriorityClass"] + classes
    gang = {"name": "gang", "enablePreemptable": False, "enableReclaimable": False, "enableJobStarving": False}
    actions = f"enqueue, allocate, {EVICTING[number % 4]}"
    return [configuration(actions, ("priority", gang, "conformance", "predicates")), *c.objects()]


WHOLE: Final[tuple[tuple[Object, ...], ...]] = (
    ({"pods": 2, "minimum": 1, "wants": "2"},),
    ({"pods": 2, "minimum": 1, "wants": "4"},),
    ({"pods": 2, "minimum": 2, "wants": "2"},),
    ({"pods": 4, "minimum": 3, "wants": "2"},),
    ({"pods": 4, "minimum": 2, "wants": "3"},),
    ({"pods": 2, "minimum": 1, "wants": "2"}, {"pods": 2, "minimum": 2}),
    ({"pods": 2, "minimum": 1, "wants": "2", "status": {"phase": "Pending"}},),
)
"""Victims of gangs of which so many may go."""


def whole_gangs(rng: random.Random, number: int) -> list[Object]:
    """Gangs that are to keep their minimum, each on a node of its own."""
    c = Cluster(rng)
    faced(c, WHOLE, 1 + number % 2)
    tiers = ("priority", "gang", "conformance", "predicates")
    return [configuration(f"enqueue, allocate, {EVICTING[number % 4]}", tiers), *c.objects()]


def parts(rng: random.Random, number: int) -> list[Object]:
    """Sub-groups of a job of which there is room for one; the first or the last is of a higher priority."""
    c = Cluster(rng)
    uneven(c, 1, cpus=(4,))
    c.add_queues(1)
    c.add_job(2, minimum=1, requests={"cpu": "3", "memory": "1Gi"})
    last_group(c)["spec"]["subGroupPolicy"] = [{"name": "p", "matchLabelKeys": ["part"], "subGroupSize": 1}]
    for place, pod in enumerate(pods_of(c)):
        pod["metadata"]["labels"]["part"] = str(place)
        pod["spec"]["priority"] = (10, 1000)[(place + number) % 2]
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates")), *c.objects()]


HOST: Final = "kubernetes.io/hostname"
Ports = tuple[tuple[str, str, int], ...]
PORTS: Final[tuple[tuple[Ports, Ports], ...]] = (
    ((("", "TCP", 80),), (("10.0.0.1", "TCP", 80),)),
    ((("10.0.0.1", "TCP", 80),), (("", "TCP", 80),)),
    ((("0.0.0.0", "TCP", 80),), (("10.0.0.1", "TCP", 80),)),  # noqa: S104 - any address
    ((("10.0.0.1", "TCP", 80),), (("10.0.0.2", "TCP", 80),)),
    ((("10.0.0.1", "TCP", 80),), (("10.0.0.1", "TCP", 80),)),
    ((("", "TCP", 80),), (("", "UDP", 80),)),
    ((("", "", 80),), (("", "TCP", 80),)),
    ((("", "TCP", 80),), (("", "TCP", 81), ("", "TCP", 80))),
    ((("", "TCP", 80), ("", "TCP", 81)), (("", "TCP", 81),)),
    ((("", "TCP", 80),), (("", "TCP", 81),)),
)
"""The host ports that a pod on a node has, and those that another wants."""


def ports(rng: random.Random, _: int) -> list[Object]:
    """Pods that want a host port of one node, where another pod has one, by address, protocol and number."""
    c = Cluster(rng)
    c.add_queues(1)
    for node, both in zip(uneven_nodes(c, len(PORTS)), PORTS, strict=True):
        name = node["metadata"]["name"]
        for fields, wanted in zip((partial(at, [name]), partial(only_on, name)), both, strict=True):
            c.add_job(1, running=int(wanted is both[0]), requests={"cpu": "1", "memory": "1Gi"}, pod=fields)
            c.jobs[-1]["spec"]["containers"][0]["ports"] = [
                {
                    key: each
                    for key, each in (
                        ("hostIP", ip),
                        ("protocol", protocol),
                        ("hostPort", port),
                        ("containerPort", port),
                    )
                    if each
                }
                for ip, protocol, port in wanted
            ]
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates")), *c.objects()]


def near(key: str, **own: str) -> Object:
    """A term of pods that are to be near."""
    return {"topologyKey": key, "labelSelector": labels(**own)}


def attached(*terms: Object) -> Object:
    """The spec of a pod that is to be near others."""
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [*terms]}}}


def spread(*constraints: tuple[str, int, str, Object]) -> Object:
    """The spec of a pod that is spread: by which label of the nodes, how evenly, and among pods with which label."""
    return {
        "topologySpreadConstraints": [
            {"topologyKey": key, "maxSkew": skew, "whenUnsatisfiable": "DoNotSchedule", **more}
            | {"labelSelector": labels(**{label: "1"})}
            for key, skew, label, more in constraints
        ]
    }


TOGETHER: Final[tuple[tuple[Object, Object, tuple[Object, Object], tuple[tuple[Object, str], ...]], ...]] = (
    (attached(near("pair", a="1"), near("pair", b="1")), {"a": "1"}, ({}, {}), ()),
    (attached(near("rack", c="1")), {"c": "1"}, ({}, {}), ()),
    (attached(near("rack", d="1")), {"d": "1"}, ({}, {"rack": "d"}), ()),
    (attached(near("pair", e="1"), near("pair", f="1")), {}, ({}, {}), (({"e": "1"}, "1"), ({"f": "1"}, "1"))),
    (attached(near("area", g="1"), near(HOST, g="1")), {}, ({"area": "g"}, {"area": "g"}), (({"g": "1"}, "8"),)),
    (attached(near("area", h="1")), {}, ({"area": "h"}, {"area": "h"}), (({"h": "1"}, "8"),)),
    (spread((HOST, 1, "i", {})), {}, ({}, {}), (({"i": "1"}, "1"), ({}, "8"))),
    (spread((HOST, 1, "j", {})), {"j": "1"}, ({}, {}), (({"j": "1"}, "1"), ({}, "8"))),
    (spread((HOST, 1, "k", {"minDomains": 3})), {"k": "1"}, ({}, {}), (({"k": "1"}, "1"), ({"k": "1"}, "1"))),
    (spread((HOST, 1, "l", {}), ("rack", 9, "l", {})), {"l": "1"}, ({"rack": "l"}, {}), (({"l": "1"}, "1"),)),
    (
        spread((HOST, 9, "m", {}), ("rack", 1, "m", {})),
        {"m": "1"},
        ({"rack": "m"}, {"rack": "x"}),
        (({"m": "1"}, "1"), ({}, "8")),
    ),
    (spread(("rack", 1, "o", {})), {"o": "1"}, ({}, {}), ()),
)
"""The spec and the labels of a pod, labels of two nodes, and of a pod on each of them with the cores that it has."""


def together(rng: random.Random, _: int) -> list[Object]:
    """Pods that choose between two nodes by which pods are there."""
    c = Cluster(rng)
    paired(c, [{"labels": own} for _, own, _, _ in TOGETHER])
    waiting = pods_of(c)
    for index, (spec, _own, of_nodes, held) in enumerate(TOGETHER):
        waiting[index]["spec"] |= spec
        for node, of_node in zip(c.nodes[2 * index :], of_nodes, strict=False):
            node["metadata"]["labels"] |= of_node
        for node, (of_pod, cpu) in zip(c.nodes[2 * index :], held, strict=False):
            name = node["metadata"]["name"]
            c.add_job(1, running=1, requests={"cpu": cpu, "memory": "1Gi"}, labels=of_pod, pod=partial(at, [name]))
    return [configuration("enqueue, allocate", ("priority", "gang", "predicates")), *c.objects()]


def cores(number: str, **more: str) -> Object:
    """What a pod asks for: so many cores, a little memory, and perhaps something else."""
    return {"cpu": number, "memory": "1Gi", **more}


def deserving(cpu: str = "", memory: str = "", gpu: str = "", **more: Any) -> Object:
    """The spec of a queue that deserves some amounts."""
    amounts = {"cpu": cpu, "memory": memory, "nvidia.com/gpu": gpu}
    return {"deserved": {name: amount for name, amount in amounts.items() if amount}, **more}


def guaranteed(**amounts: str) -> Object:
    """The field of a queue's spec that guarantees something."""
    return {"guarantee": {"resource": amounts}}


GPU: Final = "nvidia.com/gpu"
HALVES: Final = (cores("2"), cores("2"))
PLENTY: Final = deserving("8", "64Gi")
GIVEN_UP: Final[tuple[Object, ...]] = (
    {"of": deserving("2", "1Gi")},
    {"of": deserving("4", "64Gi")},
    {"of": deserving("2", "1Gi"), "wants": cores("4")},
    {"of": deserving("1", **guaranteed(cpu="3"))},
    {"of": deserving("1", **guaranteed(cpu="2"))},
    {"of": deserving("1", **guaranteed(memory="2Gi"))},
    {"of": deserving("", "1Gi")},
    {"of": deserving("", "16Gi")},
    {"of": deserving("", "", "1")},
    {"of": deserving("4", "64Gi", "1"), "has": (cores("2", **{GPU: "2"}), cores("2", **{GPU: "2"}))},
    {"of": deserving("4", "64Gi", "1"), "has": (cores("2", **{GPU: "1"}), cores("2"))},
    {"of": deserving("4", "64Gi", "1"), "has": (cores("2"), cores("2")), "beside": (cores("1", **{GPU: "2"}),)},
    {"of": deserving("1", "", "4"), "has": (cores("2", **{GPU: "1"}), cores("2", **{GPU: "1"}))},
    {"of": {"deserved": {"pods": "1"}}},
    {"of": {"deserved": {"pods": "1", "memory": "64Gi"}}},
    {"of": deserving("1"), "has": ({"memory": "8Gi"}, {"memory": "8Gi"}), "wants": {"memory": "8Gi"}},
    {"of": deserving("", "12Gi"), "has": ({"memory": "8Gi"}, {"memory": "8Gi"}), "wants": {"memory": "8Gi"}},
    {"of": deserving("", "12Gi"), "has": ({"memory": "8Gi"}, {"cpu": "4"}), "wants": {"cpu": "4", "memory": "8Gi"}},
    {"of": deserving("2", "12Gi"), "has": ({"memory": "8Gi"}, {"cpu": "4"}), "wants": {"memory": "12Gi"}},
    {"of": {}, "has": ({"cpu": "4"},), "wants": {"memory": "17Gi"}},
    {"of": {}, "has": ({"cpu": "4"},), "wants": {"cpu": "2"}},
    {"of": deserving("4", "1Gi"), "has": ({"memory": "8Gi"}, {"cpu": "4"}), "wants": {"cpu": "4"}},
    {
        "of": deserving("4", "64Gi", "1"),
        "has": (cores("2", **{GPU: "2"}), cores("2", **{GPU: "0"})),
        "wants": cores("4"),
    },
    {"of": {}, "wants": cores("4")},
    {"by": {}},
    {"by": deserving("", "8Gi")},
    {"by": deserving("1", "8Gi")},
    {"by": deserving("1", "8Gi"), "wants": {"cpu": "2"}},
    {"by": deserving("", "", "2"), "wants": {"cpu": "2"}},
    {"by": deserving("", "", "2"), "wants": cores("2", **{GPU: "1"})},
    {"by": {"deserved": {"pods": "5"}}},
    {"by": deserving("1", capability={"cpu": "8"})},
    {"by": deserving("8", "64Gi", capability={"cpu": "1"})},
    {"above": deserving("4", "64Gi")},
    {"above": deserving("3", "64Gi"), "wants": cores("4")},
    {"above": deserving("2", "64Gi"), "wants": cores("4")},
    {"above": deserving("1", "64Gi"), "wants": cores("4")},
    {"above": deserving("5", "64Gi"), "beside": (cores("2"),), "wants": cores("4")},
    {"above": deserving("4", "64Gi"), "beside": (cores("2"),), "wants": cores("4")},
    {"above": deserving("3", "64Gi"), "beside": (cores("2"),), "wants": cores("4")},
    {"above": deserving("4", "64Gi"), "over": None},
    {"above": deserving("8", "64Gi"), "over": None, "by": {}},
    {"above": {}, "over": None, "by": {}},
    {"of": deserving("", "", "1"), "above": deserving("1", "1Gi"), "over": None, "by": deserving("8")},
    {"above": deserving("1", "1Gi"), "over": None, "by": deserving("", "", "1"), "wants": cores("4")},
    {"by": {}, "over": PLENTY},
    {"by": {}, "over": deserving("1", "")},
    {"top": deserving("4", "64Gi")},
    {"top": deserving("3", "64Gi"), "wants": cores("4")},
    {"top": deserving("1", "64Gi"), "above": deserving("2", "64Gi"), "wants": cores("4")},
    {"by": {}, "over": {}, "top": deserving("16", "64Gi")},
    {"over": None, "has": HALVES[:1], "aside": HALVES[:1]},
    {"over": None, "has": HALVES[:1], "far": HALVES[:1]},
    {"over": {}, "top": {}, "aside": HALVES[:1], "has": (), "far": HALVES[:1]},
    {"over": None, "has": (cores("1"),), "aside": (cores("1"),), "far": HALVES[:1], "wants": cores("3")},
)
"""What a queue deserves (`of`), and the one `above` it and on `top`, what its pods hold on a node and those of a queue
`beside` it elsewhere, what another pod `wants` of the node, and what its queue (`by`) and the one `over` that deserve.
Queues `aside` are below the top, too, and those that are `far` are below the root."""


def given_up(rng: random.Random, number: int) -> list[Object]:
    """A node for each row, pods of a queue of its own there, and one of another queue, or of this, that wants it."""
    c = Cluster(rng)
    kind, tree, levels = KINDS[number % 10]
    rows = [each for each in GIVEN_UP if tree or not each.keys() & {"top", "above", "over", "far"}][
        number // 10 % 10 :: 3
    ]
    uneven(c, len(rows) + 1, cpus=(4,), gpus=(4,))
    offer(c.nodes[-1], {"cpu": "64"})
    add_queue(c, "root")
    names = [node["metadata"]["name"] for node in c.nodes]
    for index, row in enumerate(rows):
        own, by, above, over = (f"{each}-{index:02}" for each in ("own", "by", "above", "over"))
        if tree:
            add_queue(c, f"top-{index:02}", parent="root", **row.get("top", {}))
            add_queue(c, above, parent=f"top-{index:02}", **row.get("above", {}))
            if row.get("over", {}) is None:
                over = above
            else:
                add_queue(c, over, parent=f"top-{index:02}" if "top" in row else "root", **row.get("over", {}))
        for queue, parent, spec in ((own, above, "of"), (by, over, "by"), (f"beside-{index:02}", above, "of")):
            below: Object = {"parent": parent} if tree else {}
            add_queue(c, queue, **below, **row.get(spec, PLENTY if spec == "by" else deserving("1", "1Gi")))
            c.queues[-1]["spec"]["reclaimable"] = True
        placed = [(own, names[index], each) for each in row.get("has", HALVES)]
        placed += [(f"beside-{index:02}", names[-1], each) for each in row.get("beside", ())]
        for far, parent in (("aside", f"top-{index:02}"), ("far", "root")):
            if far in row:
                add_queue(c, f"{far}-{index:02}", parent=parent, **deserving("1", "1Gi"))
                c.queues[-1]["spec"]["reclaimable"] = True
                placed += [(f"{far}-{index:02}", names[index], each) for each in row[far]]
        for queue, node, requests in placed:
            c.add_job(1, running=1, priority="low", requests=requests, pod=partial(at, [node]))
            c.jobs[-1]["metadata"]["annotations"][PREEMPTABLE] = "true"
            last_group(c)["spec"]["queue"] = queue
        c.add_job(1, priority="high", requests=row.get("wants", cores("2")), pod=partial(only_on, names[index]))
        last_group(c)["spec"]["queue"] = own if kind == "gangpreempt" else by
        last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    gang = {"name": "gang", "enablePreemptable": False, "enableReclaimable": False}
    capacity: Object = {"name": "capacity", "enableHierarchy": tree}
    capacity |= {"arguments": {"ancestorReclaimLevel": levels}} if levels else {}
    return [configuration(kind, ("priority", gang, capacity, "predicates")), *c.objects()]


KINDS: Final = (
    *(("reclaim", False, 0), ("reclaim", True, 0), ("reclaim", True, 1), ("reclaim", True, 2)),
    *(("gangreclaim", False, 0), ("gangreclaim", True, 0), ("gangpreempt", True, 0)),
)
"""How pods are evicted, whether queues are a tree, and up to how many levels above them ancestors count."""

LIMITED_TO: Final[tuple[Object, ...]] = (
    {"of": {"cpu": "4"}, "has": (cores("2"), cores("2")), "wants": cores("4")},
    {"of": {"cpu": "4"}, "has": (cores("2"), cores("2")), "wants": cores("5")},
    {"of": {"cpu": "4"}, "has": (cores("2"), cores("1"), cores("1")), "wants": cores("2")},
    {"of": {"cpu": "4"}, "has": (cores("2"), cores("2")), "wants": cores("4"), "state": "Closing"},
    {"of": {GPU: "2"}, "has": (cores("1", **{GPU: "2"}), cores("1")), "wants": cores("1", **{GPU: "2"})},
    {"of": {"memory": "2Gi"}, "has": (cores("1"), cores("1")), "wants": cores("1")},
    {"above": {"cpu": "6"}, "beside": "4", "has": (cores("2"),), "wants": cores("4")},
    {"above": {"cpu": "8"}, "beside": "4", "has": (cores("2"), cores("2")), "wants": cores("4")},
    {"above": {"cpu": "8"}, "beside": "4", "has": (cores("3"), cores("1")), "wants": cores("3")},
    {"above": {"cpu": "8"}, "of": {"cpu": "4"}, "beside": "6", "has": (cores("2"),), "wants": cores("3")},
    {"has": (cores("3"), cores("3")), "wants": cores("4")},
)
"""What a queue may have (`of`), and the one `above` it, what its pods hold and those of a queue `beside` it, and what
another of its pods wants of a node with eight cores."""


def tried(rng: random.Random, number: int) -> list[Object]:
    """Evictions tried on a node for each row, as far as the queue and those above it may have what is wanted."""
    c = Cluster(rng)
    names = uneven(c, len(LIMITED_TO) + 1, cpus=(8,), gpus=(4,))
    offer(c.nodes[-1], {"cpu": "64"})
    add_queue(c, "root")
    for index, row in enumerate(LIMITED_TO):
        own, above, beside = (f"{each}-{index:02}" for each in ("own", "above", "beside"))
        below: Object = {"parent": above} if number % 2 else {}
        if number % 2:
            add_queue(c, above, parent="root", **({"capability": row["above"]} if "above" in row else {}))
        add_queue(c, beside, **below)
        add_queue(c, own, **below, **({"capability": row["of"]} if "of" in row else {}))
        c.queues[-1]["status"]["state"] = row.get("state", "Open")
        placed = [(own, names[index], each) for each in row["has"]]
        placed += [(beside, names[-1], cores(row["beside"]))] if "beside" in row else []
        for queue, node, requests in placed:
            c.add_job(1, running=1, priority="low", requests=requests, pod=partial(at, [node]))
            c.jobs[-1]["metadata"]["annotations"][PREEMPTABLE] = "true"
            last_group(c)["spec"]["queue"] = queue
        c.add_job(1, priority="high", requests=row["wants"], pod=partial(only_on, names[index]))
        last_group(c)["spec"]["queue"] = own
        last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    gang = {"name": "gang", "enablePreemptable": False}
    arguments = {"enableTopologyAwarePreemption": True, "minCandidateNodesAbsolute": 100}
    more = {"configurations": [{"name": "preempt", "arguments": arguments}]}
    own_plugin = {"name": "capacity", "enableHierarchy": bool(number % 2)}
    return [configuration("allocate, preempt", ("priority", gang, own_plugin, "predicates"), **more), *c.objects()]


Part = tuple[int, str]
"""How many cores the pods of a queue hold, and how many it deserves."""

WAYS: Final[tuple[tuple[int, tuple[Part, Part], tuple[str, str] | None], ...]] = (
    *((depth, ((2, "4"), (1, "4")), None) for depth in range(4)),
    *((depth, ((1, "1"), (2, "8")), ("8", "4")) for depth in range(4)),
    *((depth, ((2, "4"), (0, "")), None) for depth in (0, 2)),
    *((depth, ((4, "4"), (0, "")), None) for depth in (0, 2)),
    (0, ((0, ""), (0, "4")), None),
    (1, ((1, "4"), (2, "8")), ("", "8")),
    (1, ((3, ""), (2, "8")), ("4", "")),
)
"""How many queues two ways from the root share, what the last ones hold and deserve, and those above, if there are."""


def served(rng: random.Random, number: int) -> list[Object]:
    """A node for each row, which a pod of each of two queues wants; the one that is served first gets it."""
    c = Cluster(rng)
    names = uneven(c, len(WAYS) + 1, cpus=(4,))
    offer(c.nodes[-1], {"cpu": "99"})
    add_queue(c, "root")
    for index, (depth, ends, above) in enumerate(WAYS):
        shared = "root"
        for level in range(depth):
            add_queue(c, f"way-{index:02}-{level}", parent=shared, **deserving("16", "16Gi"))
            shared = f"way-{index:02}-{level}"
        for place, (held, cpu) in enumerate(ends):
            parent = shared
            if above is not None:
                parent = f"above-{index:02}-{place}"
                add_queue(c, parent, parent=shared, **deserving(above[place]))
            add_queue(c, f"end-{index:02}-{place}", parent=parent, **deserving(cpu))
            if held:
                c.add_job(1, running=1, requests={"cpu": str(held)}, pod=partial(at, [names[-1]]))
                last_group(c)["spec"]["queue"] = c.queues[-1]["metadata"]["name"]
            c.add_job(1, requests={"cpu": "4"}, pod=partial(only_on, names[index]))
            last_group(c)["spec"]["queue"] = c.queues[-1]["metadata"]["name"]
            last_group(c)["status"]["phase"] = "Inqueue"
    own = {"name": "capacity", "enableHierarchy": number % 2 == 0}
    return [configuration("allocate", ("priority", "gang", own, "predicates")), *c.objects()]


def exact(of_class: str, count: int | None = 1) -> Object:
    """A request of a claim for so many devices of a class."""
    counted = {} if count is None else {"count": count}
    return {"exactly": {"deviceClassName": of_class, "allocationMode": "ExactCount", **counted}}


GPUS: Final = "deviceclass/gpu"
CLAIMED: Final[tuple[Object, ...]] = (
    {"of": {GPUS: "2"}, "claims": {"a": [exact("gpu"), exact("gpu", 2)]}},
    {"of": {GPUS: "3"}, "claims": {"a": [exact("gpu"), exact("gpu", 2)]}},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu", 2)]}, "missing": "b"},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu", 2)]}},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu", None)], "b": [exact("gpu", None)]}},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu", None)], "b": [exact("nic")]}},
    {"of": {GPUS: "1"}, "claims": {"a": [{"exactly": {"deviceClassName": "gpu", "allocationMode": "All"}}]}},
    {"of": {GPUS: "1"}, "claims": {"a": [{"firstAvailable": [{**exact("gpu", 2)["exactly"], "name": "x"}]}]}},
    {"of": {GPUS: "0"}, "claims": {"a": [exact("gpu", 2)]}},
    {"of": {"cpu": "8"}, "claims": {"a": [exact("gpu", 2)]}},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu")]}, "pods": 2, "minimum": 1},
    {"of": {GPUS: "1"}, "claims": {"a": [exact("gpu")]}, "pods": 2, "minimum": 2, "phase": "Pending"},
    {"of": {GPUS: "3"}, "each": (1, 3), "minimum": 2, "phase": "Pending"},
    {"of": {GPUS: "4"}, "each": (1, 3), "minimum": 2, "phase": "Pending"},
    {"of": {GPUS: "3"}, "each": (1, 3), "minimum": 1, "phase": "Pending"},
    {"of": {GPUS: "2"}, "each": (1, 3), "minimum": 2, "phase": "Pending", "roles": {"worker": 2}},
    {"of": {GPUS: "1"}, "each": (1, 3), "minimum": 2, "phase": "Pending", "roles": {"worker": 2}},
    {"of": {GPUS: "1"}, "each": (1, 3), "minimum": 2, "phase": "Pending", "roles": {"other": 2}},
    {"of": {GPUS: "1"}, "made": (("x", 2), ("device", 1))},
    {"of": {GPUS: "1"}, "made": (("x", 1), ("device", 2))},
    {"of": {GPUS: "5"}, "above": {GPUS: "1"}, "each": (1, 1), "running": 1},
    {"of": {GPUS: "5"}, "above": {GPUS: "2"}, "each": (1, 1), "running": 1},
    {"of": {GPUS: "5"}, "above": {"deviceclass/nic": "1"}, "each": (1, 1), "running": 1},
    {"of": {"cpu": "9"}, "above": {GPUS: "1"}, "each": (1, 1), "running": 1},
    {"deserved": {GPUS: "4"}, "above": {GPUS: "1"}, "each": (1, 1), "running": 1},
    {"of": {"cores.deviceclass/gpu": "4"}, "above": {GPUS: "1"}, "each": (1, 1), "running": 1},
    {"of": {GPUS: "1"}, "above": {GPUS: "4"}, "each": (1, 1), "running": 1},
)
"""How many devices a queue may claim (`of`) and the one `above` it, the claims of each pod or how many `each` pod has
a claim for, and the claims that were `made` for a pod, by the name it has for them."""


def claimed_devices(rng: random.Random, number: int) -> list[Object]:
    """Pods that claim devices, of a queue for each row that may claim so many."""
    c = Cluster(rng)
    (node,) = uneven(c, 1, cpus=(99,))
    for of_class in ("gpu", "nic"):
        device_class(c, of_class, f'device.driver == "{of_class}"')
        pool = {"name": of_class, "generation": 1, "resourceSliceCount": 1}
        devices = [{"name": f"{of_class}-{index:02}"} for index in range(99)]
        slice_of(c, of_class, {"driver": of_class, "nodeName": node, "pool": pool, "devices": devices})
    add_queue(c, "root")
    for index, row in enumerate(CLAIMED):
        tree: Object = {}
        if number % 2:
            add_queue(c, f"above-{index:02}", parent="root", capability=row.get("above", {}))
            tree = {"parent": f"above-{index:02}"}
        given = {"capability": row.get("of"), "deserved": row.get("deserved")}
        add_queue(c, f"queue-{index:02}", **tree, **{key: each for key, each in given.items() if each})
        listed = row.get("claims", {})
        listed |= {f"e{place}": [exact("gpu", count)] for place, count in enumerate(row.get("each", ()))}
        listed |= {f"m{place}": [exact("gpu", count)] for place, (_, count) in enumerate(row.get("made", ()))}
        for name, requests in listed.items():
            claim(c, f"claim-{index}-{name}", [{"name": f"r{at}", **each} for at, each in enumerate(requests)])
            if "made" in row:
                owner = {"name": f"job-{c.count + 1:02}-0", "uid": f"job-{c.count + 1:02}-000", "controller": True}
                c.others[-1]["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", **owner}]
        pods, placed = row.get("pods", len(row.get("each", "1"))), row.get("running", 0)
        minimum = row.get("minimum", 1)
        c.add_job(pods, running=placed, minimum=minimum, requests=cores("1"), pod=partial(at, [node] * placed))
        group = last_group(c)
        group["spec"] |= {"queue": f"queue-{index:02}", "minResources": {"cpu": "1"}}
        group["spec"] |= {"minTaskMember": row["roles"]} if "roles" in row else {}
        group["status"]["phase"] = row.get("phase", "Inqueue")
        for place, pod in enumerate(c.jobs[-pods:]):
            named = [f"e{place}"] if "each" in row else [*row.get("claims", {}), *row.get("missing", "")]
            pod["spec"]["resourceClaims"] = [
                {"name": f"of-{each}", "resourceClaimName": f"claim-{index}-{each}"} for each in named
            ]
            if "made" in row:
                pod["spec"]["resourceClaims"] = [{"name": "device", "resourceClaimTemplateName": "one"}]
                pod["status"]["resourceClaimStatuses"] = [
                    {"name": name, "resourceClaimName": f"claim-{index}-m{at}"}
                    for at, (name, _) in enumerate(row["made"])
                ]
    own = plugin("capacity", capacity__DynamicResourceAllocationEnable=True, enableHierarchy=bool(number % 2))
    return [configuration("enqueue, allocate", ("priority", "gang", own, "predicates")), *c.objects()]


def four_each(c: Cluster, rows: Sequence[Object], tiers: tuple[int, ...]) -> list[list[str]]:
    """Four nodes for each row, a HyperNode around each, and one around each two if there is a second tier.

    Pods fill them (`loads`), of which some are leaving, and those of a job of the row run on some (`held`).
    """
    c.add_nodes(4 * len(rows), cpus=(8,), gpus=(4,))
    names = [node["metadata"]["name"] for node in c.nodes]
    fours = [names[at : at + 4] for at in range(0, len(names), 4)]
    c.add_queues(1)
    for index, (row, four) in enumerate(zip(rows, fours, strict=True)):
        for place, name in enumerate(four):
            c.nodes[4 * index + place]["metadata"]["labels"] |= {"row": str(index), "place": str(place)}
            hyper_node(c, f"leaf-{index:02}-{place}", tiers[0], "Node", [name])
        for place in range(0, 4 if tiers[1:] else 0, 2):
            below = [f"leaf-{index:02}-{each}" for each in (place, place + 1)]
            hyper_node(c, f"mid-{index:02}-{place}", tiers[1], "HyperNode", below)
        for place, requests in row.get("loads", ()):
            c.add_job(1, running=1, priority="low", requests=requests, pod=partial(at, [four[place]]))
            if place in row.get("leaving", ()):
                c.jobs[-1]["metadata"] |= DELETED
        held, pods = row.get("held", ()), row.get("pods", 1)
        requests, minimum = row.get("requests", cores("1")), row.get("minimum", 1)
        places = [four[place] for place in held]
        c.add_job(len(held) + pods, running=len(held), minimum=minimum, requests=requests, pod=partial(at, places))
        group = last_group(c)
        group["spec"] |= row.get("spec", {})
        group["status"]["phase"] = "Running" if minimum <= len(held) else "Inqueue"
        liked = [
            {
                "weight": weight,
                "preference": {"matchExpressions": [{"key": "place", "operator": "In", "values": [str(place)]}]},
            }
            for place, weight in enumerate((10, 30, 20, 40))
        ]
        for place, pod in enumerate(c.jobs[-len(held) - pods :]):
            pod["spec"]["nodeSelector"] = {"row": str(index)}
            pod["spec"]["affinity"] = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": liked}}
            pod["spec"]["priority"] = 99 - place
            pod["metadata"]["labels"]["part"] = str(place % row.get("parts", 2))
    c.others += priority_classes()
    return fours


def in_network(mode: str, tier: int | None = None) -> Object:
    """The topology that a job or a part of it wants."""
    return {"networkTopology": {"mode": mode} | ({} if tier is None else {"highestTierAllowed": tier})}


def by_part(size: int, topology: Object, **more: Any) -> Object:
    """The field of a PodGroup whose pods are in two parts."""
    return {"subGroupPolicy": [{"name": "p", "matchLabelKeys": ["part"], "subGroupSize": size, **topology, **more}]}


FULL: Final = tuple((place, cores("8")) for place in range(4))
ONES: Final = (*((place, cores("7")) for place in range(4)), *((place, cores("1")) for place in range(4)))
NEAR_NODES: Final[tuple[Object, ...]] = (
    {"loads": ((0, cores("4")), (2, cores("3")), (3, cores("3500m")))},
    {"loads": ((0, cores("4")), (1, cores("1")), (2, cores("3")), (3, cores("3")))},
    {"loads": ((0, cores("6")), (2, cores("3")), (3, cores("3")))},
    {"loads": ((0, cores("2")),)},
    {"loads": ((0, cores("5")),)},
    {"loads": ((0, cores("4")), (2, {"memory": "20Gi"}))},
    {"loads": ((0, {"memory": "20Gi"}), (2, cores("3")))},
    {"loads": ((0, cores("4")), (2, {"memory": "20Gi"})), "requests": {"memory": "1Gi"}},
    {"loads": ((0, cores("1", **{GPU: "3"})), (2, cores("3"))), "requests": cores("1", **{GPU: "1"})},
    {"loads": ((0, cores("1", **{GPU: "1"})), (2, cores("5"))), "requests": cores("1", **{GPU: "1"})},
    {"loads": ((0, cores("1", **{GPU: "3"})), (2, cores("3")))},
    {"held": (2,), "loads": ((0, cores("4")),), "spec": in_network("soft")},
    {"held": (2,), "loads": ((0, cores("4")), (2, cores("7"))), "spec": in_network("soft", 1)},
    {"held": (0, 3, 0), "loads": ((1, cores("3")),), "spec": in_network("soft")},
    {"held": (0, 2, 2), "loads": ((1, cores("3")),), "spec": in_network("soft")},
    {"held": (0, 0, 1), "loads": ((3, cores("3")),), "spec": in_network("soft")},
    {"held": (0, 0, 1, 1), "loads": ((3, cores("3")),), "spec": in_network("soft")},
    {"held": (0,), "loads": ((0, cores("6")),), "spec": by_part(1, in_network("soft", 1))},
    {"held": (0, 2), "loads": ((1, cores("3")),), "spec": by_part(1, in_network("soft", 1))},
    {"held": (0, 2, 2, 2), "loads": ((0, cores("3")),), "spec": in_network("soft")},
)
"""Pods on the four nodes of a row, and jobs that go to where HyperNodes are full, or to what they have."""

NEAR_ARGUMENTS: Final[tuple[Object, ...]] = (
    {},
    {"normal-pod.fading": -1},
    {"normal-pod.fading": 0},
    {"normal-pod.fading": 3},
    {"cpu": 0},
    {"memory": 0},
    {"cpu": 5, "memory": -1},
    {"cpu": -1, "memory": 5},
    {"resources": GPU},
    {"resources": f"{GPU}, example.com/none", f"resources.{GPU}": 5},
    {"resources": GPU, f"resources.{GPU}": 0},
    {"resources": GPU, f"resources.{GPU}": -1, "cpu": 3},
    {"normal-pod.enable": False},
)
"""Arguments whose names begin with `hypernode.binpack`."""


def near_nodes(rng: random.Random, number: int) -> list[Object]:
    """Pods that choose one of four nodes, by how full HyperNodes are, or by what their job has there."""
    c = Cluster(rng)
    rows = NEAR_NODES[number // 20 % 2 :: 2] if number < 140 else NEAR_NODES[:11]
    four_each(c, rows, ((1, 2), (2, 3), (1, 4), (1,), (2, 6))[number % 5])
    arguments = NEAR_ARGUMENTS[number % 20]
    own = {f"hypernode.binpack.{name}": each for name, each in arguments.items()}
    own |= {"weight": (10, 1, 2)[number % 3] if number < 140 else 0}
    liked = plugin("nodeorder", **{f"{name}__weight": int(name == "nodeaffinity") for name in LIKED})
    network = {"name": "network-topology-aware", "arguments": own}
    return [configuration("allocate", ("priority", "gang", "predicates", liked, network)), *c.objects()]


LIKED: Final = ("nodeaffinity", "leastrequested", "balancedresource", "tainttoleration", "podaffinity", "imagelocality")

NEAR_HYPER_NODES: Final[tuple[Object, ...]] = (
    {"pods": 2, "minimum": 2, "loads": ((0, cores("4")), (2, cores("2"))), "spec": in_network("hard", 1)},
    {"pods": 2, "minimum": 2, "loads": ((1, cores("4")), (2, cores("7"))), "spec": in_network("hard", 1)},
    {"held": (1,), "pods": 2, "loads": ((0, cores("7")),), "spec": by_part(3, in_network("hard", 1)), "parts": 1},
    {"held": (1,), "loads": ((0, cores("1")),), "spec": by_part(2, in_network("hard", 2)), "parts": 1},
    {"held": (1, 1, 0), "loads": ((0, cores("1")),), "spec": by_part(4, in_network("hard", 2)), "parts": 1},
    {"held": (0, 0, 1), "loads": ((1, cores("1")),), "spec": by_part(4, in_network("hard", 2)), "parts": 1},
    {
        "held": (1, 0, 0),
        "minimum": 4,
        "loads": ((1, cores("2")),),
        "spec": by_part(4, in_network("hard", 2)),
        "parts": 1,
    },
    {"held": (1, 1, 0), "loads": ((0, cores("3")),), "spec": by_part(4, in_network("hard", 2)), "parts": 1},
    {"held": (0, 2), "minimum": 3, "spec": in_network("hard", 2)},
    {"held": (0,), "loads": ((0, cores("7")),), "spec": in_network("hard", 1)},
    {
        "held": (0,),
        "loads": ((0, cores("7")),),
        "spec": in_network("hard", 1) | by_part(1, in_network("hard", 2)),
    },
    {"pods": 2, "minimum": 2, "requests": cores("5"), "loads": ((2, cores("1")),), "spec": in_network("hard", 2)},
    {
        "pods": 4,
        "minimum": 4,
        "requests": cores("3"),
        "loads": ((2, cores("1")), (1, cores("2")), (0, cores("5"))),
        "spec": in_network("hard", 2),
    },
    {
        "pods": 2,
        "minimum": 2,
        "requests": cores("5"),
        "loads": ((0, cores("1")), (2, cores("2"))),
        "spec": {"minResources": cores("10")} | in_network("hard", 2) | by_part(1, in_network("hard", 1)),
    },
    {
        "pods": 4,
        "minimum": 4,
        "requests": cores("3"),
        "loads": ((0, cores("1")), (2, cores("2"))),
        "spec": {"minResources": cores("12")} | by_part(2, in_network("hard", 1)),
    },
    {
        "loads": FULL,
        "leaving": (1,),
        "spec": in_network("hard", 1) | {"minResources": cores("4")},
    },
    {
        "pods": 2,
        "minimum": 2,
        "requests": cores("4"),
        "loads": (*FULL[:1], *((place, cores("4")) for place in (1, 1, 2, 3))),
        "leaving": (1,),
        "spec": in_network("hard", 1) | {"minResources": cores("8")},
    },
    {
        "loads": ((0, cores("1")),),
        "spec": in_network("hard", 1) | {"minResources": cores("1", **{"example.com/none": "0"})},
    },
    {
        "loads": ((0, cores("1")),),
        "spec": in_network("hard", 1) | {"minResources": cores("1", **{"example.com/none": "1"})},
    },
    {
        "loads": ((0, cores("1", **{GPU: "3"})), (2, cores("3"))),
        "requests": cores("1", **{GPU: "1"}),
        "spec": in_network("hard", 1),
    },
)
"""Pods on the four nodes of a row, and jobs that choose HyperNodes."""


def near_hyper_nodes(rng: random.Random, number: int) -> list[Object]:
    """Jobs that choose HyperNodes of four nodes, by how full these are and what they have there."""
    c = Cluster(rng)
    four_each(c, NEAR_HYPER_NODES, (1, 2))
    arguments = ({"memory": 0}, {}, {"resources": GPU, "memory": 0}, {"cpu": 0, "resources": GPU})[number % 4]
    own = {f"hypernode.binpack.{name}": each for name, each in arguments.items()}
    own |= {"weight": (10, 1, -1)[number % 3]}
    liked = plugin("nodeorder", **{f"{name}__weight": int(name == "nodeaffinity") for name in LIKED})
    network = {"name": "network-topology-aware", "arguments": own}
    return [configuration("allocate", ("priority", "gang", "predicates", liked, network)), *c.objects()]


WIDEST: Final[tuple[tuple[int | None, int, tuple[int, ...]], ...]] = (
    (None, 2, ()),
    (0, 2, (3, 2)),
    (1, 2, (3,)),
    (1, 2, (0, 1)),
    (2, 2, (2, 3)),
    (3, 2, (2, 3)),
    (1, 1, ()),
    (1, 1, (3,)),
    (2, 1, (3,)),
    (3, 1, (3, 2)),
    (-1, 1, (3, 2, 1)),
)
"""How many HyperNodes are tried at most, up to which tier, and where pods are that may not be evicted."""


def tried_hyper_nodes(rng: random.Random, number: int) -> list[Object]:
    """A gang that others are evicted for in one of few HyperNodes."""
    c = Cluster(rng)
    most, tier, kept = WIDEST[number - 100]
    row = {
        "pods": 2,
        "minimum": 2,
        "requests": cores("4"),
        "spec": in_network("hard", tier) | {"minResources": cores("8")},
    }
    halves = tuple((place, cores("4")) for place in (0, 0, 1, 1, 2, 2, 3, 3))
    four_each(c, [row | {"loads": halves}], (1, 2))
    for pod in pods_of(c):
        place = pod["spec"].get("nodeName", "-")[-1]
        pod["metadata"]["annotations"][PREEMPTABLE] = str(place != "-" and int(place) not in kept).lower()
    last_group(c)["spec"]["priorityClassName"] = "high"
    for pod in pods_of(c)[-2:]:
        pod["spec"] |= {"priorityClassName": "high", "priority": 1000}
    arguments = {} if most is None else {"hypernode.gradient.evict.max-hypernodes": most}
    own = {"name": "network-topology-aware", "arguments": arguments}
    return [configuration("gangpreempt", ("priority", "gang", "conformance", "predicates", own)), *c.objects()]


ONE: Final = {"requests": cores("1")}
BUSY: Final = {"requests": cores("2"), "runs": True}
GOING: Final = {**BUSY, "metadata": DELETED}
WAITING: Final = {"requests": cores("2")}
GANGS: Final[tuple[Object, ...]] = (
    {"pods": (ONE, {}), "spec": {"minMember": 2, "minTaskMember": {"worker": 2}}},
    {"pods": (ONE, {}), "spec": {"minMember": 1, "minTaskMember": {"worker": 1}}},
    {"pods": ({},), "spec": {"minMember": 1, "minTaskMember": {"worker": 1}}},
    {"pods": ({}, {}), "spec": {"minMember": 2}},
    {"pods": (ONE, ONE, {"role": "a"}), "spec": {"minMember": 2, "minTaskMember": {"a": 1}}},
    {"pods": (), "spec": {"minMember": 1}},
    {"pods": (), "spec": {"minMember": 0}},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 2}},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 3}},
    {"pods": (BUSY, GOING), "spec": {"minMember": 2}},
    {"pods": (GOING, GOING), "spec": {"minMember": 1}},
    {"pods": (BUSY, GOING, {"requests": cores("9")}), "spec": {"minMember": 2}},
    {"pods": (BUSY,), "spec": {"minMember": 2}},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 1}},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 1, "minTaskMember": {"worker": 2}}},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 1}, "wants": "2"},
    {"pods": (BUSY, GOING, WAITING), "spec": {"minMember": 2}, "wants": "2"},
    {"pods": (BUSY, BUSY, GOING, WAITING), "spec": {"minMember": 2}, "wants": "2"},
    {"pods": (WAITING, WAITING), "going": "2", "spec": {"minMember": 1}, "parts": 2},
    {"pods": (WAITING, WAITING), "going": "2", "spec": {"minMember": 2}, "parts": 2},
    {"pods": (WAITING, WAITING), "going": "2", "spec": {"minMember": 2}},
    {"pods": (WAITING, WAITING), "going": "2", "spec": {"minMember": 1, "minTaskMember": {"worker": 2}}},
    {"pods": (WAITING, WAITING), "going": "4", "spec": {"minMember": 1}, "parts": 1},
)
"""The pods of a job on a node of four cores, or six for four pods, and what another that is leaving holds there."""


def each_gang(rng: random.Random, number: int) -> list[Object]:
    """A job for each row, which is complete or not with pods that ask for nothing, leave, or wait for room."""
    c = Cluster(rng)
    names = uneven(c, len(GANGS), cpus=(4,))
    add_queue(c, "a")
    add_queue(c, "b")
    c.queues[0]["spec"]["reclaimable"] = True
    for index, row in enumerate(GANGS):
        if len(row["pods"]) == 4:
            offer(c.nodes[index], {"cpu": "6"})
        if "going" in row:
            c.add_job(1, running=1, requests=cores(row["going"]), pod=partial(at, [names[index]]))
            c.jobs[-1]["metadata"] |= DELETED
        c.add_job(len(row["pods"]), minimum=1, requests=cores("1"), priority="low", pod=partial(only_on, names[index]))
        group, pods = last_group(c), c.jobs[len(c.jobs) - len(row["pods"]) :]
        group["spec"] |= {"queue": "a", **row["spec"]}
        if "parts" in row:
            group["spec"] |= by_part(1, {}, minSubGroups=row["parts"])
        running = 0
        for place, (pod, own) in enumerate(zip(pods, row["pods"], strict=True)):
            pod["spec"]["containers"][0]["resources"] = {"requests": own["requests"]} if "requests" in own else {}
            pod["metadata"]["labels"]["part"] = str(place)
            pod["metadata"] |= own.get("metadata", {})
            pod["metadata"]["annotations"] |= {PREEMPTABLE: "true", "volcano.sh/task-spec": own.get("role", "worker")}
            pod["spec"]["priority"] = 10 - place
            if own.get("runs"):
                running += 1
                pod["spec"]["nodeName"] = names[index]
                pod["status"] = {"phase": "Running", "startTime": "2026-01-01T00:00:00Z"}
        group["status"]["phase"] = "Running" if running else "Inqueue"
        if "wants" in row:
            c.add_job(1, priority="high", requests=cores(row["wants"]), pod=partial(only_on, names[index]))
            last_group(c)["spec"]["queue"] = "b" if number % 2 else "a"
            last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    actions = f"allocate, {EVICTING[number % 4]}, backfill"
    return [configuration(actions, ("priority", "gang", "conformance", "predicates")), *c.objects()]


GATED: Final = {"requests": cores("2"), "spec": {"schedulingGates": [{"name": "later"}]}}
ENTERED: Final[tuple[tuple[Object, tuple[Object, ...]], ...]] = (
    ({"cpu": "6"}, ({"pods": (WAITING, GATED), "min": cores("4")}, {"pods": (WAITING,), "min": cores("4")})),
    ({"cpu": "6"}, ({"pods": (WAITING, WAITING), "min": cores("4")}, {"pods": (WAITING,), "min": cores("4")})),
    (
        {"cpu": "6"},
        ({"pods": (WAITING, GATED), "min": cores("4"), "phase": "Inqueue"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    (
        {"cpu": "6"},
        ({"pods": (BUSY, GATED), "min": cores("4"), "phase": "Running"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    (
        {"cpu": "6"},
        ({"pods": (BUSY, WAITING), "min": cores("4"), "phase": "Running"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    (
        {"cpu": "6"},
        ({"pods": (BUSY, WAITING), "min": cores("4"), "phase": "Inqueue"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    (
        {"cpu": "6"},
        ({"pods": (BUSY, BUSY), "min": cores("2"), "phase": "Running"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    (
        {"cpu": "6"},
        ({"pods": (BUSY, WAITING), "phase": "Running"}, {"pods": (WAITING,), "min": cores("4")}),
    ),
    ({"cpu": "6"}, ({"pods": (WAITING, WAITING), "min": {"memory": "1Gi"}}, {"pods": (WAITING,), "min": cores("6")})),
    ({GPU: "1"}, ({"pods": (WAITING,), "min": cores("2", **{GPU: "1"})}, {"pods": (WAITING,), "min": cores("2")})),
    ({GPU: "1"}, ({"pods": (WAITING,), "min": cores("2", **{GPU: "2"})}, {"pods": (WAITING,), "min": cores("2")})),
    ({"cpu": "2"}, ({"pods": (WAITING,), "min": cores("2", **{GPU: "2"})}, {"pods": (WAITING,), "min": cores("2")})),
    ({}, ({"pods": (WAITING,), "min": cores("2")}, {"pods": (GATED,), "min": cores("2")})),
)
"""The capability of a queue, and two jobs of it: their pods, their minResources and their phase."""


def entered(by: str, rng: random.Random, number: int) -> list[Object]:
    """A queue for each row, and jobs that ask to enter it one after the other; every second one is closed at times."""
    c = Cluster(rng)
    (node,) = uneven(c, 1, cpus=(99,), gpus=(9,))
    add_queue(c, "root")
    for index, (capability, jobs) in enumerate(ENTERED):
        tree: Object = {"parent": "root"} if number % 2 and by == "capacity" else {}
        if tree:
            add_queue(c, f"above-{index:02}", parent="root", capability=capability)
            tree = {"parent": f"above-{index:02}"}
        add_queue(c, f"queue-{index:02}", **tree, **({} if tree or not capability else {"capability": capability}))
        if number in (102, 103):
            c.queues[-1]["status"]["state"] = ("Open", "Closed", "Closing")[index % 3]
        for each in jobs:
            if each is jobs[1] and number == 105:
                add_queue(c, f"beside-{index:02}", **tree)
            running = sum(bool(pod.get("runs")) for pod in each["pods"])
            places = partial(at, [node] * running)
            c.add_job(len(each["pods"]), running=running, minimum=1, requests=cores("2"), pod=places)
            for pod, own in zip(c.jobs[-len(each["pods"]) :], each["pods"], strict=True):
                pod["spec"] |= own.get("spec", {})
            group = last_group(c)
            group["spec"] |= {"queue": c.queues[-1]["metadata"]["name"]} | (
                {"minResources": each["min"]} if "min" in each else {}
            )
            group["status"]["phase"] = each.get("phase", "Pending")
    own_plugin = {"name": by} | ({"enableHierarchy": bool(number % 2)} if by == "capacity" else {})
    return [configuration("enqueue", ("priority", "gang", own_plugin, "predicates")), *c.objects()]


def shared_roles(rng: random.Random, number: int) -> list[Object]:
    """A role that belongs to another, and may not be beside a third: the higher weight of both says where it goes."""
    c = Cluster(rng)
    uneven(c, 2, cpus=(4,))
    c.add_queues(1)
    annotation = "volcano.sh/task-topology-"
    together = {f"{annotation}affinity": "ps,worker", f"{annotation}anti-affinity": "ps,chief"}
    c.add_job(3, requests={"cpu": "1", "memory": "1Gi"}, group=together)
    roles = (("chief", "ps", "worker"), ("worker", "ps", "chief"), ("ps", "chief", "worker"))[number % 3]
    for pod, role in zip(c.jobs[-3:], roles, strict=True):
        pod["metadata"]["annotations"]["volcano.sh/task-spec"] = role
    last_group(c)["status"]["phase"] = "Inqueue"
    plugins = ("predicates", "task-topology", "nodeorder")
    return [configuration("enqueue, allocate", ("priority", "gang"), plugins), *c.objects()]


def promised_cpus(rng: random.Random, number: int) -> list[Object]:
    """CPUs of a pod that waits for memory: they are taken from those of the pods that come after it."""
    c = Cluster(rng)
    (name,) = uneven(c, 1, cpus=(8,))
    c.nodes[0]["status"]["allocatable"]["memory"] = "16Gi"
    c.add_queues(1)
    detail = {str(cpu): {"numa": cpu // 4, "socket": cpu // 4, "core": cpu} for cpu in range(8)}
    policy = ("single-numa-node", "restricted")[number % 2]
    numatopology(c, c.nodes[0], detail, range(8), policy)
    c.add_job(1, running=1, requests={"memory": "12Gi"}, pod=partial(at, [name]))
    leaving = {"deletionTimestamp": "2026-11-21T11:59:50Z", "deletionGracePeriodSeconds": 30}
    c.jobs[-1]["metadata"] |= leaving
    for cpu, memory, priority in ((3, "8Gi", "high"), (3, "1Gi", "low"), (2, "1Gi", "low")):
        aligned(c, cpu, policy, memory=memory, priority=priority)
        last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    plugins = ("predicates", "nodeorder", "numa-aware")
    return [configuration("enqueue, allocate", ("priority", "gang"), plugins), *c.objects()]


def parents_share(rng: random.Random, number: int) -> list[Object]:
    """Victims of a queue whose parent holds a little more than it deserves: so many of them may go, and no more."""
    c = Cluster(rng)
    (name,) = uneven(c, 1, cpus=(8,))
    deserved = {"root": None, "p0": "5", "p1": "8", "q0": "1", "q1": "8"}
    for queue, cpu in deserved.items():
        add_queue(c, queue, **({} if cpu is None else {"deserved": {"cpu": cpu, "memory": "32Gi"}}))
        parent = {"p": "root", "q": f"p{queue[1]}"}.get(queue[0])
        c.queues[-1]["spec"] |= {"reclaimable": True} | ({"parent": parent} if parent else {})
    c.add_job(
        4, running=4, minimum=1, requests={"cpu": "2", "memory": "1Gi"}, priority="low", pod=partial(at, [name] * 4)
    )
    last_group(c)["spec"]["queue"] = "q0"
    for pod in c.jobs[-4:]:
        pod["metadata"]["annotations"][PREEMPTABLE] = "true"
    c.add_job(1, requests={"cpu": str(3 + number % 3), "memory": "1Gi"}, priority="high")
    last_group(c)["spec"]["queue"] = "q1"
    last_group(c)["status"]["phase"] = "Inqueue"
    c.others += priority_classes()
    capacity = {"name": "capacity", "enableHierarchy": True, "arguments": {"ancestorReclaimLevel": 1 + number // 3 % 2}}
    return [configuration("reclaim", ("priority", "gang", "predicates", capacity)), *c.objects()]


NUMBERS: Final[dict[str, Sequence[int]]] = {
    "capacity-claimed": (100, 101),
    "capacity-entered": (*range(100, 104), 105),
    "capacity-given-up": tuple(10 * part + kind for part in (10, 11, 12) for kind in range(7)),
    "capacity-served": (100, 101),
    "capacity-tried": (100, 101),
    "cdp-cooling": (100, 101),
    "capacity-share": range(100, 106),
    "conformance-each": range(100, 104),
    "gang-each": range(100, 104),
    "gang-whole": range(100, 104),
    "network-topology-aware-near": (*range(100, 113), 124, 126, 128, 129, 130, 140),
    "network-topology-aware-within": (100, 101, 102),
    "network-topology-aware-widest": (*range(100, 106), 109, 110),
    "nodegroup-affine": range(100, 104),
    "nodegroup-inherited": range(100, 106),
    "nodegroup-limited": (100, 101),
    "nodegroup-of-pods": (100,),
    "nodegroup-scored": (100, 101),
    "numa-aware-promised": (100, 101),
    "pdb-in-turn": (100, 101),
    "pdb-overlapping": (100, 101, 102),
    "predicates-ports": (100,),
    "predicates-together": (100,),
    "priority-parts": (100, 101),
    "priority-ranks": range(100, 104),
    "proportion-entered": (100, 102),
    "sla-patient": (100,),
    "sla-spelled": (100, 101, 102, 103),
    "task-topology-shared": (100, 101, 102),
    "tdm-again": (100, 101),
    "tdm-limited": (100, 101),
    "tdm-pairs": (100, 101),
    "tdm-zones": (100, 101),
    "usage-known": range(104, 120),
    "usage-thought": range(100, 108),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "capacity-claimed": claimed_devices,
    "capacity-entered": partial(entered, "capacity"),
    "capacity-given-up": given_up,
    "capacity-served": served,
    "capacity-tried": tried,
    "cdp-cooling": cooling,
    "capacity-share": parents_share,
    "conformance-each": critical,
    "gang-each": each_gang,
    "gang-whole": whole_gangs,
    "network-topology-aware-near": near_nodes,
    "network-topology-aware-within": near_hyper_nodes,
    "network-topology-aware-widest": tried_hyper_nodes,
    "nodegroup-affine": affine,
    "nodegroup-inherited": inherited,
    "nodegroup-limited": limited_groups,
    "nodegroup-of-pods": queues_of_pods,
    "nodegroup-scored": scored_groups,
    "numa-aware-promised": promised_cpus,
    "pdb-in-turn": budgets_in_turn,
    "pdb-overlapping": overlapping_budgets,
    "predicates-ports": ports,
    "predicates-together": together,
    "priority-parts": parts,
    "priority-ranks": ranks,
    "proportion-entered": partial(entered, "proportion"),
    "sla-patient": patient,
    "sla-spelled": spelled_terms,
    "task-topology-shared": shared_roles,
    "tdm-again": leaving_again,
    "tdm-limited": limited_evictions,
    "tdm-pairs": revocable_pairs,
    "tdm-zones": zones_evicted_from,
    "usage-known": known_use,
    "usage-thought": thought_of,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
