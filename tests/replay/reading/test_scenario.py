"""Workloads from scenarios."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from vqs.model import kubernetes as k8s
from vqs.replay.distribution import Exponential, Fixed, Uniform
from vqs.replay.workload import Lifecycle, Policy, Timing, Workload
from vqs.snapshot.reading.diagnostics import Diagnostic

QUANTITY = "'x' is not a quantity: expected a number with an optional unit such as m, k, M, Ki, Mi or Gi"

Read = Callable[[str], Workload]
Errors = Callable[[str], list[Diagnostic]]


def test_jobs_arrive_as_volcano_jobs(read: Read) -> None:
    """A job with an arrival is no object at the start; it arrives as a Volcano Job with its tasks and policies."""
    workload = read("""
        nodes: [{cpu: 8}]
        queues: [{name: research}]
        jobs:
          - name: train
            count: 2
            queue: research
            arrival: 10m
            duration: 1h
            policies: [{event: PodEvicted, action: RestartJob, timeout: 5}]
            roles:
              - {name: ps, cpu: 1, duration: {exponential: 2h}, startDelay: 5s, checkpoint: 1m, exitCode: 3}
              - {name: worker, replicas: 3, cpu: 2, labels: {tier: gold}}
    """)
    first, second = workload.arriving(1)
    assert isinstance(first.job, k8s.VolcanoJob)
    assert [first.job.metadata.key, first.time, second.time] == ["default/train-0", 600.0, 600.0]
    assert [(task.name, task.replicas) for task in first.job.spec.tasks] == [("ps", 1), ("worker", 3)]
    assert (first.job.spec.queue, first.job.spec.min_available) == ("research", 4)
    assert first.job.spec.tasks[1].template.metadata.labels == {"tier": "gold"}
    assert first.job.spec.policies == [k8s.LifecyclePolicy(action="RestartJob", event="PodEvicted", timeout="5s")]
    assert first.timing == {
        "ps": Timing(Exponential(7200.0), Fixed(5.0), 60.0, 3),
        "worker": Timing(Fixed(3600.0)),
    }
    assert not [*workload.start.pods, *workload.start.pod_groups, *workload.start.volcano_jobs]


def test_how_pods_stop(read: Read) -> None:
    """A role says how long its containers take to stop and what they exit with, and has the pod's grace period."""
    workload = read("""
        nodes: [{cpu: 8}]
        jobs:
          - name: train
            arrival: 10
            stopTime: 5s
            stopExitCode: 0
            roles:
              - {name: ps, cpu: 1, spec: {terminationGracePeriodSeconds: 90}}
              - {name: worker, cpu: 1, stopTime: {uniform: [1s, 1m]}, stopExitCode: 7}
    """)
    [job] = workload.arriving(1)
    assert isinstance(job.job, k8s.VolcanoJob)
    assert job.timing == {
        "ps": Timing(stop=Fixed(5.0), stop_code=0),
        "worker": Timing(stop=Uniform(1.0, 60.0), stop_code=7),
    }
    assert job.job.spec.tasks[0].template.spec.termination_grace_period_seconds == 90


def test_jobs_without_an_arrival_are_there(read: Read) -> None:
    """A job without an arrival has its objects at the start, and what is said of its pods' time is kept beside them."""
    workload = read("""
        nodes: [{cpu: 8}]
        jobs: [{name: old, running: 2, cpu: 1, duration: 90, policies: [{event: PodEvicted, action: RestartPod}]}]
    """)
    present = workload.present["default/old"]
    assert len(workload.start.pods) == 2
    assert present.timing == {"worker": Timing(Fixed(90.0))}
    assert present.lifecycle == Lifecycle(policies=(Policy(frozenset({"PodEvicted"}), "RestartPod"),))
    assert list(workload.arriving(1)) == []


def test_templates_and_single_jobs_arrive_in_one_order(read: Read) -> None:
    """Jobs of templates come between the others by their times, at the same ones under the same seed."""
    workload = read("""
        nodes: [{cpu: 8}]
        jobs:
          - {name: once, cpu: 1, arrival: 90}
          - {name: tick, cpu: 1, arrivals: {every: 1m, until: 3m}}
          - {name: random, cpu: 1, arrivals: {perHour: 60, until: 1h, most: 20}}
    """)
    arrivals = list(workload.arriving(1))
    times = [each.time for each in arrivals]
    assert times == sorted(times)
    assert {"tick-0", "tick-2", "once", "random-0"} <= {_name(each.job) for each in arrivals}
    assert [each.time for each in workload.arriving(1)] == times
    assert [each.time for each in workload.arriving(2)] != times


def _name(job: object) -> str:
    assert isinstance(job, k8s.VolcanoJob)
    return job.metadata.name


def test_priorities_of_jobs_that_arrive_have_classes(read: Read) -> None:
    """A priority that is a number has a priority class at the start, as a Volcano Job has no other way to have one."""
    workload = read("jobs: [{name: a, cpu: 1, arrival: 1, priority: 7}]")
    [arrival] = workload.arriving(1)
    assert isinstance(arrival.job, k8s.VolcanoJob)
    assert arrival.job.spec.priority_class_name == "priority-7"
    assert [(each.metadata.name, each.value) for each in workload.start.priority_classes] == [("priority-7", 7)]


def test_nodes_have_events(read: Read) -> None:
    """Events of nodes are in the order of their times; patterns name nodes that join, too."""
    workload = read("""
        nodes: [{name: a, cpu: 8}, {name: b, cpu: 8}]
        nodeEvents:
          - {at: 3h, drain: ["x-*", a]}
          - {at: 1h, fail: b}
          - {at: 2h, join: {name: x, count: 2, cpu: 4, labels: {zone: z1}}}
          - {at: 4h, recover: b}
          - {at: 5h, join: x-1}
    """)
    events = [(each.time, each.name, each.change) for each in workload.node_events]
    assert events == [
        (3600, "b", "fail"),
        (7200, "x-0", "join"),
        (7200, "x-1", "join"),
        (10800, "x-0", "drain"),
        (10800, "x-1", "drain"),
        (10800, "a", "drain"),
        (14400, "b", "recover"),
        (18000, "x-1", "join"),
    ]
    joined = workload.node_events[1].node
    assert joined is not None
    assert joined.metadata.labels["zone"] == "z1"
    assert workload.node_events[-1].node is None


@pytest.mark.parametrize(
    ("text", "line", "path", "message"),
    [
        ("duration: 10x", 4, "$.jobs[0].duration", "'10x' is no duration"),
        ("arrival: 10x", 4, "$.jobs[0].arrival", "'10x' is no duration"),
        ("checkpoint: abc", 4, "$.jobs[0].checkpoint", "'abc' is no duration"),
        ("duration: {uniform: [2, 1]}", 4, "$.jobs[0].duration.uniform", "the least, 2, is more than the most, 1"),
        ("duration: {expnential: 1}", 4, "$.jobs[0].duration.expnential", "unknown key 'expnential'"),
        ("arrivals: {every: 1s}", 4, "$.jobs[0].arrivals", "nothing says when the arrivals stop"),
        ("arrivals: {until: 1s}", 4, "$.jobs[0].arrivals", "expected either every or perHour"),
        ("arrivals: {every: 0, until: 1s}", 4, "$.jobs[0].arrivals.every", "expected more than 0 seconds"),
        ("arrivals: {perHour: 0, until: 1s}", 4, "$.jobs[0].arrivals.perHour", "no job would arrive"),
        (
            "arrivals: {perHour: [1, 2], until: 1s}",
            4,
            "$.jobs[0].arrivals.perHour",
            "expected a number, or one for each of the 24 hours of a day; got 2",
        ),
        (
            "arrivals: {every: 1, from: 2h, until: 1h}",
            4,
            "$.jobs[0].arrivals.until",
            "the arrivals stop before they begin",
        ),
        (
            "arrivals: {perHour: 1000000, until: 1000h}",
            4,
            "$.jobs[0].arrivals",
            "about 1,000,000,000 jobs would arrive, more than the 1,000,000 of a replay",
        ),
        (
            "arrival: 1\n    arrivals: {every: 1, until: 2}",
            5,
            "$.jobs[0].arrivals",
            "arrival and arrivals are both given",
        ),
        (
            "arrival: 1\n    running: 1",
            5,
            "$.jobs[0].running",
            "running is given, but a job that arrives later has no such pods yet",
        ),
        (
            "arrival: 1\n    minResources: none",
            5,
            "$.jobs[0].minResources",
            "minResources is given, but of a job that arrives, Volcano makes the PodGroup",
        ),
        ("arrival: 1\n    queue: defalt", 5, "$.jobs[0].queue", "there is no queue 'defalt'"),
        (
            "arrival: 1\n    minAvailable: 3",
            5,
            "$.jobs[0].minAvailable",
            "Volcano's webhook denies this Job: minAvailable is greater than the total of replicas of all tasks",
        ),
        (
            "arrivals: {every: 1, until: 2}\n    count: 2",
            5,
            "$.jobs[0].count",
            "count is given for a job that arrives again and again",
        ),
    ],
)
def test_wrong_times_are_refused(errors: Errors, text: str, line: int, path: str, message: str) -> None:
    """What is wrong with the times of a job is said with its place."""
    found = errors(f"jobs:\n  - name: train\n    {text}\n    cpu: 1\n")
    assert [(each.line - 1, each.path, each.message) for each in found] == [(line, path, message)]


@pytest.mark.parametrize(
    ("event", "path", "message", "hint"),
    [
        ("{at: 1h}", "$.nodeEvents[0]", "expected one of join, leave, fail, recover, drain or uncordon", ""),
        ("{at: 1h, fail: a, drain: a}", "$.nodeEvents[0]", "fail and drain are both given", ""),
        ("{at: 1h, fail: node-00}", "$.nodeEvents[0].fail", "there is no node 'node-00'", "did you mean 'node-0'?"),
        ("{at: 1h, leave: [node-0, x*]}", "$.nodeEvents[0].leave[1]", "there is no node 'x*'", ""),
        ("{at: 1h, join: {cpu: 3}}", "$.nodeEvents[0].join", "name is missing", ""),
        ("{at: 1h, join: {name: node-0}}", "$.nodeEvents[0].join.name", "there is a node node-0 already", ""),
        ("{at: 1h, join: {name: n, cpu: x}}", "$.nodeEvents[0].join.cpu", QUANTITY, ""),
        (
            "{at: x, fail: node-0}",
            "$.nodeEvents[0].at",
            "'x' is no duration",
            "write a number and a unit: 90s, 10m, 1h30m, 2d",
        ),
    ],
)
def test_wrong_events_are_refused(errors: Errors, event: str, path: str, message: str, hint: str) -> None:
    """What is wrong with an event of nodes is said with its place."""
    [error] = errors(f"nodes: [{{cpu: 4}}]\nnodeEvents: [{event}]\n")
    assert (error.path, error.message, error.help) == (path, message, hint)


@pytest.mark.parametrize("limit", ["_MOST_NODE_EVENTS", "_MOST_COMPARED"])
def test_events_are_bounded(errors: Errors, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Patterns that stand for too many events of nodes, or are compared with too many names, are refused."""
    monkeypatch.setattr(f"vqs.replay.reading.scenario.{limit}", 100)
    events = "\n".join(f"  - {{at: {number}, drain: 'n*'}}" for number in range(9))
    [error] = errors(f"nodes: [{{name: n-0, count: 20, cpu: 1}}]\nnodeEvents:\n{events}\n")
    assert (error.code, error.path) == ("too-large", "$.nodeEvents[5]")


def test_other_commands_say_what_they_leave_out(read: Read) -> None:
    """A note says how many jobs are not there at the start."""
    workload = read("jobs: [{name: a, cpu: 1, arrival: 1}, {name: b, count: 3, cpu: 1, arrival: 2}]")
    [note] = [each for each in workload.start.notes if each.code == "arrives-later"]
    assert note.message == "4 jobs arrive later, and only a replay has them"


def test_prices_that_cannot_be_used(errors: Errors) -> None:
    """Idle nodes take no more than busy ones, two currencies do not add up, and keys that are misspelt are found."""
    found = errors("""
        nodes: [{cpu: 8}]
        prices: {currency: EUR, nodes: [{perHour: 2, watts: {idle: 300, busy: 100}}]}
        ---
        apiVersion: vqs/v1
        kind: Scenario
        prices: {currency: USD, nodes: [{perHour: 1}]}
    """)
    assert [(each.line, each.message) for each in found] == [
        (4, "a node takes 300 W where it is idle, and less where it is busy"),
        (8, "prices are in EUR already, and two currencies do not add up"),
    ]
    [unknown] = errors("nodes: [{cpu: 8}]\nprices: {nodes: [{perhour: 2}]}")
    assert unknown.line == 4
    assert "did you mean 'perHour'" in f"{unknown.message} {unknown.help}"


def test_a_price_of_no_node_is_noted(read: Read) -> None:
    """A name that is misspelt would make nodes free in silence: what may be meant is named."""
    workload = read("""
        nodes: [{name: gpu-1, cpu: 8, labels: {pool: gpu}}]
        prices: {nodes: [{names: gpv-1, perHour: 2}, {labels: {pool: gpo}, perHour: 2}]}
    """)
    notes = [each for each in workload.start.notes if each.code == "unused-price"]
    assert [(each.line, each.message, each.help) for each in notes] == [
        (4, "no node has the price of gpv-1", "did you mean 'gpu-1'?"),
        (4, "no node has the price of pool=gpo", "did you mean 'pool=gpu'?"),
    ]


def test_node_groups_that_cannot_be_used(errors: Errors) -> None:
    """A group says how many nodes it has by min and max, under a name of its own, and patterns match a node."""
    found = errors("""
        nodes: [{name: gpu-1, cpu: 8}]
        nodeGroups:
        - {name: a, min: 3, max: 2, node: {cpu: 8}}
        - {name: a, max: 2, names: gqu-1, node: {count: 2, cpu: 8}}
        autoscaler: {scanInterval: 0}
    """)
    assert [(each.line, each.message, each.help) for each in found] == [
        (5, "a group of at least 3 nodes cannot have at most 2", ""),
        (6, "there is a group a already", ""),
        (6, "count of a group's node means nothing: it has the group's name, and min and max count it", ""),
        (6, "there is no node 'gqu-1'", "did you mean 'gpu-1'?"),
        (7, "expected more than 0 seconds", ""),
    ]
    [unknown] = errors("nodes: [{cpu: 8}]\nautoscaler: {expander: least-wast}")
    assert "least-waste" in f"{unknown.message} {unknown.help}"
    [lonely] = errors("nodes: [{cpu: 8}]\nautoscaler: {expander: random}")
    assert (lonely.line, lonely.message) == (4, "an autoscaler without groups of nodes adds and removes none")
