"""`vqs diff-configs`: what a change of queues, of the configuration or of the cluster would do."""

from dataclasses import dataclass
from typing import Annotated, Final

import typer

from vqs.cli.command import choices, command, texts
from vqs.cli.groups import Edits, Output, ReadingLimits, ReleasesFlags, SessionFlags, Verbosity
from vqs.cli.options import (
    Debug,
    GithubSummary,
    NoCi,
    NoIgnore,
    Own,
    file_name,
    flag,
    option,
    revision,
    up_to_a_thousand,
)
from vqs.report.registry import formats_of

_EXAMPLES = """
\b
Examples:
  vqs diff-configs old.conf new.conf --on snapshot.json
  vqs diff-configs --base-ref origin/main queues/ --on snapshot.json
  vqs diff-configs before.yaml after.yaml --seeds 5
  vqs diff-configs --on snapshot.json --set queue/research.spec.weight=5
  vqs diff-configs --volcano 1.13 --volcano 1.15 snapshot.json
  vqs diff-configs old.conf new.conf --on snapshot.json --fail-on 'evictions,queue:b.allocated.cpu<base'

Each option can be set in the environment: --fail-on by VQS_FAIL_ON, and so on.

Exit status: 0 no difference, 1 a difference (with --fail-on, only where a condition holds), 2 the input or the command
line is wrong, 130 interrupted.
"""


@dataclass(frozen=True, kw_only=True)
class DiffConfigs:
    """Show what a change would do: one session on BASE, one on CANDIDATE, and how they differ.

    BASE and CANDIDATE are scheduler configurations (*.conf, or a ConfigMap), queues and other manifests, scenarios, or
    whole snapshots: files or folders. With --on they are applied to a common snapshot: an object replaces the one of
    its kind and name, a configuration replaces the configuration. Without --on, each has to stand alone.
    --base and --candidate add more files to a side.

    With --base-ref, all FILES are the candidate, and the base is what they were in that revision; objects that are no
    longer in them are deleted. With one FILE and --on, the base is the snapshot as it is.

    Edits make the candidate, and then CANDIDATE may be left out: --set queue/b.spec.weight=5, --set
    conf.actions="enqueue, allocate", --add FILE, --remove job/ns/name, --clone-node n1=10, --scale ns/name=8, and
    the YAML list of --edits.

    With --volcano twice, the base is run by the first release of Volcano, the candidate by the second: what an upgrade
    changes. FILES are then the snapshot, unless there is --on. Each difference names the behaviours that cause it;
    `vqs versions` lists them. --behaviour counts for both sides; where nothing else differs, for the candidate alone.

    Moves between equally good nodes are no difference without --placements. With --seeds N, both sides are run under
    N ways to break ties; a difference that is not seen under all of them is reported as depending on tie-breaking.

    In GitHub Actions (GITHUB_ACTIONS=true), the report is added to the job's summary, and the table in the log is a
    group, with the summary line below it; --no-ci switches both off.

    --fail-on takes conditions, separated by commas: evictions, unplaced, share>0.1, pending>base,
    utilisation.cpu<70%, queue:b.allocated.cpu<20, job:ns/name.pending>0. docs/compare.md has all of them.
    """

    files: Annotated[tuple[str, ...], typer.Argument(metavar="BASE CANDIDATE", hidden=True)] = ()
    on: Annotated[tuple[str, ...], option("--on", "SNAPSHOT", "Apply both sides to this snapshot.", file_name)] = ()
    base: Annotated[tuple[str, ...], option("--base", "FILE", "Add this file to the base.", file_name)] = ()
    candidate: Annotated[
        tuple[str, ...], option("--candidate", "FILE", "Add this file to the candidate.", file_name)
    ] = ()
    base_ref: Annotated[str | None, option("--base-ref", "REF", "Take the base from this git revision.", revision)] = (
        None
    )
    edits: Edits
    fail_on: Annotated[tuple[str, ...], option("--fail-on", "CONDITIONS", "Exit with 1 if one of these holds.")] = ()
    exit_zero: Annotated[bool, flag("--exit-zero", "Exit with 0 despite differences.")] = False
    seeds: Annotated[int, option("--seeds", "N", "Compare under N tie-breaking seeds.", up_to_a_thousand)] = 1
    placements: Annotated[bool, flag("--placements", "Show moves between equally good nodes.")] = False
    no_lint: Annotated[bool, flag("--no-lint", "Do not report new lint findings.")] = False
    no_ignore: NoIgnore = False
    session: Annotated[SessionFlags, texts(now="Time of the sessions, in RFC 3339.")]
    release: ReleasesFlags
    output: Annotated[Output, choices(format=formats_of("Diff"))]
    github_summary: GithubSummary = False
    no_ci: NoCi = False
    verbosity: Annotated[Verbosity, texts(verbose="Show every row and task.")]
    own: Own = ()
    debug: Debug = False
    limits: ReadingLimits


COMMAND: Final = command("diff-configs", DiffConfigs, _EXAMPLES)
