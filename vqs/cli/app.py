"""The commands there are, and what becomes of one: only the one that is called is imported."""

from collections.abc import Sequence
from importlib import import_module
from typing import Final

import click
from click.core import ParameterSource

from vqs import __version__
from vqs.cli import INTERRUPTED, completion, process
from vqs.cli.failures import FAILURE, forget_stdout, say, unwritable
from vqs.cli.process import Terminated

COMMANDS: Final = {
    "simulate": "Run one scheduling session on a snapshot.",
    "capture": "Save a snapshot of a cluster to a file.",
    "why": "Explain why a pod or job of a cluster waits, in one step.",
    "explain-queue": "Explain what queues get, and why their jobs wait.",
    "explain-job": "Explain why a job waits or was evicted, and how to fix it.",
    "diff-configs": "Compare scheduling before and after a change.",
    "fit": "Check whether a new job would run, and its largest size.",
    "sweep": "Simulate a space of what-if edits, and collect figures.",
    "tune": "Find the cheapest change that reaches a goal.",
    "replay": "Run a workload over time: waits, evictions, utilisation.",
    "when": "Estimate when the jobs that wait will start.",
    "verify": "Compare what vqs predicts with what a cluster did.",
    "lint": "Find mistakes in manifests and scheduler configuration.",
    "render": "Write a saved result in another format.",
    "expand": "Print the PodGroups and pods controllers would create.",
    "anonymize": "Replace the names in a snapshot, to share it.",
    "init": "Write a commented example scenario.",
    "plugins": "List plugins and actions, or explain one of them.",
    "versions": "List what releases of Volcano decide differently.",
    "rule": "Explain a verdict, a lint rule or a scheduler message.",
    "help": "Show the documentation on a topic, or list the topics.",
    "schema": "Print the JSON Schema of a result or a scenario.",
}
"""What the list of commands says of each, in the order of the list."""

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
  vqs plugins proportion
  vqs simulate --live new-job.yaml
"""


def _print_version(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        click.echo(f"vqs {__version__}")
        context.exit()


class Commands(click.Group):
    """The commands by name and text; one is imported when it is called or completed."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the command line names, and what stands after it."""
        name, outline, rest = super().resolve_command(ctx, args)
        if name is None or outline is None:
            return name, outline, rest
        found: click.Command = import_module(f"vqs.cli.commands.{name.replace('-', '_')}").run
        return name, found, rest

    def invoke(self, ctx: click.Context) -> int:
        """Run the command; click would write an empty line where that is interrupted."""
        try:
            code: int = super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None
        return code

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order of the list."""
        return list(self.commands)


def _vqs() -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


app: Final = Commands(
    "vqs",
    commands={name: click.Command(name, short_help=text) for name, text in COMMANDS.items()},
    callback=_vqs,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    help="Say what the Volcano scheduler would do next with a cluster, pod by pod, and why.",
    epilog=_EXAMPLES,
    params=[
        click.Option(
            ["--version"],
            help="Print the version.",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
        ),
        *(
            click.Option(
                [f"--{verb}-completion"],
                help=text,
                metavar="[SHELL]",
                is_flag=False,
                flag_value="",
                is_eager=True,
                expose_value=False,
                callback=getattr(completion, verb),
            )
            for verb, text in (
                ("install", "Install completion for the current shell."),
                ("show", "Show completion for the current shell, to copy it or customize the installation."),
            )
        ),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return its exit code."""
    process.PROGRAM.set(name)
    process.IS_OWN.set(arguments is None)
    try:
        code = app.main(args=arguments, prog_name=name, standalone_mode=False)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else name
        message = " ".join(error.format_message().split())
        say(f"error: {message}{_origin(error)} (see '{command} --help')")
        return error.exit_code
    except OSError as error:
        forget_stdout()
        say(f"error: {unwritable(error)}")
        return FAILURE
    except Terminated as ended:
        forget_stdout()
        code = ended.code
    except SystemExit:
        # This is how click ends when the reader of a pipe has seen enough of the help.
        forget_stdout()
        return 0
    return int(code or 0)


def _origin(error: click.UsageError) -> str:
    """Name the environment variable that a refused value comes from: it stands nowhere in the command."""
    parameter = getattr(error, "param", None)
    if error.ctx is None or parameter is None:
        return ""
    is_set = error.ctx.get_parameter_source(parameter.name) is ParameterSource.ENVIRONMENT
    return process.said([parameter.envvar]) if is_set else ""
