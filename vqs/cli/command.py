"""Commands: what their help says, their parameters, and the function that runs with the values."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vqs.cli import process
from vqs.cli.failures import FAILURE, CommandError, forget_stdout, say
from vqs.cli.groups import Group
from vqs.cli.options import Folder, at_least_one, flag, name, option, size
from vqs.extensible import ACTION_GROUP, PLUGIN_GROUP, ExtensionFaultError
from vqs.snapshot.reading.reach import MAX_BYTES, MAX_FILES, MAX_PODS, Limits, Reach, enforced

if TYPE_CHECKING:
    from vqs.snapshot.reading.diagnostics import InputErrors

_GROUPS: Final = (PLUGIN_GROUP.encode(), ACTION_GROUP.encode())
_ENTRY_POINTS: Final = "*-info/entry_points.txt"
"""Where a folder of packages says what each of them brings."""


def command(
    title: str, about: str, examples: str, *declared: click.Parameter | Group, plugins: bool = True, limits: bool = True
) -> Callable[[Callable[..., int]], click.Command]:
    """Make a command of the function that runs it, and returns its exit code.

    Args:
        title: what the command is called.
        about: what its help says of it, in paragraphs.
        examples: what its help ends with.
        declared: its parameters, in the order of the help. The function gets the value of each by its name.
        plugins: whether it can run with plugins of one's own.
        limits: whether it reads files, which there are limits for.
    """
    groups = [each for each in (*declared, *([_LIMITS] if limits else [])) if isinstance(each, Group)]
    parameters = [*declared, *([_OWN] if plugins else []), _DEBUG, *([_LIMITS] if limits else [])]

    def decorate(run: Callable[..., int]) -> click.Command:
        def callback(*, debug: bool, own: Sequence[str] = (), **values: Any) -> int:
            try:
                for group in groups:
                    names = [*(each.name for each in group.parameters), *group.more]
                    values[group.name] = group.make(**{each: values.pop(each) for each in names if each in values})
                reach = values.pop("limits", None)
                with nullcontext() if reach is None else enforced(reach), _extended(own, may_be=plugins):
                    return run(**values)
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, a message says so
                return _reported(error, debug=debug)

        flat = [each for it in parameters for each in (it.parameters if isinstance(it, Group) else (it,))]
        return click.Command(title, callback=callback, params=flat, help=about, epilog=examples)

    return decorate


def _reported(error: Exception, *, debug: bool) -> int:
    """Say what a command raised: all that is wrong, on stderr, without a traceback unless it is asked for."""
    from vqs.snapshot.reading.diagnostics import InputErrors

    if isinstance(error, BrokenPipeError):
        forget_stdout()
        return 0
    if isinstance(error, InputErrors):
        say_errors(error)
    elif isinstance(error, CommandError):
        say(f"error: {error}{process.naming([error.file])}")
    elif isinstance(error, ExtensionFaultError):
        origins = (f"it comes from {origin}" for origin in getattr(error, "__notes__", []))
        say(*([traceback.format_exc().rstrip()] if debug else []), "; ".join([f"error: {error}", *origins]))
    elif debug:
        say(traceback.format_exc().rstrip())
    else:
        failed = getattr(error, "__notes__", ["vqs failed, this is a bug"])[0]
        text = " ".join(str(error).split())
        say(f"error: {failed}: {type(error).__name__}: {text} (--debug shows where)")
    return FAILURE


def say_errors(errors: InputErrors) -> None:
    """Say what is wrong with an input."""
    from vqs.snapshot.reading.diagnostics import render

    wrong = [diagnostic.file for diagnostic in errors.diagnostics if diagnostic.severity == "error"]
    number = f"{len(wrong)} {'error' if len(wrong) == 1 else 'errors'}"
    total = f"error: {number} in the input, nothing was done{process.naming(wrong)}"
    say(*map(render, errors.diagnostics), total)


# --- reading limits ---------------------------------------------------------------------------------------------------


def _reach(
    roots: Sequence[Path], max_bytes: int | None, max_files: int | None, max_pods: int | None, render: bool
) -> Reach:
    most = max_bytes or MAX_BYTES, max_files or MAX_FILES, max_pods or MAX_PODS
    return Reach(Limits(tuple(map(os.fspath, roots)), *most, is_rendering=render))


_LIMITS: Final = Group(
    "limits",
    _reach,
    (
        option("--root roots", "DIR", "Read only files under this folder.", Folder(), multiple=True),
        option("--max-bytes", "SIZE", "Largest size of all input; 2GB by default.", size),
        option("--max-files", "N", "Most files to read; 100,000 by default.", at_least_one),
        option("--max-pods", "N", "Most pods to create; 50,000 by default.", at_least_one),
        flag("--render", "Render Helm charts and kustomizations."),
    ),
)
"""Which files may be read, how much of them, and how many pods controllers may create for it."""


# --- plugins of one's own ---------------------------------------------------------------------------------------------

_DEBUG: Final = flag("--debug", "Show the traceback of an internal error.")
_OWN: Final = option("--plugin own", "MODULE:CLASS", "Add a plugin or an action of your own.", name, multiple=True)


@contextmanager
def _extended(places: Sequence[str], *, may_be: bool) -> Iterator[None]:
    """Have plugins and actions of one's own count; without any, the engine is imported by those who need it.

    Raises:
        CommandError: one of them cannot be used.
    """
    process.PLUGINS.set(places)
    if not places and not (may_be and may_extend()):
        yield
        return
    from vqs.extensions.adding import extended
    from vqs.extensions.loading import ExtensionError

    with ExitStack() as stack:
        try:
            stack.enter_context(extended(places))
        except ExtensionError as error:
            raise CommandError(f"{error}{process.setting(['--plugin']) if places else ''}") from error
        yield


def may_extend() -> bool:
    """True if some installed package may bring plugins or actions along, which is told sooner than imports are done.

    Such a package names a group of entry points, or lies where only other finders can look. What cannot be read may
    bring anything, too: what reads entry points knows what to do about it.
    """
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    try:
        for place in map(Path, dict.fromkeys(sys.path)):
            if place.is_file() or place.suffix == ".egg":
                return True
            texts = map(Path.read_bytes, place.glob(_ENTRY_POINTS))
            if any(group in text for text in texts for group in _GROUPS):
                return True
    except OSError:
        return True
    return False
