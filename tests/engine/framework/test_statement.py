"""A statement's steps take effect together, or not at all."""

from __future__ import annotations

from tests.build import group, node, open_session, pod
from vqs.engine.framework.statement import Statement
from vqs.engine.framework.votes import Refusal
from vqs.model.codes import VerdictCode
from vqs.model.task import Task


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
