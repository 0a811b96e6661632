"""The commands there are. Only the one that is called is imported."""

from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from vqs import __version__
from vqs.cli.values import read_directly

COMMANDS: Final = {
    "simulate": "Run one scheduling session on a snapshot.",
    "capture": "Save a snapshot of a cluster to a file.",
    "explain-queue": "Explain what queues get, and why their jobs wait.",
    "explain-job": "Explain why a job waits or was evicted, and how to fix it.",
    "diff-configs": "Compare scheduling before and after a change.",
    "fit": "Check whether a new job would run, and its largest size.",
    "sweep": "Simulate a space of what-if edits, and collect figures.",
    "tune": "Find the cheapest change that reaches a goal.",
    "replay": "Run a workload over time: waits, evictions, utilisation.",
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


class LazyGroup(TyperGroup):
    """A group that lists its commands by name and text, and imports one when it is called or completed."""

    def __init__(self, *, commands: Any, **more: Any) -> None:
        outlines = {name: TyperCommand(name, short_help=text) for name, text in COMMANDS.items()}
        super().__init__(commands={**commands, **outlines}, **more)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line up to the command."""
        read_directly(self.get_params(ctx))
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the command line names, and what stands after it."""
        name, outline, rest = super().resolve_command(ctx, args)
        return name, outline and _imported(name), rest


def _imported(name: str | None) -> TyperCommand:
    """Return a command, from the module that is named like it."""
    found: TyperCommand = import_module(f"vqs.cli.commands.{str(name).replace('-', '_')}").COMMAND
    return found


app = typer.Typer(
    cls=LazyGroup,
    name="vqs",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
