"""What a shell completes: options, and the names that are known, from the files on the line or from what vqs defines.

Only completion itself needs what knows the names, so that is imported where it is used.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem, get_completion_class

from vqs.cli import process
from vqs.paths import is_there

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests

Completer = Callable[[click.Context, click.Parameter, str], Any]
"""Takes the command line, the parameter and the incomplete word; returns the possible words."""

_PLAIN: Final = re.compile(r"[\w./:,@+=-]+")
"""Names that every shell leaves as they are: some shells evaluate the candidates of a completion."""


def paths(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete with files, which the shell knows."""
    return [CompletionItem(incomplete, type="file")]


def one_of(choices: Iterable[str]) -> Completer:
    """Complete with a fixed set of names."""
    return lambda _context, _parameter, incomplete: starting(choices, incomplete)


def starting(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that go on from what is typed, in order."""
    return sorted({name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)})


# --- names in the files on the command line ---------------------------------------------------------------------------


def _named(names: Callable[["Manifests"], Iterable[str]]) -> Completer:
    """Complete with names from the files on the command line; with none if they cannot be read."""

    def complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        return starting((name for manifests in _read(context) for name in names(manifests)), incomplete)

    return complete


def _read(context: click.Context) -> Iterator["Manifests"]:
    from vqs.snapshot.controllers.complete import complete
    from vqs.snapshot.reading.diagnostics import InputErrors
    from vqs.snapshot.reading.reader import read_manifests

    given = [*(context.params.get("files") or ()), *context.args]  # where they are depends on what stands after them
    found = [path for path in given or process.snapshot() if is_there(path)]
    try:
        if found:
            yield complete(read_manifests(found, any_configuration=True))
    except InputErrors:
        return  # a shell has no place for complaints


def _job_names(manifests: "Manifests", attribute: str) -> Iterable[str]:
    from vqs.snapshot.controllers.job import job_names

    return (getattr(name, attribute) for name in job_names(manifests).values())


queues: Final = _named(lambda read: (each.metadata.name for each in read.queues))
jobs: Final = _named(lambda read: _job_names(read, "short"))
whole_jobs: Final = _named(lambda read: _job_names(read, "display"))
tasks: Final = _named(lambda read: (f"{each.metadata.namespace}/{each.metadata.name}" for each in read.pods))
resources: Final = _named(lambda read: (name for node in read.nodes for name in node.status.allocatable))


# --- names that vqs defines -------------------------------------------------------------------------------------------


def statuses(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the statuses of tasks."""
    from vqs.model.job import TaskStatus

    return starting((status.name for status in TaskStatus), incomplete)


def verdicts(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the codes of verdicts."""
    from vqs.explain.verdict_rules import VERDICT_RULES

    return starting(VERDICT_RULES, incomplete)


def lint_codes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the codes of lint rules, the last of several that are separated by commas."""
    from vqs.lint.registry import RULES

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{code}" for code in starting(RULES, last)]


def codes(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the codes of verdicts and of lint rules."""
    return sorted({*verdicts(context, parameter, incomplete), *lint_codes(context, parameter, incomplete)})


def plugins(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the names of plugins and actions."""
    from vqs.config.known_arguments import ACTION_ARGUMENTS
    from vqs.config.known_plugins import PLUGINS

    return starting([*PLUGINS, *ACTION_ARGUMENTS], incomplete)


def behaviours(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the behaviours of releases and their values."""
    from vqs.releases.profile import behaviours as known

    return starting((f"{row.name}={value}" for row in known().values() for value in row.choices), incomplete)


def versions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete with the names of behaviours, areas and releases."""
    from vqs.releases.profile import behaviours as known
    from vqs.releases.release import HEAD_NAMES, Release

    rows = known().values()
    return starting([*(row.name for row in rows), *(row.area for row in rows), *Release, *HEAD_NAMES], incomplete)


# --- the scripts that have a shell ask --------------------------------------------------------------------------------


def show(context: click.Context, _parameter: click.Parameter, shell: str | None) -> None:
    """Print the script for a shell."""
    if shell is not None and not context.resilient_parsing:
        click.echo(_script(context, shell)[1], nl=False)
        context.exit()


def install(context: click.Context, _parameter: click.Parameter, shell: str | None) -> None:
    """Write the script to where the shell reads it when it starts."""
    if shell is None or context.resilient_parsing:
        return
    shell, script = _script(context, shell)
    if shell not in _PLACES:
        raise click.UsageError(f"completion is installed for {', '.join(_PLACES)}; --show-completion {shell} prints it")
    place, start, line = _PLACES[shell]
    path = Path.home() / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script, encoding="utf-8")
    read_at_start = Path.home() / start
    if line and line not in (read_at_start.read_text(encoding="utf-8") if read_at_start.is_file() else ""):
        with read_at_start.open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    click.echo(f"{shell} completion installed in {path}\nCompletion will take effect once you restart the terminal")
    context.exit()


_PLACES: Final = {
    "bash": (".bash_completions/vqs.sh", ".bashrc", "source ~/.bash_completions/vqs.sh"),
    "zsh": (".zfunc/_vqs", ".zshrc", "fpath+=~/.zfunc; autoload -Uz compinit; compinit"),
    "fish": (".config/fish/completions/vqs.fish", "", ""),
}
"""Where the script of each shell is kept, and what is added to which file so that the shell reads it."""


def _script(context: click.Context, named: str) -> tuple[str, str]:
    """Return the shell that an option names, else the current one, and its script."""
    shell = named or Path(os.environ.get("SHELL", "")).name
    made = get_completion_class(shell)
    if made is None:
        raise click.UsageError(f"there is no completion for the shell '{shell}': name another, such as bash")
    return shell, made(context.command, {}, "vqs", "_VQS_COMPLETE").source()
