"""Running a command, and what becomes of all that it may raise."""

from collections.abc import Sequence
from typing import Final, cast

import typer

from vqs.cli import environment, own_process
from vqs.cli.app import app
from vqs.cli.failures import FAILURE, forget_stdout, say, unwritable
from vqs.cli.signals import Terminated

# What typer raises for every misuse of the command line. It has no public name of its own.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__base__)


def run(arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return its exit code.

    Raises:
        KeyboardInterrupt: it was interrupted; the entry point knows the exit code of that.
    """
    environment.PROGRAM.set(name)
    own_process.IS_OWN.set(arguments is None)
    try:
        code = app(args=arguments, prog_name=name, standalone_mode=False)
    except _UsageError as error:
        return _report_usage(error, name)
    except typer.Abort:
        raise KeyboardInterrupt from None
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
