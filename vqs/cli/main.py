"""The entry point: the commands there are, and the exit code.

This module and those it imports stay light: the commands import the engine when they run, so help is there at once.
"""

import gc
from collections.abc import Sequence
from typing import Annotated, Final, cast

import typer

from vqs import __version__
from vqs.cli import (
    anonymize,
    capture,
    diff_configs,
    environment,
    expand,
    explain_job,
    explain_queue,
    fit,
    init,
    lint,
    render,
    rule,
    schema,
    simulate,
    verify,
)
from vqs.cli.again import PROGRAM
from vqs.cli.failures import FAILURE, forget_stdout, say, unwritable
from vqs.cli.signals import Terminated

INTERRUPTED: Final = 130
_PATIENCE: Final = 100_000
"""So many objects may be made before cycles are looked for: importing the commands makes many, and nothing to free."""

# What typer raises for every misuse of the command line. It has no public name of its own.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__base__)

_EXAMPLES = """
\b
Examples:
  vqs simulate scenarios/first-look.yaml
  vqs capture -o snapshot.json.zst
  vqs simulate queues.yaml pods/ --format json
  vqs explain-queue queues.yaml pods/ --queue research
  vqs explain-job snapshot.json --job research/train
  vqs diff-configs old.conf new.conf --on snapshot.json
  vqs lint cluster/ --conf volcano-scheduler.conf
  vqs rule queue-limit
  vqs simulate --live new-job.yaml
"""

app = typer.Typer(
    name="vqs",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
simulate.register(app)
capture.register(app)
explain_queue.register(app)
explain_job.register(app)
diff_configs.register(app)
fit.register(app)
verify.register(app)
lint.register(app)
render.register(app)
expand.register(app)
anonymize.register(app)
init.register(app)
rule.register(app)
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


def kubectl_plugin() -> int:
    """Run a command as ``kubectl vqs``, and return its exit code."""
    return main(name="kubectl vqs")


def main(arguments: Sequence[str] | None = None, name: str = "vqs") -> int:
    """Run a command and return its exit code: 0 fine, 1 a difference, 2 an error, 129, 130 or 143 interrupted."""
    gc.set_threshold(_PATIENCE)
    PROGRAM.set(name)
    try:
        code = app(args=arguments, prog_name=name, standalone_mode=False)
    except _UsageError as error:
        return _report_usage(error, name)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except OSError as error:
        forget_stdout()
        say(f"error: {unwritable(error)}")
        return FAILURE
    except Terminated as ended:
        forget_stdout()
        code = ended.code
    except SystemExit:
        # This is how typer ends when the reader of a pipe has seen enough of the help.
        forget_stdout()
        return 0
    return int(code or 0)


def _report_usage(error: Exception, name: str) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context else name
    message = " ".join(getattr(error, "format_message", error.__str__)().split())
    say(f"error: {message}{_origin(error)} (see '{command} --help')")
    return int(getattr(error, "exit_code", FAILURE))


def _origin(error: Exception) -> str:
    """Name the environment variable that a refused value comes from: it stands nowhere in the command."""
    parameter, context = (getattr(error, name, None) for name in ("param", "ctx"))
    source = context.get_parameter_source(parameter.name) if context and parameter else None
    return environment.said([parameter.envvar]) if parameter and source and source.name == "ENVIRONMENT" else ""
