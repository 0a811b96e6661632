"""Processes of this machine that work through items: one for each core, with all that they need from the start.

Where processes can be forked safely, they share what there is, and what is prepared of it, with the process that forked
them; elsewhere each gets one copy when it starts. Each process has at most two items at a time, so that memory is
bounded by the processes, whatever the items.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from types import TracebackType
from typing import Any, Final, Generic, Self, TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_AHEAD: Final = 2
"""How many items a process has at a time: while it works on one, the next one is there already."""
_TRIES: Final = 2
"""How many processes may end at an item before the item is given up."""
_MEANWHILE: Final = 0.2
"""After how many seconds without an answer something else is done."""
_PATIENCE: Final = 5.0
"""How many seconds a process has to end by itself."""

FORK: Final = "fork"
START: Final = FORK if sys.platform == "linux" else "spawn"
"""How processes are started: libraries of other systems do not expect to be forked."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Given(Generic[Item]):
    """An item, and at how many of its tries the process has ended."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.deaths = 0


class _Worker(Generic[Item, Answer]):
    """A process, the end of the pipe to it, and the items that it has."""

    def __init__(
        self,
        context: BaseContext,
        work: Callable[[Item], Answer],
        around: Callable[[], AbstractContextManager[Any]],
        others: Sequence[Connection],
    ) -> None:
        self.connection, theirs = context.Pipe()
        self.items: deque[_Given[Item]] = deque()
        is_forked = context.get_start_method() == FORK
        self.process: Any = context.Process(  # type: ignore[attr-defined]  # each context has its own class of processes
            target=_run,
            args=(theirs, work, nullcontext, [*others, self.connection]) if is_forked else (theirs, work, around, ()),
            daemon=True,
        )
        with warnings.catch_warnings():
            # The other threads are numpy's, which come to no harm: they hold no lock that a new process waits for.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.process.start()
        theirs.close()

    def give(self, given: _Given[Item]) -> None:
        """Hand an item over; a process that has ended is found out when answers are waited for."""
        self.items.append(given)
        with suppress(OSError):
            self.connection.send(given.item)

    def ended(self) -> int:
        """The exit code of a process that has ended, below zero the signal that ended it."""
        self.connection.close()
        self.process.join()
        code: int = self.process.exitcode
        return code


class Processes(Generic[Item, Answer]):
    """Processes of this machine that all do the same work."""

    def __init__(
        self,
        work: Callable[[Item], Answer],
        given_up: Callable[[Item, str], Answer],
        number: int,
        *,
        around: Callable[[], AbstractContextManager[Any]] = nullcontext,
        start: str = START,
    ) -> None:
        """Prepare to work.

        Args:
            work: what is done with each item, in each process.
            given_up: the answer for an item at which processes have ended, and how they did.
            number: how many processes there are.
            around: what a process that is not forked needs around its work.
            start: how processes are started: fork or spawn.
        """
        self._work = work
        self._given_up = given_up
        self._number = number
        self._around = around
        self._context = multiprocessing.get_context(start)
        self._workers: list[_Worker[Item, Answer]] = []

    def __enter__(self) -> Self:
        """Start the processes."""
        gc.freeze()  # what is there already is shared; collecting it would write to its pages, and copy them
        try:
            for _ in range(self._number):
                self._start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes: at once where items are left."""
        for worker in self._workers:
            worker.connection.close()
            if worker.items:
                worker.process.kill()
        for worker in self._workers:
            worker.process.join(_PATIENCE)
            if worker.process.exitcode is None:
                worker.process.kill()
                worker.process.join()
        self._workers.clear()
        gc.unfreeze()

    def answers(
        self, items: Iterable[Item], waiting: Callable[[], None] | None = None
    ) -> Iterator[tuple[Item, Answer]]:
        """Yield items with their answers as these come; `waiting` is called now and then meanwhile."""
        left = map(_Given, items)
        again: deque[_Given[Item]] = deque()
        while busy := self._busy(left, again):
            ready = wait([worker.connection for worker in busy], None if waiting is None else _MEANWHILE)
            if waiting is not None:
                waiting()
            for worker in [each for each in busy if each.connection in ready]:
                try:
                    answer: Answer = worker.connection.recv()
                except (EOFError, OSError):
                    # Start another process in its place, which does its items again; give up the one it was at.
                    self._workers.remove(worker)
                    code = worker.ended()
                    if worker.items:
                        at = worker.items[0]
                        at.deaths += 1
                        if at.deaths >= _TRIES:
                            worker.items.popleft()
                            yield at.item, self._given_up(at.item, _end(code))
                    again.extend(worker.items)
                    self._start()
                else:
                    yield worker.items.popleft().item, answer

    def _start(self) -> None:
        others = [worker.connection for worker in self._workers]
        self._workers.append(_Worker(self._context, self._work, self._around, others))

    def _busy(self, left: Iterator[_Given[Item]], again: deque[_Given[Item]]) -> list[_Worker[Item, Answer]]:
        """Hand items over, first those that have to be done again, and return the processes that have some."""
        for number in range(1, _AHEAD + 1):
            for worker in self._workers:
                if len(worker.items) < number and (given := again.popleft() if again else next(left, None)):
                    worker.give(given)
        return [worker for worker in self._workers if worker.items]


def _end(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name
    hint = ": is there enough memory?" if -code == signal.SIGKILL else ""
    return f"was ended by {name}{hint}"


def _run(
    connection: Connection,
    work: Callable[[Any], Any],
    around: Callable[[], AbstractContextManager[Any]],
    inherited: Sequence[Connection],
) -> None:
    """Work until the other end of the pipe is closed, be it that its process was killed.

    A forked process has ends of pipes that would keep these open; one that is not begins with a copy of its work.
    """
    for each in inherited:
        each.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides what an interruption ends
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    with around(), suppress(EOFError, OSError):
        while True:
            connection.send(work(connection.recv()))
