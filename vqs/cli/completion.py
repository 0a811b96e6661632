"""What a shell may complete the values of options with: names from the files that stand on the command line."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

import typer

from vqs.cli import environment
from vqs.paths import is_there

if TYPE_CHECKING:
    from vqs.snapshot.manifests import Manifests

Completer = Callable[..., list[str]]
"""Told what is typed so far, and where it asks for it the command line; returns what it may go on with."""

_FILES: Final = "files"
_PLAIN: Final = re.compile(r"[\w./:,@+=-]+")
"""Names in which no shell finds anything to do: some evaluate what they are offered."""


def one_of(choices: Iterable[str]) -> Completer:
    """Complete with a fixed set of names."""

    def complete(incomplete: str) -> list[str]:
        return _starting(choices, incomplete)

    return complete


def queues(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of queues."""
    return _starting((each.metadata.name for read in _read(context) for each in read.queues), incomplete)


def jobs(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of jobs."""
    return _starting((each.metadata.name for read in _read(context) for each in read.pod_groups), incomplete)


def whole_jobs(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of jobs, by namespace/name."""
    groups = (each.metadata for read in _read(context) for each in read.pod_groups)
    return _starting((f"{group.namespace}/{group.name}" for group in groups), incomplete)


def tasks(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of tasks, by namespace/name."""
    pods = (each.metadata for read in _read(context) for each in read.pods)
    return _starting((f"{pod.namespace}/{pod.name}" for pod in pods), incomplete)


def resources(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of the resources that nodes have."""
    named = (name for read in _read(context) for node in read.nodes for name in node.status.allocatable)
    return _starting(named, incomplete)


def statuses(incomplete: str) -> list[str]:
    """Complete with the statuses of tasks."""
    from vqs.model.task import TaskStatus  # noqa: PLC0415 - imported late, as `--help` has no use for it

    return _starting((status.name for status in TaskStatus), incomplete)


def verdicts(incomplete: str) -> list[str]:
    """Complete with the codes of verdicts."""
    from vqs.explain.rules import RULES  # noqa: PLC0415 - imported late, as `--help` has no use for it

    return _starting(RULES, incomplete)


def lint_codes(incomplete: str) -> list[str]:
    """Complete with the codes of lint rules, the last of several that are separated by commas."""
    from vqs.lint.registry import RULES  # noqa: PLC0415 - imported late, as `--help` has no use for it

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{code}" for code in _starting(RULES, last)]


def codes(incomplete: str) -> list[str]:
    """Complete with the codes of verdicts and of lint rules."""
    return sorted({*verdicts(incomplete), *lint_codes(incomplete)})


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)})


def _read(context: typer.Context) -> "Iterator[Manifests]":
    """Yield what the files hold, or nothing where they cannot be read: a shell has no place for complaints."""
    from vqs.snapshot.controllers.complete import complete  # noqa: PLC0415 - imported late, as above
    from vqs.snapshot.diagnostics import InputErrors  # noqa: PLC0415
    from vqs.snapshot.manifests import read_manifests  # noqa: PLC0415

    given = [*(context.params.get(_FILES) or ()), *context.args]  # where they are depends on what stands after them
    paths = [path for path in given or environment.snapshot() if is_there(path)]
    try:
        if paths:
            yield complete(read_manifests(paths))
    except InputErrors:
        return
