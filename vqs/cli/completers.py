"""Completion of names, from the files on the command line and from the names that vqs defines."""

from collections.abc import Iterator
from typing import Final

import typer

from vqs.cli import environment
from vqs.cli.completion import starting
from vqs.config.known_arguments import ACTION_ARGUMENTS
from vqs.config.known_plugins import PLUGINS
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.lint.registry import RULES
from vqs.model.task import TaskStatus
from vqs.paths import is_there
from vqs.releases.profile import behaviours as known_behaviours
from vqs.releases.release import Release
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.controllers.job_names import job_names
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

_FILES: Final = "files"


def queues(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of queues."""
    return starting((each.metadata.name for read in _read(context) for each in read.queues), incomplete)


def jobs(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of jobs."""
    return starting((name.short for read in _read(context) for name in job_names(read).values()), incomplete)


def whole_jobs(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of jobs, by namespace/name."""
    return starting((name.display for read in _read(context) for name in job_names(read).values()), incomplete)


def tasks(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of tasks, by namespace/name."""
    pods = (each.metadata for read in _read(context) for each in read.pods)
    return starting((f"{pod.namespace}/{pod.name}" for pod in pods), incomplete)


def resources(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of the resources that nodes have."""
    named = (name for read in _read(context) for node in read.nodes for name in node.status.allocatable)
    return starting(named, incomplete)


def statuses(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the statuses of tasks."""
    return starting((status.name for status in TaskStatus), incomplete)


def verdicts(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the codes of verdicts."""
    return starting(VERDICT_RULES, incomplete)


def lint_codes(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the codes of lint rules, the last of several that are separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{code}" for code in starting(RULES, last)]


def plugins(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of plugins and actions."""
    return starting([*PLUGINS, *ACTION_ARGUMENTS], incomplete)


def behaviours(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the behaviours of releases and their values."""
    return starting((f"{row.name}={value}" for row in known_behaviours().values() for value in row.choices), incomplete)


def versions(_context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the names of behaviours, areas and releases."""
    rows = known_behaviours().values()
    return starting([*(row.name for row in rows), *(row.area for row in rows), *Release], incomplete)


def codes(context: typer.Context, incomplete: str) -> list[str]:
    """Complete with the codes of verdicts and of lint rules."""
    return sorted({*verdicts(context, incomplete), *lint_codes(context, incomplete)})


def _read(context: typer.Context) -> Iterator[Manifests]:
    """Yield what the files hold, or nothing where they cannot be read: a shell has no place for complaints."""
    given = [*(context.params.get(_FILES) or ()), *context.args]  # where they are depends on what stands after them
    paths = [path for path in given or environment.snapshot() if is_there(path)]
    try:
        if paths:
            yield complete(read_manifests(paths, any_configuration=True))
    except InputErrors:
        return
