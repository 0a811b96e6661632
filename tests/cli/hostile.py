"""A cluster in which every name, text and key comes from somebody who wants the log to do something."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

FRAGMENTS = (
    "::error file=README.md,line=1::Approved",
    "  ::stop-commands::tok",
    "\u3000::error::x",
    "##[error]x",
    "a ##vso[task.setvariable variable=a]b",
    "##teamcity[buildStatus text='ok']",
    "\x1b[0Ksection_start:1700000000:a[collapsed=true]\r\x1b[0Kb",
    "section_end:1700000000:a",
    "one\n::error::two",
    "one\r::error::two",
    "one\u2028::error::two",
    "one\x85##[warning]two",
    "\u202e::\u2066txt",
    "\u200b::error::x",
    "\x9b31m",
    ":",
    "::",
    "##",
    "[x](javascript:alert(1))",
    "![x](https://example.com/x.png)",
    "@somebody #1 GH-1 !1",
    "</details></script><script>alert(1)</script>",
    "```\n::error::x",
    "`|`\\|",
    "/approve",
    "\n/merge\n",
    "%0A::error::x",
    "'\"]]>-->&#10;::error::",
    "{{ 7 * 7 }} ${{ github.token }}",
    "a" * 90 + " ::error::x",
)


def cluster(fragments: Sequence[str]) -> dict[str, Any]:
    """Return a snapshot that is believed, as it comes from a cluster: queues, nodes, jobs, what they refer to."""
    texts = itertools.cycle(fragments)
    queue, other, node, namespace, priority, resource = (f"{next(texts)}{number}" for number in range(6))
    objects = [
        _object("Queue", "scheduling.volcano.sh/v1beta1", queue, texts, spec=_queue_spec(resource)),
        _object("Queue", "scheduling.volcano.sh/v1beta1", other, texts, spec={"weight": 1, "parent": next(texts)}),
        _object("PriorityClass", "scheduling.k8s.io/v1", priority, texts, value=5, description=next(texts)),
        _object(
            "Node",
            "v1",
            node,
            texts,
            spec={"taints": [{"key": next(texts), "value": next(texts), "effect": "NoSchedule"}]},
            status={"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", resource: "4"}},
        ),
        _object("Node", "v1", f"{node}b", texts, status={"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "10"}}),
    ]
    for number in range(3):
        group = f"{next(texts)}g{number}"
        objects.append(
            _object(
                "PodGroup",
                "scheduling.volcano.sh/v1beta1",
                group,
                texts,
                namespace=namespace,
                spec={"minMember": 2, "queue": (queue, other, next(texts))[number], "priorityClassName": priority},
                status={"phase": "Pending", "conditions": [_condition("Unschedulable", texts)]},
            )
        )
        pods = [_pod(f"{group}p{index}", group, namespace, resource, texts) for index in range(2)]
        if number == 0:
            for pod in pods:
                del pod["spec"]["nodeSelector"], pod["spec"]["containers"][0]["resources"]["requests"][resource]
        objects += pods
    alone = _object("Pod", "v1", next(texts) + "lone", texts, namespace=namespace, spec=_pod_spec(resource, texts))
    objects.append(alone)
    return {"apiVersion": "v1", "kind": "List", "items": objects}


def configuration(fragments: Sequence[str]) -> str:
    """Return a configuration with plugins and arguments of strange names."""
    texts = itertools.cycle(fragments)
    plugins = [
        {"name": "gang"},
        {"name": "predicates"},
        {"name": "proportion", "arguments": {next(texts): next(texts)}},
        {"name": next(texts), next(texts): next(texts)},
        {"name": "nodeorder", "arguments": {"leastrequested.weight": next(texts)}},
    ]
    actions = "enqueue, allocate, preempt, reclaim"
    return yaml.safe_dump({"actions": actions, "tiers": [{"plugins": plugins}]})


def job(queue: str) -> str:
    """Return a job as somebody would submit it, for a queue of any name."""
    jobs = [{"name": "tiny", "namespace": "ml", "queue": queue, "cpu": 1, "memory": "1Gi"}]
    return json.dumps({"apiVersion": "vqs/v1", "kind": "Scenario", "jobs": jobs})


def scenario(fragments: Sequence[str]) -> str:
    """Return a scenario with faults, of which the messages quote what somebody wrote."""
    texts = itertools.cycle(fragments)
    return json.dumps(
        {
            "apiVersion": "vqs/v1",
            "kind": "Scenario",
            "nodes": [{"cpu": next(texts)}],
            "queues": [{"name": next(texts), "weight": next(texts)}, {"name": next(texts), next(texts): 1}],
            "jobs": [{"name": next(texts), "queue": next(texts), "priorityClass": next(texts)}],
            "expect": {next(texts): {next(texts): next(texts)}},
            next(texts): next(texts),
        }
    )


def _queue_spec(resource: str) -> dict[str, Any]:
    return {"weight": 2, "capability": {"cpu": "3", resource: "1"}, "deserved": {"cpu": "2", resource: "1"}}


def _object(kind: str, version: str, name: str, texts: Iterator[str], **parts: Any) -> dict[str, Any]:
    namespace = {"namespace": parts.pop("namespace")} if "namespace" in parts else {}
    metadata = {
        "name": name,
        "uid": f"{kind}-{name}",
        "labels": {next(texts): next(texts)},
        "annotations": {next(texts): next(texts), "vqs.volcano.sh/ignore": f"{next(texts)}: {next(texts)}"},
        **namespace,
    }
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


def _pod(name: str, group: str, namespace: str, resource: str, texts: Iterator[str]) -> dict[str, Any]:
    pod = _object("Pod", "v1", name, texts, namespace=namespace, spec=_pod_spec(resource, texts))
    pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = group
    pod["status"] = {"phase": "Pending", "conditions": [_condition("PodScheduled", texts)]}
    return pod


def _pod_spec(resource: str, texts: Iterator[str]) -> dict[str, Any]:
    requests = {"cpu": "1", "memory": "1Gi", resource: "1"}
    return {
        "schedulerName": "volcano",
        "tolerations": [{"key": next(texts), "operator": "Equal", "value": next(texts)}],
        "nodeSelector": {next(texts): next(texts)},
        "containers": [{"name": next(texts), "image": next(texts), "resources": {"requests": requests}}],
    }


def _condition(kind: str, texts: Iterator[str]) -> dict[str, Any]:
    return {"type": kind, "status": "False", "reason": next(texts), "message": next(texts)}
