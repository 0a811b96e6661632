"""Running a command with its arguments."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, Protocol

from vqs.cli.groups import ReadingLimits
from vqs.cli.installed import may_extend
from vqs.cli.reporting import reported
from vqs.snapshot.reading.reach import MAX_BYTES, MAX_FILES, MAX_PODS, Limits, Reach, enforced


class Arguments(Protocol):
    """What all commands take."""

    @property
    def debug(self) -> bool:
        """Whether the traceback of an internal error is shown."""


def execute(run: Callable[[Any], int], arguments: Arguments) -> Any:
    """Run a command within its limits, and return its exit code; what it raises is reported."""
    limits, own = getattr(arguments, "limits", None), getattr(arguments, "own", None)
    with (
        nullcontext() if limits is None else enforced(_reach(limits)),
        reported(debug=arguments.debug),
        nullcontext() if own is None else _extended(own),
    ):
        return run(arguments)


def _extended(places: Sequence[str]) -> AbstractContextManager[None]:
    """Have plugins and actions of one's own count; without any, the engine is imported by those who need it."""
    if not places and not may_extend():
        return nullcontext()
    added: AbstractContextManager[None] = import_module("vqs.cli.extending").extended(places)
    return added


def _reach(limits: ReadingLimits) -> Reach:
    roots = tuple(map(os.fspath, limits.roots))
    most = limits.max_bytes or MAX_BYTES, limits.max_files or MAX_FILES, limits.max_pods or MAX_PODS
    return Reach(Limits(roots, *most, is_rendering=limits.render))
