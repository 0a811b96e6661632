"""What a command reads, files or a live cluster, what-if edits included, and how the sessions on it are run."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import BufferedReader
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from vqs.cli import process
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import ClusterFlags, Edits, Output, SessionFlags
from vqs.cli.output import Progress
from vqs.cli.process import ended_in_order, left_to_its_end
from vqs.paths import STDIN, printable
from vqs.snapshot.reading.collector import paused_collector
from vqs.snapshot.reading.reach import in_force

if TYPE_CHECKING:
    from vqs.capture.run import Captured
    from vqs.engine.framework.session import ExtenderUse
    from vqs.explain.outcome import DiagnosticResult
    from vqs.explain.simulate import SimulateOptions
    from vqs.snapshot.reading.compression import Compression
    from vqs.snapshot.reading.manifests import Manifests
    from vqs.snapshot.whatif.edits import Edit

_NAMED: Final = 3


def has_snapshot() -> bool:
    """True if there is something to read where the command line names nothing."""
    if process.snapshot():
        return True
    return _is_piped() and isinstance(sys.stdin.buffer, BufferedReader) and bool(sys.stdin.buffer.peek(1))


def chosen(files: Sequence[str], command: str = "simulate", *, live: bool = False) -> list[str]:
    """Return the files to read: those given, else those that the environment names, else what is piped in.

    With a live cluster to read, only those given: there is enough to read without.
    """
    if "" in files:
        raise CommandError("one of the files to read has an empty name; is there a variable that is not set?")
    paths = list(files)
    if not live:
        paths = paths or process.snapshot() or ([STDIN] if _is_piped() else [])
    if not paths and not live:
        raise CommandError(
            "there is nothing to read: name files or folders, pipe a snapshot in "
            f"(kubectl get ... -o json | vqs {command}), or set {process.SNAPSHOT} to a file"
        )
    if STDIN in paths and sys.stdin is not None and sys.stdin.isatty():
        say("reading standard input; end with Ctrl-D")
    return paths


def stdin() -> BinaryIO | None:
    """Standard input in bytes; None where it is closed."""
    return sys.stdin.buffer if sys.stdin else None


def read(
    paths: Sequence[str],
    progress: Progress,
    conf: str | None = None,
    *,
    session: SessionFlags | None = None,
    **more: Any,
) -> Manifests:
    """Read what commands work on, from files and standard input; `more` is as for `read_manifests`.

    `session` has the flags that the scheduler is started with, and the file that says how busy nodes are.
    """
    from vqs.snapshot.reading.reader import read_manifests

    manifests = read_manifests(
        paths,
        conf,
        stdin=stdin(),
        progress=partial(progress, "read"),
        **more,
    )
    return manifests if session is None else for_session(manifests, session)


def for_session(manifests: Manifests, session: SessionFlags) -> Manifests:
    """Return manifests with the flags that the scheduler is started with, and how busy nodes are.

    Raises:
        InputErrors: the usage of nodes cannot be read.
    """
    from vqs.snapshot.cluster.usage import with_usage
    from vqs.snapshot.reading.manifests import with_sharding

    manifests = with_sharding(manifests, session.sharding_mode, session.sharding_name)
    if session.csi_storage:  # else it stays as scenarios say
        manifests = replace(manifests, csi_storage_flag=True)
    if session.scheduler_flags:
        from vqs.model.scheduler_flags import read_flags
        from vqs.snapshot.reading.manifests import take_names

        given = [f"--{word}" for word in session.scheduler_flags]
        names = {each.partition("=")[0] for each in given}
        known = (each for each in manifests.flags.given if each.partition("=")[0] not in names)
        manifests = replace(manifests, flags=read_flags([*known, *given]))
        take_names(manifests, manifests.flags.names)
    return manifests if session.usage is None else with_usage(manifests, session.usage, stdin())


def text(path: str) -> str:
    """Return the text of a file or of standard input, whatever it is.

    Raises:
        InputErrors: it cannot be read.
    """
    from vqs.snapshot.reading.diagnostics import Problems
    from vqs.snapshot.reading.sources import read_source

    problems = Problems()
    source = read_source(path, stdin(), problems)
    problems.raise_errors()
    return source.text if source is not None else ""


def title(paths: Sequence[str], edits: Sequence[str] = (), called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Name what was read, and the edits made to it, in a few words; some files have a better name than their path."""
    names = [{STDIN: "standard input", **called}.get(path) or printable(path) for path in paths]
    named = ", ".join(names)
    if len(names) > _NAMED:
        named = f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"
    return f"{named} with {', '.join(edits) if len(edits) <= _NAMED else f'{len(edits)} edits'}" if edits else named


def _is_piped() -> bool:
    """True if data is piped to standard input; a closed one, or /dev/null as in a cron job, does not count."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


# --- what-if edits ----------------------------------------------------------------------------------------------------


class Edited(NamedTuple):
    """Manifests with edits made to them, the edits as one would write them, and those of them that are no files."""

    manifests: Manifests
    edits: list[str]
    parsed: Sequence[Edit] = ()


def edited(manifests: Manifests, asked: Edits) -> Edited:
    """Make edits to manifests.

    Raises:
        InputErrors: some cannot be made.
    """
    from vqs.snapshot.whatif.applied import added
    from vqs.snapshot.whatif.edits import parse_edits, replaced_by
    from vqs.snapshot.whatif.sides import read_side

    if not asked:
        return Edited(manifests, [])
    first, manifests = parse_edits(_listed(asked.edits_file), manifests, assume_admitted=asked.assume_admitted)
    removes = [f"remove {each}" for each in asked.removes]
    for path in asked.adds:
        more = read_side([path], under=manifests, stdin=stdin())
        for text in replaced_by(more, manifests, removes):
            [edit], manifests = parse_edits([text], manifests)
            first.append(edit)
            removes.remove(text)
        manifests = added(manifests, more, assume_admitted=asked.assume_admitted)
    texts = [
        *removes,
        *(f"clone-node {each}" for each in asked.clones),
        *(f"scale {each}" for each in asked.scales),
        *(f"set {each}" for each in asked.sets),
    ]
    rest, manifests = parse_edits(texts, manifests, assume_admitted=asked.assume_admitted)
    texts = [*map(str, first), *(f"add {printable(path)}" for path in asked.adds), *map(str, rest)]
    return Edited(manifests, texts, [*first, *rest])


def _listed(path: str | None) -> list[str]:
    """Return the edits in a file: texts in a YAML list, or objects to add."""
    from vqs.snapshot.reading import yaml_text
    from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors
    from vqs.snapshot.whatif.paths import write_value

    if path is None:
        return []
    try:
        values = yaml_text.load(text(path))
    except yaml_text.YamlErrors as errors:
        raise InputErrors(
            Diagnostic(
                code=each.code,
                severity="error",
                message=each.message,
                file=path,
                line=each.position.line,
                column=each.position.column,
                help=each.help,
            )
            for each in errors.problems
        ) from None
    if len(values) != 1 or not isinstance(values[0], list):
        raise CommandError(f"--edits: {path} is not a YAML list of edits, such as [queue/b.spec.weight=5]", path)
    for number, value in enumerate(values[0], 1):
        if not isinstance(value, str) and not (isinstance(value, dict) and "kind" in value):
            raise CommandError(f"--edits: number {number} in {path} is neither a text nor an object to add", path)
    return [value if isinstance(value, str) else f"add {write_value(value)}" for value in values[0]]


def admitted(before: Manifests, made: Edited, asked: Edits, known: Collection[str] = ()) -> Edited:
    """Return what was made of some manifests if Volcano's webhook for queues admits the change.

    Where it is simulated all the same, what the webhook would deny is a note.

    Raises:
        InputErrors: it is denied.
    """
    from vqs.snapshot.apiserver.queue_admission import admitted_queues

    manifests = admitted_queues(before, made.manifests, made.parsed, assume_admitted=asked.assume_admitted, known=known)
    return made._replace(manifests=manifests)


def read_edited(
    paths: Sequence[str], progress: Progress, conf: str | None, asked: Edits, **more: Any
) -> tuple[Manifests, Sequence[str]]:
    """Return what commands work on, and the edits that are made to it, as one would write them.

    `more` is as for `read`.
    """
    with paused_collector():
        manifests = left_to_its_end(read(paths, progress, conf, **more))
    if not asked:
        return manifests, ()
    made = admitted(manifests, edited(manifests, asked), asked)
    return made.manifests, made.edits


def with_denials(manifests: Manifests) -> Manifests:
    """Return manifests with a warning for each new Volcano Job that is denied, or whose pods are refused."""
    jobs = [
        (job, origin)
        for job, origin in manifests.with_origins("volcano_jobs")
        if origin.document.is_written and not job.metadata.uid
    ]
    if not jobs:
        return manifests
    from vqs.fit.refusals import warnings

    return replace(manifests, notes=[*manifests.notes, *warnings(manifests, jobs)])


# --- sessions ---------------------------------------------------------------------------------------------------------


def session_options(flags: SessionFlags, progress: Progress | None, *, scenario: str = "") -> SimulateOptions:
    """Return how to run a session.

    The flags about sharding and the usage of nodes are not among these options: `read` puts them into what is read.
    """
    from vqs.explain.simulate import SimulateOptions

    return SimulateOptions(
        now=flags.now,
        seed=flags.seed,
        sample=flags.sample,
        allow_extender=flags.allow_extender,
        extender=one_use(),
        scenario=scenario,
        progress=progress,
    )


def one_use() -> ExtenderUse:
    """Return what the sessions of a command have in common of an extender; that it is not asked is said once."""
    from vqs.engine.framework.session import ExtenderUse

    said: list[str] = []

    def not_asked(text: str) -> None:
        if not said:
            said.append(text)
            say(f"warning: {text}")

    return ExtenderUse(not_asked)


def say_diagnostics(diagnostics: Sequence[DiagnosticResult], out: Output) -> None:
    """Say on stderr what people read in the report on a session, where it is for machines and was not said already."""
    if out.quiet or not out.format.for_machines:
        return
    from vqs.model.codes import EXTENDER_NOT_ASKED
    from vqs.report.phrases import diagnostic_line, without_elsewhere

    shown, others = without_elsewhere([each for each in diagnostics if each.code != EXTENDER_NOT_ASKED])
    say(*map(diagnostic_line, shown), *filter(None, [others]))


def wanted(cluster: ClusterFlags, *, live: bool) -> ClusterFlags | None:
    """Return the cluster to capture, if there is to be one; refuse options that have no meaning without it."""
    if live:
        return cluster
    lost = [name for name in cluster.options if not process.setting([name])]
    if lost:
        raise CommandError(f"{lost[0]} says which cluster to read, but no cluster is read without --live")
    return None


@contextmanager
def snapshot(cluster: ClusterFlags | None, progress: Progress) -> Iterator[dict[str, str]]:
    """Yield the file that a cluster is captured in, with what to call it; nothing if there is none."""
    if cluster is None:
        yield {}
        return
    from tempfile import TemporaryDirectory

    from vqs.snapshot.reading.compression import ZSTD

    with ended_in_order(), TemporaryDirectory(prefix="vqs-") as folder:
        path = Path(folder, f"snapshot.json{ZSTD.suffix}")
        with path.open("wb+") as file:
            capture(cluster, file, ZSTD, progress)
        in_force().trust(str(path))
        yield {str(path): cluster.title}


def capture(cluster: ClusterFlags, file: BinaryIO, compression: Compression | None, progress: Progress) -> Captured:
    """Write what vqs reads of a cluster to a file."""
    from vqs.capture.kubectl import ClusterError, Connection, Kubectl
    from vqs.capture.run import capture as capture_cluster

    chosen = [f"{name}={cluster.options[name]}" for name in ("--context", "--kubeconfig") if name in cluster.options]
    connection = Connection(Kubectl(chosen, cluster.timeout).get)
    try:
        return capture_cluster(connection, file, compression, cluster.namespace or "", progress)
    except ClusterError as error:
        raise CommandError(f"{error}{process.setting(cluster.options)}") from None
