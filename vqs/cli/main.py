"""The entry point: the commands there are, and the exit code.

This module and those it imports stay light: the commands import the engine when they run, so help is there at once.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Final, cast

import typer

from vqs import __version__
from vqs.cli import schema, simulate

INTERRUPTED: Final = 130

# What typer raises for every misuse of the command line. It has no public name of its own.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__base__)

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs simulate queues.yaml pods/ --format json
  kubectl get nodes,pods,... -A -o json | vqs simulate
"""

app = typer.Typer(
    name="vqs",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
simulate.register(app)
schema.register(app)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"vqs {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True, epilog=_EXAMPLES)
def vqs(
    context: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Say what the Volcano scheduler would do next with a cluster, pod by pod, and why."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 fine, 1 a difference, 2 an error, 130 interrupted."""
    try:
        code = app(args=arguments, prog_name="vqs", standalone_mode=False)
    except _UsageError as error:
        return _report_usage(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    return int(code or 0)


def _report_usage(error: Exception) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "vqs"
    message = " ".join(getattr(error, "format_message", error.__str__)().split())
    sys.stderr.write(f"error: {message}{_origin(error, message)} (see '{command} --help')\n")
    return int(getattr(error, "exit_code", 2))


def _origin(error: Exception, message: str) -> str:
    """Name the environment variable that a refused value comes from: it stands nowhere in the command."""
    variable = getattr(getattr(error, "param", None), "envvar", None)
    value = os.environ.get(variable) if isinstance(variable, str) else None
    return f" ({variable} is set)" if value and f"'{value}'" in message else ""
