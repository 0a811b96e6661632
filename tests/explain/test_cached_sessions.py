"""Sessions one after another on nearly the same objects: each decides as without a cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.build import gang, group, manifests, node, pod, queue
from tests.properties import examples
from vqs.explain.outlook import Sessions
from vqs.explain.simulate import SimulateOptions, open_session, run_session, simulate, simulation_of
from vqs.model.job import TaskStatus
from vqs.model.kubernetes import ObjectMeta, PriorityClass
from vqs.snapshot.cluster.session_cache import SessionCache
from vqs.snapshot.controllers.complete import complete, with_makers
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

ROOT: Final = Path(__file__).parents[2]
SCENARIOS: Final = sorted((ROOT / "scenarios").rglob("*.yaml"))

Draw = Callable[[int], int]
"""Draws a number below another."""


# --- edits ------------------------------------------------------------------------------------------------------------


def _with(given: Manifests, **lists: Any) -> Manifests:
    return replace(given, **lists)


def _put(given: Manifests, name: str, draw: Draw, change: Callable[[Any], Any]) -> Manifests:
    """Replace one object of a list."""
    objects = [*getattr(given, name)]
    if objects:
        at = draw(len(objects))
        objects[at] = change(objects[at])
    return _with(given, **{name: objects})


def _listed(given: Manifests, name: str, numbers: list[int], change: Callable[[Any], Any] | None = None) -> Manifests:
    """Put some objects of a list, by their numbers, in place of all; the last one is changed."""
    objects, origins = ([each[number] for number in numbers] for each in (getattr(given, name), given.origins[name]))
    if change is not None:
        objects[-1] = change(objects[-1])
    return _with(given, **{name: objects}, origins={**given.origins, name: origins})


def _dropped(given: Manifests, name: str, draw: Draw) -> Manifests:
    numbers = [*range(len(getattr(given, name)))]
    if numbers:
        del numbers[draw(len(numbers))]
        return _listed(given, name, numbers)
    return given


def _added(given: Manifests, name: str, draw: Draw, change: Callable[[Any], Any]) -> Manifests:
    numbers = [*range(len(getattr(given, name)))]
    return _listed(given, name, [*numbers, draw(len(numbers))], change) if numbers else given


def _spec(**changes: Any) -> Callable[[Any], Any]:
    return lambda each: structs.replace(each, spec=structs.replace(each.spec, **changes))


def _named(draw: Draw) -> Callable[[Any], Any]:
    name = f"new-{draw(1_000_000)}"
    return lambda each: structs.replace(
        each, metadata=structs.replace(each.metadata, name=name, uid=each.metadata.uid and name)
    )


def _asking(cpu: str) -> Callable[[Any], Any]:
    def change(pod: Any) -> Any:
        containers = [
            structs.replace(each, resources=structs.replace(each.resources, requests={"cpu": cpu}))
            for each in pod.spec.containers
        ]
        return _spec(containers=containers)(pod)

    return change


def _in_phase(phase: str, on: str) -> Callable[[Any], Any]:
    def change(pod: Any) -> Any:
        return structs.replace(_spec(node_name=on)(pod), status=structs.replace(pod.status, phase=phase))

    return change


def _on_any_node(given: Manifests, draw: Draw) -> Manifests:
    names = [each.metadata.name for each in given.nodes] or [""]
    phase = ("Running", "Pending", "Succeeded")[draw(3)]
    return _put(given, "pods", draw, _in_phase(phase, "" if phase == "Pending" else names[draw(len(names))]))


def _in_any_queue(given: Manifests, draw: Draw) -> Manifests:
    names = [*(each.metadata.name for each in given.queues), "nowhere"]
    return _put(given, "pod_groups", draw, _spec(queue=names[draw(len(names))]))


def _turned(given: Manifests, draw: Draw) -> Manifests:
    numbers = [*range(len(given.pods))]
    at = draw(len(numbers) + 1)
    return _listed(given, "pods", [*numbers[at:], *numbers[:at]]) if numbers else given


def _class(draw: Draw) -> str:
    return f"class-{draw(2)}"


def _with_class(given: Manifests, draw: Draw) -> Manifests:
    """Give a priority class a value; it is added where there is none of the name."""
    made = PriorityClass(metadata=ObjectMeta(name=_class(draw)), value=draw(50))
    others = [each for each in given.priority_classes if each.metadata.name != made.metadata.name]
    return _with(given, priority_classes=[*others, made])


EDITS: Final[dict[str, Callable[[Manifests, Draw], Manifests]]] = {
    "queue's weight": lambda given, draw: _put(given, "queues", draw, _spec(weight=1 + draw(9))),
    "pod's request": lambda given, draw: _put(given, "pods", draw, _asking(f"{1 + draw(4)}")),
    "pod's priority": lambda given, draw: _put(given, "pods", draw, _spec(priority=draw(50))),
    "pod's class": lambda given, draw: _put(
        given, "pods", draw, _spec(priority_class_name=_class(draw), priority=None)
    ),
    "job's class": lambda given, draw: _put(given, "pod_groups", draw, _spec(priority_class_name=_class(draw))),
    "class's value": _with_class,
    "pod's node": _on_any_node,
    "job's queue": _in_any_queue,
    "other order": _turned,
    "node cloned": lambda given, draw: _added(given, "nodes", draw, _named(draw)),
    "pod added": lambda given, draw: _added(given, "pods", draw, _named(draw)),
    "pod gone": lambda given, draw: _dropped(given, "pods", draw),
    "node gone": lambda given, draw: _dropped(given, "nodes", draw),
    "queue gone": lambda given, draw: _dropped(given, "queues", draw),
    "job gone": lambda given, draw: _dropped(given, "pod_groups", draw),
    "nothing": lambda given, _: given,
}


@cache
def _read(path: Path, *, completed: bool) -> Manifests:
    read = read_manifests([str(path)])
    return with_makers(complete(read), read) if completed else read


def _said(given: Manifests, options: SimulateOptions, *, released: bool = False) -> bytes:
    try:
        finished = run_session(given, options)
    except InputErrors as errors:
        return str(errors).encode()
    said = msgspec.json.encode(simulation_of(finished, given, options))
    for later in islice(Sessions(given, finished, options).ahead(), 3):
        said += msgspec.json.encode(simulation_of(later, later.manifests, options))
    if released:
        finished.release()
    return said


@given(st.data())
@settings(max_examples=examples(10), deadline=None)
def test_sessions_are_the_same(data: st.DataObject) -> None:
    """Whatever is edited from one session to the next, it and those that follow it decide as if they shared nothing."""
    path = data.draw(st.sampled_from(SCENARIOS))
    base = current = _read(path, completed=data.draw(st.booleans()))
    cache = SessionCache()

    def draw(below: int) -> int:
        return data.draw(st.integers(0, below - 1))

    for edit in data.draw(st.lists(st.sampled_from(["the first", *EDITS]), min_size=3, max_size=6)):
        current = base if edit == "the first" else EDITS[edit](current, draw)
        options = SimulateOptions(seed=data.draw(st.sampled_from([None, 3])), nodes=data.draw(st.booleans()))
        alike = replace(options, cache=cache)
        assert _said(current, alike, released=data.draw(st.integers(0, 9)) > 0) == _said(current, options)


# --- what is taken over -----------------------------------------------------------------------------------------------


def _cluster() -> Manifests:
    """Return a cluster with a job that runs and one that waits."""
    running = [pod(f"r-{number}", "r", spec={"nodeName": "n1"}, status={"phase": "Running"}) for number in range(2)]
    return manifests([node("n1"), node("n2"), queue("default"), *gang("r", 0), *running, *gang("w", 2)])


def test_pods_that_are_bound_alike_stay_the_same() -> None:
    """What is seen of the next session of one cluster is taken over for that of another one, but for what differs."""
    options = SimulateOptions(cache=SessionCache())

    def following(given: Manifests) -> list[Any]:
        finished = run_session(given, options)
        [later, *_] = Sessions(given, finished, options).ahead()
        return later.manifests.pods

    first = following(given := _cluster())
    assert all(before is after for before, after in zip(first, following(given), strict=True))
    moved = _put(given, "nodes", lambda _: 1, _spec(unschedulable=True))
    assert [each.spec.node_name for each in following(moved)] == ["n1"] * 4


def test_released_sessions_leave_their_jobs() -> None:
    """A released session leaves its jobs to the next one, as they were before it placed any task."""
    given, options = _cluster(), SimulateOptions(cache=SessionCache())
    first = run_session(given, options)
    jobs = first.session.jobs
    assert {task.status for task in jobs["ns/w"].tasks.values()} == {TaskStatus.Binding}
    first.release()
    second = open_session(given, options).session
    assert {uid: job is jobs[uid] for uid, job in second.jobs.items()} == {"ns/r": True, "ns/w": True}
    assert {(task.status, task.node) for task in second.jobs["ns/w"].tasks.values()} == {(TaskStatus.Pending, None)}


def test_edited_jobs_are_made_anew() -> None:
    """Of a job with another pod nothing is taken over."""
    given, options = _cluster(), SimulateOptions(cache=SessionCache())
    first = run_session(given, options)
    jobs = first.session.jobs
    first.release()
    edited = replace(given, pods=[*given.pods[:-1], _asking("2")(given.pods[-1])])
    second = open_session(edited, options).session
    assert {uid: job is jobs[uid] for uid, job in second.jobs.items()} == {"ns/r": True, "ns/w": False}


def test_jobs_without_a_priority_class_outlast_its_change() -> None:
    """Where a priority class gets another value, only jobs that name it, or of which a pod does, are made anew."""
    low = PriorityClass(metadata=ObjectMeta(name="low"), value=1)
    named = [*gang("g", 1), pod("p-0", "p"), pod("p-1", "p", spec={"priorityClassName": "low"})]
    objects = [node("n1"), queue("default"), *gang("j", 1), group("p"), *named]
    read = manifests(objects)
    groups = [_spec(priority_class_name="low")(each) if each.metadata.name == "g" else each for each in read.pod_groups]
    given = replace(read, pod_groups=groups, priority_classes=[low])
    options = SimulateOptions(cache=SessionCache())
    first = run_session(given, options)
    jobs = first.session.jobs
    first.release()
    edited = replace(given, priority_classes=[structs.replace(low, value=7)])
    second = open_session(edited, options).session
    assert {uid: job is jobs[uid] for uid, job in second.jobs.items()} == {"ns/g": False, "ns/j": True, "ns/p": False}
    priorities = {task.name: task.priority for task in second.jobs["ns/p"].tasks.values()}
    assert (second.jobs["ns/g"].priority, priorities["p-1"]) == (7, 7)


def test_sessions_that_are_still_looked_at_keep_their_jobs() -> None:
    """A session that was not released shares no job with the next one."""
    given, options = _cluster(), SimulateOptions(cache=SessionCache())
    first, second = (run_session(given, options).session for _ in range(2))
    assert first.jobs["ns/r"] is not second.jobs["ns/r"]


def test_released_session_is_gone() -> None:
    """Whoever looks at a session after its release fails at once, in place of finding what the next one decides."""
    finished = run_session(_cluster(), SimulateOptions(cache=SessionCache()))
    finished.release()
    with pytest.raises(AttributeError):
        _ = finished.session.jobs


def test_amounts_that_are_rounded() -> None:
    """Where sums of amounts depend on their order, what nodes hold is added up anew, in the order of a new session."""
    given, options = _cluster(), SimulateOptions(cache=SessionCache(), nodes=True)
    huge = [_asking("9007199254740993m")(each) if each.metadata.name == "r-0" else each for each in given.pods]
    run_session(replace(given, pods=huge), options).release()
    finished = run_session(given, options)
    alone = simulate(given, replace(options, cache=None))
    assert msgspec.json.encode(simulation_of(finished, given, options)) == msgspec.json.encode(alone)
