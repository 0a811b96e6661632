"""Where two sessions diverge: the first decision that differs, about one job and overall."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from vqs.diff.outcome import Cause, JobChange, Why
from vqs.diff.run import Run
from vqs.explain.outcome import JobResult, OperationResult, StatementResult
from vqs.explain.texts.node_reasons import blocked_by
from vqs.model.codes import VerdictCode
from vqs.model.wording import count, first_names

_VERBS: Final = (("evict", "evicts", "from"), ("allocate", "places", "on"), ("pipeline", "reserves room for", "on"))

_OF_EVICTIONS: Final[frozenset[JobChange]] = frozenset({"evicted", "spared"})
_UNTOUCHED: Final = "no action decides anything about the job"
_NOT_ADMITTED: Final = "not-enqueued"
_OVER: Final = "no further decision is made"
_MOST_CAUSES: Final = 3
"""Of how many more decisions the text tells; `others` has all."""


class Stories:
    """What two sessions decided, in order, about each job."""

    def __init__(self, before: Run, after: Run) -> None:
        self._sides = _Story(before), _Story(after)

    def why(self, job: str, change: JobChange, moved: Collection[str], changed: Collection[str]) -> Why:
        """The first decision about a job that is not the same, and those about its other tasks that changed.

        Decisions that last come first: what was tried and rolled back explains a difference only where all that lasts
        is the same. Where the most important change is about evictions, these come before all others.
        """
        before, after = (side.of(job) for side in self._sides)
        first = _first_apart(_evictions(before), _evictions(after), ()) if change in _OF_EVICTIONS else None
        lasting = first or _first_apart(_lasting(before), _lasting(after), moved)
        pair = lasting or _first_apart(before, after, moved) or (None, None)
        said = self._said(job, pair)
        if said[0] == said[1]:
            ends = ([tell(side, job) for side in self._sides] for tell in (_Story.verdict, _Story.standing))
            said = next((each for each in ends if each[0] != each[1]), said)
        others = list(self._others(job, pair, moved, changed)) if any(pair) else []
        return Why(text="; ".join(told(said[0], said[1], others)), before=said[0], after=said[1], others=others)

    def _said(self, job: str, pair: _Pair) -> list[str]:
        return [each.text(job) if each else side.ending(job) for each, side in zip(pair, self._sides, strict=True)]

    def _others(self, job: str, pair: _Pair, moved: Collection[str], changed: Collection[str]) -> Iterator[Cause]:
        """Yield what was decided about the tasks that changed and that a pair of decisions is not about."""
        sides = [side.of(job) for side in self._sides]
        left = set(changed) - _alike(pair, sides)
        while left:
            before, after = (_about(left, _lasting(side)) for side in sides)
            apart = _first_apart(before, after, moved)
            if apart is None:
                return
            named = _alike(apart, sides) & left
            one, other = self._said(job, apart)
            yield Cause(tasks=sorted(named), before=one, after=other)
            left -= named


_Pair = tuple["_Decision | None", "_Decision | None"]


def _alike(pair: _Pair, sides: Sequence[Sequence[_Decision]]) -> set[str]:
    """The tasks of two decisions, and of all others of the same action in favour of the same job."""
    return {
        operation.task
        for one, side in zip(pair, sides, strict=True)
        if one is not None
        for each in side
        if each.cause == one.cause
        for operation in each.operations
    }


def _about(tasks: Collection[str], decisions: Iterable[_Decision]) -> list[_Decision]:
    """What of some decisions is about some tasks."""
    parts = (
        _Decision(each.statement, [one for one in each.operations if one.task in tasks], each.run) for each in decisions
    )
    return [each for each in parts if each.operations]


def told(before: str, after: str, others: Sequence[Cause]) -> Iterator[str]:
    """Yield the sentence on the first decision, and those on others, which say only what is not the same there."""
    yield sentence(before, after)
    for each in others[:_MOST_CAUSES]:
        who = each.tasks[0] if len(each.tasks) == 1 else f"{len(each.tasks)} more tasks ({first_names(each.tasks)})"
        if each.after == after != each.before:
            yield f"{who}: before, {each.before}"
        elif each.before == before != each.after:
            yield f"{who}: after, {each.after}"
        else:
            yield f"{who}: {sentence(each.before, each.after)}"
    if rest := sum(len(each.tasks) for each in others[_MOST_CAUSES:]):
        yield f"other decisions about {count(rest, 'more task')}"


def _lasting(decisions: Iterable[_Decision]) -> list[_Decision]:
    return [each for each in decisions if each.statement.result != "discard"]


def _evictions(decisions: Iterable[_Decision]) -> list[_Decision]:
    return [each for each in _lasting(decisions) if any(operation.op == "evict" for operation in each.operations)]


def _first_apart(before: Sequence[_Decision], after: Sequence[_Decision], moved: Collection[str]) -> _Pair | None:
    """Return the first two decisions that are not the same, None for one that is missing; None where all are."""
    for one, other in zip_longest(before, after):
        if one is None or other is None or one.key(moved) != other.key(moved):
            return one, other
    return None


def sentence(before: str, after: str) -> str:
    """Say what was decided in both sessions."""
    return f"before, {before}; after, {after}" if before != after else f"before and after, {before}"


def first_divergence(before: Run, after: Run, moved: Collection[str]) -> str:
    """Say what was decided where the traces first differ; empty where they do not.

    Which nodes were taken counts for the tasks that are said to have moved; for others, tie-breaking decided.
    """
    for name in sorted({*before.jobs, *after.jobs}):
        one, other = before.jobs.get(name), after.jobs.get(name)
        if (
            one is not None
            and other is not None
            and (one.decision == _NOT_ADMITTED) != (other.decision == _NOT_ADMITTED)
        ):
            return sentence(
                *(
                    f"enqueue does not admit {each.called} ({_reason(each)})"
                    if each.decision == _NOT_ADMITTED
                    else f"enqueue admits {each.called}"
                    for each in (one, other)
                )
            )
    for pair in zip_longest(before.statements, after.statements):
        decisions = [
            _Decision(each, each.operations, finished) if each else None
            for each, finished in zip(pair, (before, after), strict=True)
        ]
        keys = [each.key(moved) if each else None for each in decisions]
        if keys[0] != keys[1]:
            return sentence(*(each.text("") if each else _OVER for each in decisions))
    return ""


class _Story:
    """The decisions of one session by job: its own statements, and those in which its tasks are evicted."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._decisions: dict[str, list[_Decision]] = {}
        self.owners = run.owners
        for statement in run.statements:
            foreign: dict[str, list[OperationResult]] = {}
            for operation in statement.operations:
                owner = self.owners.get(operation.task, "")
                if operation.op == "evict" and owner != statement.job and statement.result == "commit":
                    foreign.setdefault(owner, []).append(operation)
            for job, operations in ((statement.job, statement.operations), *foreign.items()):
                self._decisions.setdefault(job, []).append(_Decision(statement, operations, run))

    def of(self, job: str) -> Sequence[_Decision]:
        """Return what was decided about a job."""
        return self._decisions.get(job, ())

    def ending(self, job: str) -> str:
        """Say how a job stands when nothing more is decided about it."""
        result = self.run.jobs.get(job)
        if result is None:
            return self.standing(job)
        if result.decision == _NOT_ADMITTED:
            return f"enqueue does not admit the job ({_reason(result)})"
        if blocked := _short(*blocked_by(result)):
            return f"the job is blocked ({blocked})"
        untouched = _UNTOUCHED if not self.of(job) else f"no further decision is made, and {self.standing(job)}"
        return self.verdict(job) or untouched

    def verdict(self, job: str) -> str:
        """Say why the session itself left a job, or the first of its tasks, without a node; empty where it did not."""
        result = self.run.jobs.get(job)
        verdicts = [] if result is None else [result.verdict]
        verdicts += [task.verdict for task in self.run.tasks_of.get(job, {}).values()]
        blocking = (each for each in verdicts if each is not None and each.code != VerdictCode.EVICTED)
        return next((f"the job is blocked ({_short(each.code, each.text)})" for each in blocking), "")

    def standing(self, job: str) -> str:
        """Say how a job stands in the end."""
        result = self.run.jobs.get(job)
        if result is None:
            queue = self.run.without_queue.get(job)
            return "the job does not exist" if queue is None else f"the job is orphaned: queue {queue} does not exist"
        nodes = f"{result.ready} of its tasks {'has' if result.ready == 1 else 'have'} a node"
        return f"its PodGroup is {result.phase}, {nodes}, and it needs {result.min_available} to start"


class _Decision:
    """A statement, as far as it is about one job."""

    def __init__(self, statement: StatementResult, operations: Sequence[OperationResult], run: Run) -> None:
        self.statement = statement
        self.operations = operations
        self.run = run

    @property
    def cause(self) -> Hashable:
        """The action, the job in whose favour it decides, and whether that lasts."""
        return self.statement.action, self.statement.job, self.statement.result

    def key(self, moved: Collection[str]) -> Hashable:
        """Return what makes two decisions the same one; the nodes count for tasks that moved."""
        done = sorted((each.op, each.task, each.node if each.task in moved else "") for each in self.operations)
        return self.cause, tuple(done)

    def text(self, job: str) -> str:
        """Say what was decided; the job that is spoken of anyway is not named."""
        statement = self.statement
        parts = [
            f"{verb} {_told(operations, self._owner(operations, job), preposition)}"
            for op, verb, preposition in _VERBS
            if (operations := [each for each in self.operations if each.op == op])
        ]
        beneficiary = f" in favour of {statement.called}" if job not in ("", statement.job) else ""
        takes_back = ", and rolls that back" if statement.result == "discard" else ""
        return f"{statement.action} {' and '.join(parts)}{beneficiary}{takes_back}"

    def _owner(self, operations: Sequence[OperationResult], job: str) -> str:
        """Name the job of some tasks, unless it is the one that is spoken of, or they are of several."""
        owners = {self.run.owners.get(each.task, "") for each in operations}
        return "" if len(owners) > 1 or job in owners else self.run.display_name(owners.pop())


def _told(operations: Sequence[OperationResult], owner: str, preposition: str) -> str:
    nodes = list(dict.fromkeys(each.node for each in operations if each.node))
    where = f" {preposition} {first_names(nodes)}" if nodes else ""
    if len(operations) == 1:
        return f"{operations[0].task}{where}"
    return f"{len(operations)} tasks{f' of {owner}' if owner else ''}{where}"


def _reason(job: JobResult) -> str:
    if job.verdict:
        return _short(job.verdict.code, job.verdict.text)
    return job.unschedulable or f"its phase stays {job.phase}"


def _short(code: str, text: str) -> str:
    """Say what blocks in one sentence: figures of single nodes are for who asks about the job."""
    return f"{code}: {text.partition('. ')[0]}" if code else ""
