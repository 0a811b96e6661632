"""Running a command with its arguments."""

import os
from contextlib import nullcontext
from importlib import import_module
from typing import Any, Protocol

from vqs.cli.groups import ReadingLimits
from vqs.cli.reporting import reported
from vqs.snapshot.limits import MAX_PODS
from vqs.snapshot.reach import MAX_BYTES, MAX_FILES, Limits, Reach, enforced


class Arguments(Protocol):
    """What all commands take."""

    @property
    def debug(self) -> bool:
        """Whether the traceback of an internal error is shown."""


def execute(name: str, arguments: Arguments) -> Any:
    """Run a command within its limits, and return its exit code; what it raises is reported."""
    limits = getattr(arguments, "limits", None)
    with nullcontext() if limits is None else enforced(_reach(limits)), reported(debug=arguments.debug):
        return import_module(f"vqs.cli.commands.{name.replace('-', '_')}").run(arguments)


def _reach(limits: ReadingLimits) -> Reach:
    roots = tuple(map(os.fspath, limits.roots))
    most = limits.max_bytes or MAX_BYTES, limits.max_files or MAX_FILES, limits.max_pods or MAX_PODS
    return Reach(Limits(roots, *most))
