"""The commands there are.

This module and those it imports stay light: the commands import the engine when they run, so help is there at once.
"""

from typing import Annotated

import typer

from vqs import __version__
from vqs.cli import (
    anonymize,
    capture,
    diff_configs,
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
