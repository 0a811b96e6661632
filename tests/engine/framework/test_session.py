"""A session as a whole: what holds whatever the input is."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import CONF, Object, gang, group, node, open_session, placements, pod, queue, run
from tests.clusters import clusters
from tests.properties import examples
from vqs.engine.framework.session import Messages, Session, Statement
from vqs.engine.framework.trace import StatementResult
from vqs.engine.framework.votes import Refusal
from vqs.engine.nodes.class_scores import NodeFits
from vqs.engine.nodes.reasons import FITS
from vqs.model.codes import VerdictCode
from vqs.model.job import Task, TaskStatus
from vqs.model.resource import EPSILON


def state(session: Session) -> dict[str, Any]:
    """Return everything about a session that placing a task changes, in a form that can be compared."""
    plugins = {
        type(p).__name__: copy.deepcopy({k: v for k, v in vars(p).items() if k in ("allocated", "shares")})
        for p in session._opened
    }
    ledger = session.queue_ledger.closed() if session.queue_ledger else {}
    jobs = {
        job.uid: (
            job.ready,
            job.waiting,
            job.valid,
            job.pending_best_effort,
            {role: number for role, number in job.roles.items() if number},
            {s: sorted(t) for s, t in job.by_status.items() if t},
        )
        for job in session.jobs.values()
    }
    return {"plugins": plugins, "queues": ledger, "jobs": jobs, "placements": placements(session)}


def nonzero(value: Any) -> Any:
    """Drop zero scalars, which a ledger keeps once it has seen them."""
    if hasattr(value, "scalars"):
        return (value.milli_cpu, value.memory, {n: a for n, a in value.scalars.items() if a})
    if isinstance(value, dict):
        return {key: nonzero(each) for key, each in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {name: nonzero(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


@settings(max_examples=examples(60))
@given(clusters(), st.randoms(use_true_random=False))
def test_rolling_back_restores_everything(objects: list[Any], rnd: random.Random) -> None:
    """After a statement is discarded, every array, count and ledger is exactly what it was."""
    session = open_session(objects)
    before, arrays = nonzero(state(session)), session.nodes.snapshot()
    job = rnd.choice(list(session.jobs.values()))
    statement = Statement(session, job)
    for task in list(job.tasks.values()):
        column = rnd.randrange(len(session.nodes))
        if task.status is TaskStatus.Pending:
            step = statement.allocate if rnd.random() < 0.5 else statement.pipeline
            step(task, column)
        elif task.status is TaskStatus.Running:
            statement.evict(task, "test")
    statement.end(StatementResult.DISCARD)
    assert np.array_equal(session.nodes.snapshot(), arrays)
    assert nonzero(state(session)) == before


@settings(max_examples=examples(60))
@given(clusters())
def test_no_node_is_given_more_than_it_has(objects: list[Any]) -> None:
    """Idle and future resources only ever go down to zero, and no node holds more pods than it takes."""
    opened, closed = open_session(objects).nodes, run(objects).nodes
    for before, after in ((opened.idle, closed.idle), (opened.future_idle, closed.future_idle)):
        assert ((after > -EPSILON) | (after >= before)).all()
    assert ((closed.pods <= closed.max_tasks) | (closed.pods <= opened.pods)).all()


@settings(max_examples=examples(60))
@given(clusters())
def test_no_queue_is_given_more_than_it_deserves(objects: list[Any]) -> None:
    """Of what its tasks ask for, a queue holds at most what it deserves, unless it held more before; pods aside."""
    session = run(objects)
    ledger = session.queue_ledger
    assert ledger is not None
    for name, closed in ledger.closed().items():
        opened = ledger.at_open[name]
        for resource in ("cpu", "memory", "nvidia.com/gpu"):
            limit = max(closed.deserved.get(resource), opened.allocated.get(resource))
            assert closed.allocated.get(resource) <= limit + EPSILON


@settings(max_examples=examples(60))
@given(clusters())
def test_gangs_are_bound_whole_or_not_at_all(objects: list[Any]) -> None:
    """A job of which tasks were bound has its minimum."""
    session = run(objects)
    for job in session.jobs.values():
        assert not job.having(TaskStatus.Binding) or job.is_ready()


@settings(max_examples=examples(40))
@given(clusters(), st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(objects: list[Any], rnd: random.Random) -> None:
    """A shuffled dump gives the same placements."""
    flat: list[Object] = [each for entry in objects for each in (entry if isinstance(entry, list) else [entry])]
    shuffled = flat.copy()
    rnd.shuffle(shuffled)
    assert placements(run(shuffled)) == placements(run(flat))


@settings(max_examples=examples(40))
@given(clusters())
def test_what_is_cached_per_class_is_what_a_fresh_look_finds(objects: list[Any]) -> None:
    """After a whole session, bringing a class up to date gives the arrays that computing it anew gives."""
    session = run(objects)
    for job in session.jobs.values():
        for task in job.tasks.values():
            fit = session.fit(task)
            anew = NodeFits(session.nodes, session.node_plugins, session.shard).of(fit.task_class)
            for name in ("codes", "short", "idle", "best"):
                assert np.array_equal(getattr(fit, name), getattr(anew, name)), name
            has_room = fit.short == FITS
            assert np.array_equal(fit.scores[has_room], anew.scores[has_room])


def test_ties_go_to_the_lowest_name_and_are_counted() -> None:
    """Of equal nodes the first by name is taken, and the trace tells of how many it was one."""
    session = run([node("b"), node("a"), node("c"), queue("default"), gang("j", 1)])
    assert placements(session)["j-worker-0"] == ("Binding", "a")
    assert session.trace.ties == {"j-worker-0": 3}


def test_a_seed_varies_ties_and_nothing_else() -> None:
    """Every seed gives one of the equal nodes, always the same one, and some seed another one than the first."""
    objects: list[Any] = [node("a"), node("b"), node("c", cpu=1), queue("default"), gang("j", 1)]
    chosen = {seed: placements(run(objects, seed=seed))["j-worker-0"][1] for seed in range(8)}
    assert chosen == {seed: placements(run(objects, seed=seed))["j-worker-0"][1] for seed in range(8)}
    assert set(chosen.values()) == {"a", "b"}


def test_two_sessions_do_not_disturb_each_other() -> None:
    """Two sessions that take turns decide as they would alone."""
    objects: list[Any] = [node("a", cpu=2), queue("default"), gang("j", 2)]
    left, right = open_session(objects), open_session(objects)
    statement = Statement(left, left.jobs["ns/j"])
    statement.allocate(left.jobs["ns/j"].tasks["j-worker-0"], 0)
    assert right.nodes.idle[0, 0] == 2000
    assert right.jobs["ns/j"].ready == 0


def test_a_plugin_that_is_named_twice_answers_once_more() -> None:
    """A configuration may name a plugin twice; its answer then counts in both places, as in Volcano."""
    conf = CONF.replace("  - name: binpack\n", "  - name: binpack\n  - name: binpack\n")
    objects: list[Any] = [node("a"), queue("default"), gang("j", 1)]
    once, twice = open_session(objects), open_session(objects, conf)
    task = once.jobs["ns/j"].tasks["j-worker-0"]
    assert len(twice.node_plugins.scores) == len(once.node_plugins.scores) + 1
    assert twice.fit(twice.jobs["ns/j"].tasks["j-worker-0"]).scores[0] > once.fit(task).scores[0]


def test_messages_are_written_when_they_are_read() -> None:
    """A message that is given as a function is written at its first reading, and no second time."""
    written: list[str] = []

    def write() -> str:
        written.append("ns/a")
        return "1/2 tasks in gang unschedulable"

    messages = Messages()
    messages.write_later("ns/a", write)
    assert ("ns/a" in messages, [*messages], len(messages), written) == (True, ["ns/a"], 1, [])
    assert [messages["ns/a"], messages.get("ns/a"), messages.get("ns/b")] == ["1/2 tasks in gang unschedulable"] * 2 + [
        None
    ]
    assert written == ["ns/a"]


def test_messages_are_a_mapping() -> None:
    """A plugin may set and delete texts as in any mapping."""
    messages = Messages()
    messages["ns/a"] = "one"
    assert messages == {"ns/a": "one"}
    del messages["ns/a"]
    assert messages == {}


def test_a_step_that_fails_when_it_is_taken_again_leaves_what_its_task_remembered_before() -> None:
    """What was decided and undone in between is forgotten, as the reference brings back a copy of the task."""
    session = open_session([node("n1"), group("j"), pod("p", "j")])
    job = session.jobs["ns/j"]
    task = job.tasks["p"]
    refusals: list[Refusal] = []

    def answer(_: Task) -> Refusal | None:
        return refusals[0] if refusals else None

    session.add_event_handler(answer, lambda _: None)
    tried = Statement(session, job)
    tried.allocate(task, 0)
    saved = tried.save()
    tried.undo()
    assert task.last_transaction is not None
    refusals.append(Refusal(VerdictCode.RESERVE_FAILED))
    assert not Statement(session, job).recover(saved)
    assert not task.node
    assert not task.last_transaction
