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

from tests.conformance.recorder.corners import at, fields_of
from tests.conformance.recorder.edges import last_group, pods_of, uneven
from tests.conformance.recorder.generate import (
    PREEMPTABLE,
    Cluster,
    Object,
    configuration,
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
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"minAvailable": 1} | ({} if selector is None else {"selector": selector}),
        "status": status,
    }


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


NUMBERS: Final[dict[str, Sequence[int]]] = {
    "cdp-cooling": (100, 101),
    "conformance-each": range(100, 104),
    "gang-whole": range(100, 104),
    "nodegroup-affine": range(100, 104),
    "nodegroup-inherited": range(100, 106),
    "nodegroup-limited": (100, 101),
    "nodegroup-of-pods": (100,),
    "nodegroup-scored": (100, 101),
    "pdb-in-turn": (100, 101),
    "pdb-overlapping": (100, 101, 102),
    "predicates-ports": (100,),
    "predicates-together": (100,),
    "priority-parts": (100, 101),
    "priority-ranks": range(100, 104),
    "sla-patient": (100,),
    "sla-spelled": (100, 101, 102, 103),
    "tdm-again": (100, 101),
    "tdm-limited": (100, 101),
    "tdm-pairs": (100, 101),
    "tdm-zones": (100, 101),
    "usage-known": range(104, 120),
    "usage-thought": range(100, 108),
}
FAMILIES: Final[dict[str, Callable[[random.Random, int], list[Object]]]] = {
    "cdp-cooling": cooling,
    "conformance-each": critical,
    "gang-whole": whole_gangs,
    "nodegroup-affine": affine,
    "nodegroup-inherited": inherited,
    "nodegroup-limited": limited_groups,
    "nodegroup-of-pods": queues_of_pods,
    "nodegroup-scored": scored_groups,
    "pdb-in-turn": budgets_in_turn,
    "pdb-overlapping": overlapping_budgets,
    "predicates-ports": ports,
    "predicates-together": together,
    "priority-parts": parts,
    "priority-ranks": ranks,
    "sla-patient": patient,
    "sla-spelled": spelled_terms,
    "tdm-again": leaving_again,
    "tdm-limited": limited_evictions,
    "tdm-pairs": revocable_pairs,
    "tdm-zones": zones_evicted_from,
    "usage-known": known_use,
    "usage-thought": thought_of,
}

if __name__ == "__main__":
    write(FAMILIES, *sys.argv[1:], numbers=range(0), further=NUMBERS)
