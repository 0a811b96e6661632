"""What holds for every eviction, whatever the cluster and the configuration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from tests.build import open_session, placements, run
from tests.engine.crowds import crowds, steps
from tests.engine.framework.test_session import nonzero, state
from tests.properties import examples
from vqs.engine.actions.eviction.search import EvictionAttempt, Failures, PotentialNodes, VictimFinder
from vqs.engine.actions.eviction.votes import EvictionIndex, VictimDecisions, decide
from vqs.engine.framework.session import Session, Statement
from vqs.engine.framework.trace import Op, PluginVote, StatementResult, VictimDecision
from vqs.engine.nodes.table import Integers, Masks
from vqs.model.job import Task, TaskStatus
from vqs.model.resource import EPSILON


def deciding(made: VictimDecision) -> list[PluginVote]:
    """Return the votes that a decision's victims stand on: those of its tier since it last had nobody in common."""
    counted: list[PluginVote] = []
    agreed: set[str] | None = None
    for vote in made.votes:
        if vote.tier == made.tier:
            taken = {task.uid for task in vote.victims.tasks}
            agreed = taken if agreed is None else agreed & taken
            counted.append(vote)
            if not agreed:
                counted, agreed = [], None
    return counted


@settings(max_examples=examples(60))
@given(crowds())
def test_no_victim_was_spared(crowd: tuple[list[Any], str]) -> None:
    """Each plugin that had a say in the decision has let every victim go."""
    for operation in steps(run(*crowd), Op.EVICT):
        assert operation.search is not None
        made = operation.search.decisions[operation.node]
        assert operation.task in made.candidates
        votes = deciding(made)
        assert votes
        assert all(vote.victims.refusal(operation.task) is None for vote in votes)


@settings(max_examples=examples(60))
@given(crowds())
def test_only_committed_evictions_last(crowd: tuple[list[Any], str]) -> None:
    """The tasks that are on their way out are those that were before, and those that a committed statement evicted."""
    before = {name for name, (status, _) in placements(open_session(*crowd)).items() if status == "Releasing"}
    session = run(*crowd)
    after = {name for name, (status, _) in placements(session).items() if status == "Releasing"}
    assert after == before | {operation.task.name for operation in steps(session, Op.EVICT)}


def picture(session: Session) -> Any:
    """Return everything that a statement changes, in a form that can be compared; a bound task counts as running."""
    everything = nonzero(state(session))
    jobs = {
        job.uid: (job.ready, job.waiting, job.valid, nonzero(job.allocated), job.pending_best_effort)
        for job in session.jobs.values()
    }
    index = session.shared(EvictionIndex)
    sums = {job.uid: index.sums_beside(job).tolist() for job in session.jobs.values()}
    places = {name: (status.replace("Bound", "Running"), on) for name, (status, on) in placements(session).items()}
    return everything["plugins"], everything["queues"], jobs, sums, places, session.nodes.snapshot().tolist()


def test_discarded_statements_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    """Node arrays, counts, ledgers, shares, statuses and sums are what they were when the statement began."""
    discarded = 0
    begin, end = Statement.__init__, Statement.end

    def begun(self: Statement, session: Session, job: Any) -> None:
        begin(self, session, job)
        self.__dict__["before"] = picture(session)

    def ended(self: Statement, result: StatementResult) -> None:
        nonlocal discarded
        end(self, result)
        if result is StatementResult.DISCARD:
            discarded += bool(self.operations)
            assert picture(self.session) == self.__dict__["before"]

    monkeypatch.setattr(Statement, "__init__", begun)
    monkeypatch.setattr(Statement, "end", ended)

    @settings(max_examples=examples(60))
    @given(crowds())
    def check(crowd: tuple[list[Any], str]) -> None:
        run(*crowd)

    check()
    assert discarded


@settings(max_examples=examples(60))
@given(crowds())
def test_with_the_victims_gone_the_tasks_fit(crowd: tuple[list[Any], str]) -> None:
    """No node has promised more than it will have."""
    nodes = run(*crowd).nodes
    assert (nodes.future_idle[[nodes.row["cpu"], nodes.row["memory"]]] > -EPSILON).all()


@settings(max_examples=examples(60))
@given(crowds())
def test_the_same_input_gives_the_same_evictions(crowd: tuple[list[Any], str]) -> None:
    """Step by step."""
    first, second = ([(s.op, s.task.name, s.node) for s in steps(run(*crowd), Op.EVICT)] for _ in range(2))
    assert first == second


# --- nothing that is remembered changes the outcome ------------------------------------------------------------------


def story(session: Session) -> Any:
    """Return what was decided, and what was found on the way."""
    victim_searches = [
        (h.action, h.task.name, h.scope, h.refusal, h.nodes, h.asked, sorted(h.spared_by.items()), h.node)
        for h in session.trace.victim_searches
    ]
    records = [
        (r.action, r.job, r.result, [(s.op, s.task.name, s.node) for s in r.operations])
        for r in session.trace.statements
    ]
    return placements(session), records, victim_searches


def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every candidate listed, every plugin asked and every node looked at anew each time."""

    def candidates(self: VictimDecisions, column: int, _: object, allowed: Any) -> list[Task]:
        return self.index.candidates(column, allowed)

    def decide_anew(self: VictimDecisions, preemptor: Task, found: list[Task], _: int, __: object) -> VictimDecision:
        return decide(self._tiers, found, lambda _, voter: voter.vote(preemptor, found))

    def known(_: Failures, columns: Any, **__: Any) -> Masks:
        return np.zeros(len(columns), np.bool_)

    nodes_with_victims = VictimFinder.nodes_with_victims

    def decisions_on_all(self: VictimFinder, attempt: EvictionAttempt, nodes: Integers, **_: Any) -> Any:
        return nodes_with_victims(self, attempt, nodes)

    def for_task(self: PotentialNodes, task: Task) -> Masks:
        return ~self.session.reasons.unresolvable(self.codes(task, slice(None)))

    monkeypatch.setattr(VictimDecisions, "candidates", candidates)
    monkeypatch.setattr(VictimDecisions, "decide", decide_anew)
    monkeypatch.setattr(VictimFinder, "nodes_with_victims", decisions_on_all)
    monkeypatch.setattr(Failures, "known", known)
    monkeypatch.setattr(PotentialNodes, "for_task", for_task)


@settings(max_examples=examples(100))
@given(crowds())
def test_what_is_remembered_is_what_would_be_found(crowd: tuple[list[Any], str]) -> None:
    """A session that remembers nothing decides the same, and tells the same story."""
    import pytest  # noqa: PLC0415 - a fixture would last for all examples

    quick = story(run(*crowd))
    with pytest.MonkeyPatch.context() as monkeypatch:
        forgetful(monkeypatch)
        slow = story(run(*crowd))
    assert quick == slow


@settings(max_examples=examples(100))
@given(crowds())
def test_nodes_that_are_passed_over_would_not_have_helped(crowd: tuple[list[Any], str]) -> None:
    """A session that asks the plugins on every open node decides the same."""
    import pytest  # noqa: PLC0415 - a fixture would last for all examples

    quick = placements(run(*crowd))
    look = VictimFinder.nodes_where_eviction_may_help

    def everywhere(self: VictimFinder, attempt: EvictionAttempt) -> Masks:
        look(self, attempt)
        return self.potential

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(VictimFinder, "nodes_where_eviction_may_help", everywhere)
        assert placements(run(*crowd)) == quick


def test_random_crowds_are_worth_the_while() -> None:
    """Among some of them, everything happens: evictions that last, some that do not, and searches in vain."""
    happened = {"evicted": 0, "discarded": 0, "spared": 0, "too small": 0, "refused": 0}

    @settings(max_examples=examples(60))
    @given(crowds())
    def look(crowd: tuple[list[Any], str]) -> None:
        session = run(*crowd)
        happened["evicted"] += len(steps(session, Op.EVICT))
        happened["discarded"] += any(record.result.value == "discard" for record in session.trace.statements)
        happened["spared"] += any(search.spared_by for search in session.trace.victim_searches)
        happened["too small"] += any(search.too_small for search in session.trace.victim_searches)
        happened["refused"] += any(search.refusal for search in session.trace.victim_searches)
        assert all(
            task.status is not TaskStatus.Unknown for job in session.jobs.values() for task in job.tasks.values()
        )

    look()
    assert all(happened.values()), happened
