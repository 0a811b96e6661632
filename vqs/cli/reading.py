"""The options of all commands that read files: which files they may read, and how much of them."""

import os
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from vqs.cli.environment import variable
from vqs.cli.options import option, whole_number

_SIZE: Final = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) *(?:([kmgt])(i?))?b?", re.IGNORECASE)
_STEPS: Final = "kmgt"
_ROOT: Final = "root"
_MAX_BYTES: Final = "max_bytes"
_MAX_FILES: Final = "max_files"


def size(text: str) -> int:
    """Read a number of bytes.

    >>> size("500MB"), size("2GiB"), size("1000")
    (500000000, 2147483648, 1000)
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter(f"'{text}' is no size, such as 500MB, 2GiB, or a number of bytes")
    number, unit, binary = match.groups()
    step = 1024 if binary else 1000
    found = int(float(number) * step ** (_STEPS.index(unit.lower()) + 1)) if unit else int(float(number))
    return _positive(found, text)


def number(text: str) -> int:
    """Read a number of files."""
    return _positive(whole_number(text), text)


def _positive(found: int, text: str) -> int:
    if found < 1:
        raise typer.BadParameter(f"'{text}' is less than 1")
    return found


class ReadingCommand(TyperCommand):
    """A command that reads files. It has the options of all such commands, and what they say holds while it runs."""

    def __init__(self, *arguments: Any, params: list[Any], **more: Any) -> None:
        """Add the options to the parameters of the command."""
        super().__init__(*arguments, params=[*params, *_options()], **more)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line; an empty --root would be the current folder, which nobody has asked for."""
        if f"--{_ROOT}=" in args or (f"--{_ROOT}", "") in pairwise(args):
            raise typer.BadParameter(f"--{_ROOT}: the name of the folder is empty", ctx)
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        # Imported late: `--help` has no use for it.
        from vqs.snapshot.reach import MAX_BYTES, MAX_FILES, Limits, Reach, enforced  # noqa: PLC0415

        roots, most_bytes, most_files = (ctx.params.pop(name) for name in (_ROOT, _MAX_BYTES, _MAX_FILES))
        limits = Limits(tuple(map(os.fspath, roots or ())), most_bytes or MAX_BYTES, most_files or MAX_FILES)
        with enforced(Reach(limits)):
            return super().invoke(ctx)


@cache
def _options() -> list[Any]:
    """Return the options; typer makes them of the parameters of a function, as it does all others."""
    maker = typer.Typer(add_completion=False)

    @maker.command()
    def only_options(
        *,
        root: Annotated[
            list[Path] | None,
            typer.Option(
                "--root",
                metavar="DIR",
                help="Read only what is beneath this.",
                exists=True,
                file_okay=False,
                envvar=variable("--root"),
                show_envvar=False,
                show_default=False,
            ),
        ] = None,
        max_bytes: Annotated[int | None, option("--max-bytes", "SIZE", "Read no more than this; 2GB.", size)] = None,
        max_files: Annotated[int | None, option("--max-files", "N", "Read no more files; 100,000.", number)] = None,
    ) -> None:
        del root, max_bytes, max_files

    return typer.main.get_command(maker).params
