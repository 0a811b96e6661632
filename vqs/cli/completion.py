"""What a shell may complete the values of options with."""

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Final

import typer

Completer = Callable[..., list[str]]
"""Takes the incomplete word, and the command line if it has a parameter for it; returns the possible words."""

_PLAIN: Final = re.compile(r"[\w./:,@+=-]+")
"""Names that every shell leaves as they are: some shells evaluate the candidates of a completion."""


def one_of(choices: Iterable[str]) -> Completer:
    """Complete with a fixed set of names."""

    def complete(incomplete: str) -> list[str]:
        return starting(choices, incomplete)

    return complete


def starting(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that go on from what is typed, in order."""
    return sorted({name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)})


def _lazy(name: str) -> Completer:
    """Complete as a function of `completers` does, which knows more than help has use for."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        found: list[str] = getattr(import_module("vqs.cli.completers"), name)(context, incomplete)
        return found

    return complete


queues: Final = _lazy("queues")
jobs: Final = _lazy("jobs")
whole_jobs: Final = _lazy("whole_jobs")
tasks: Final = _lazy("tasks")
resources: Final = _lazy("resources")
statuses: Final = _lazy("statuses")
verdicts: Final = _lazy("verdicts")
lint_codes: Final = _lazy("lint_codes")
codes: Final = _lazy("codes")
plugins: Final = _lazy("plugins")
behaviours: Final = _lazy("behaviours")
versions: Final = _lazy("versions")
