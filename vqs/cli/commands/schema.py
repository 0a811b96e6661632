"""`vqs schema`: the JSON Schema of what vqs writes."""

from enum import StrEnum

from vqs.cli import completion, output
from vqs.cli.command import command
from vqs.cli.options import argument, one_of

_HELP = """
Print the JSON Schema of a DOCUMENT.

With --format json, `vqs simulate` writes a simulation, or cycles with --cycles; `vqs explain-queue` writes
queues; `vqs explain-job` writes a job with --job, else waiting; `vqs lint` writes lint; `vqs diff-configs`
writes a diff; `vqs fit` writes a fit; `vqs sweep` writes a sweep; `vqs tune` writes a tune; `vqs replay` writes a
replay, or replays of several policies or seeds; `vqs verify` writes a verification; `vqs plugins` writes plugins.
Each writes a refusal instead if its input has errors.

A scenario and the plans of a sweep and a tune are input files. Editors complete their keys if the first line names
the schema:
# yaml-language-server: $schema=.scenario.schema.json
"""

_EXAMPLES = """
\b
Examples:
  vqs schema simulation > simulation.schema.json
  vqs schema scenario > .scenario.schema.json
"""


class Document(StrEnum):
    """A kind of document that has a schema."""

    SIMULATION = "simulation"
    CYCLES = "cycles"
    QUEUES = "queues"
    JOB = "job"
    JOBS = "jobs"
    WAITING = "waiting"
    LINT = "lint"
    DIFF = "diff"
    FIT = "fit"
    SWEEP = "sweep"
    TUNE = "tune"
    REPLAY = "replay"
    REPLAYS = "replays"
    WHEN = "when"
    VERIFICATION = "verification"
    STARTS = "starts"
    PLUGINS = "plugins"
    VERSIONS = "versions"
    REFUSAL = "refusal"
    SCENARIO = "scenario"
    SWEEP_PLAN = "sweep-plan"
    TUNE_PLAN = "tune-plan"


@command(
    "schema",
    _HELP,
    _EXAMPLES,
    argument("document", "DOCUMENT", required=True, type=one_of(Document), complete=completion.one_of(Document)),
    plugins=False,
    limits=False,
)
def run(*, document: Document) -> int:
    """Write the schema."""
    from vqs.report import as_json, schema

    output.write(as_json.document(schema.of_document(document)), None)
    return 0
