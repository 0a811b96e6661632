"""`vqs why`: why a pod or a job of a cluster waits, from the cluster to the answer in one step."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vqs.cli import inputs, output
from vqs.cli.command import command
from vqs.cli.commands.explain_job import BUDGET
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import (
    CLUSTER,
    RELEASE,
    ClusterFlags,
    Edits,
    Group,
    Output,
    SessionFlags,
    again,
    output_group,
    verbosity,
)
from vqs.cli.options import argument, file_name, name, option, target_file
from vqs.cli.output import Progress
from vqs.cli.process import ended_in_order
from vqs.releases.profile import ReleaseChoice
from vqs.report.formats import View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.reach import in_force

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests

_KEPT: Final = "snapshot.json.zst"
"""Where the snapshot goes, unless another file is named."""

_HELP = """
Explain why a pod or a job of a cluster waits, in one step: capture the cluster, then explain.

Of a pod, the job is explained that it belongs to. -n or NAMESPACE/NAME says in which namespace it is, where
several have the name. The answer is that of vqs explain-job, with the fixes that it finds in 10 seconds.

The cluster is read as by vqs capture: through your own kubectl, with your permissions; nothing is changed in it. All
namespaces are read, as it is other jobs that a job waits for. --keep writes the snapshot to FILE, where other
commands find it. Without --keep, it is deleted after the answer; at a terminal, vqs asks first.
"""

_EXAMPLES = """
\b
Examples:
  vqs why train-worker-0 -n research
  vqs why research/train --keep snapshot.json.zst
  vqs why research/train --context prod -q
  kubectl vqs why train-worker-0 -n research

Exit status: 0 the job is explained, 2 there is no such job, the cluster cannot be read or the command line is wrong,
130 interrupted.
"""


@command(
    "why",
    _HELP,
    _EXAMPLES,
    argument("asked", "POD|JOB", required=True, complete=lambda *_: []),
    option("--namespace -n", "NAME", "The namespace of the pod or the job.", name),
    option("--keep", "FILE", "Keep the snapshot in this file.", file_name),
    Group("cluster", ClusterFlags, [each for each in CLUSTER.parameters if each.name != "namespace"]),
    RELEASE,
    output_group(formats_of("JobReport")),
    *verbosity(quiet="Only the answer, no notes.", verbose="Every attempt, search, vote and name."),
)
def run(
    *,
    asked: str,
    namespace: str | None,
    keep: str | None,
    cluster: ClusterFlags,
    release: ReleaseChoice,
    out: Output,
) -> int:
    """Capture the cluster, explain the job, and offer to keep the snapshot."""
    from vqs.diff.findings import added_warnings
    from vqs.explain.jobs.report import UnknownJob, explain_job

    out.refuse_both("answer")
    kept = None if keep is None else target_file(keep)
    if keep is not None and kept is None:
        raise CommandError("--keep -: standard output is for the answer; name a file")
    output.check(out.target)
    output.check(kept)
    if kept is not None and kept == out.target:
        raise CommandError(f"--keep and --output are both {kept}: name two files")
    flags, edits = SessionFlags(), Edits()
    with _captured(cluster, kept) as called:
        with Progress() as progress:
            manifests, _ = inputs.read_edited([*called], progress, None, edits, release=release, called=called)
            options = inputs.session_options(flags, progress, scenario=inputs.title([*called], (), called))
            seconds = 0.0 if out.quiet and not out.format.for_machines else BUDGET
            job = _job(manifests, asked, namespace)
            try:
                result = explain_job(manifests, options, job, sessions=None, seconds=seconds, judge=added_warnings)
            except UnknownJob as error:
                raise CommandError(str(error)) from None
        view = View(again=again([str(kept or _KEPT)], edits, flags, release))
        output.write(write(result, out.format, output.fitted(view, out)), out.target)
        inputs.say_diagnostics(result.diagnostics, out)
        output.say_written(result.answer, out)
        if kept is None and not out.quiet:
            _offer(Path(*called))
    return 0


@contextmanager
def _captured(cluster: ClusterFlags, kept: Path | None) -> Iterator[Mapping[str, str]]:
    """Yield the file that the cluster is captured in, with what to call it: the one to keep, else a temporary one."""
    from vqs.snapshot.reading.compression import compression_named

    with ExitStack() as stack:
        with Progress() as progress:
            if kept is None:
                called: Mapping[str, str] = stack.enter_context(inputs.snapshot(cluster, progress))
            else:
                with ended_in_order(), output.opened(kept) as place:
                    inputs.capture(cluster, place, compression_named(kept.name), progress)
                in_force().trust(str(kept))
                called = {str(kept): cluster.title}
        yield called


def _job(manifests: Manifests, asked: str, namespace: str | None) -> str:
    """The job that is named, or that a pod of that name is of; a pod comes first where both have the name."""
    from vqs.snapshot.controllers.world import group_name_of

    inside, _, short = asked.rpartition("/")
    if inside and namespace and inside != namespace:
        raise CommandError(f"{asked} is not in namespace {namespace}: leave -n out, or name it without {inside}/")
    inside = inside or namespace or ""
    named = [each for each in manifests.pods if each.metadata.name == short]
    found = [each for each in named if inside in ("", each.metadata.namespace)]
    if len(found) > 1:
        listed = ", ".join(f"{each.metadata.namespace}/{short}" for each in found)
        raise CommandError(f"there are {len(found)} pods {short!r} (write one of {listed})")
    if found:
        return f"{found[0].metadata.namespace}/{group_name_of(found[0])}"
    return f"{inside}/{short}" if inside else short


def _offer(snapshot: Path) -> None:
    """Ask at a terminal whether the snapshot is to be kept; say elsewhere how that is done."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        say(f"note: the snapshot is not kept; --keep {_KEPT} keeps it for the next commands")
        return
    target = Path(_KEPT)
    replaced = ", which is replaced" if target.exists() else ""
    if click.confirm(f"Keep the snapshot for the next commands, in {target}{replaced}?", err=True):
        output.check(target)
        with snapshot.open("rb") as source, output.opened(target) as place:
            shutil.copyfileobj(source, place)
        say(f"written to {target}")
