"""The options that commands take together: the function of a command gets a group of them as one argument.

What a group was asked for can be said again, in the commands that a report names to go on with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import click
from click.core import ParameterSource

from vqs.cli import completion, process
from vqs.cli.failures import CommandError
from vqs.cli.options import (
    BEHAVIOURS,
    CSI_STORAGE,
    NO_COLOR,
    NOW,
    SAMPLE,
    SCHEDULER_FLAGS,
    SEED,
    SHARDING_MODE,
    SHARDING_NAME,
    USAGE,
    VOLCANO,
    at_least_one,
    choice,
    file_name,
    flag,
    name,
    one_of,
    option,
    report_file,
    rfc3339,
    scheduler_address,
    written_sample,
)
from vqs.model.moments import timestamp
from vqs.model.scheduler_flags import NodeSample
from vqs.model.sharding import ShardingMode
from vqs.releases.profile import ReleaseChoice, Setting
from vqs.releases.release import Build
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.report.formats import Again, Detail, Format, Option, format_of, has_ending
from vqs.snapshot.reading.reach import MAX_BYTES, MAX_FILES, MAX_PODS, in_force

Given = Iterable[tuple[str, str | None]]
"""Options with their values, None for one that is not given, and nothing for a flag."""


@dataclass(frozen=True)
class Group:
    """Options that become one argument of a command's function.

    Attributes:
        name: what the argument is called.
        make: makes it of their values.
        parameters: the options.
        more: the names of options that belong to it, and stand elsewhere in the help.
    """

    name: str
    make: Callable[..., Any]
    parameters: Sequence[click.Parameter]
    more: Sequence[str] = ()


# --- what-if edits ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Edits:
    """The what-if edits to a snapshot, and whether they are made although they would be denied."""

    sets: Sequence[str] = ()
    adds: Sequence[str] = ()
    removes: Sequence[str] = ()
    clones: Sequence[str] = ()
    scales: Sequence[str] = ()
    edits_file: str | None = None
    assume_admitted: bool = False

    def __bool__(self) -> bool:
        """True if there are any."""
        return any((self.sets, self.adds, self.removes, self.clones, self.scales, self.edits_file))

    @property
    def files(self) -> list[str]:
        """The files that are read for them."""
        return [*self.adds, *([self.edits_file] if self.edits_file else [])]

    @property
    def given(self) -> Given:
        """The options that make them."""
        return [
            ("--edits", self.edits_file),
            *(("--add", path) for path in self.adds),
            *(("--remove", text) for text in self.removes),
            *(("--clone-node", text) for text in self.clones),
            *(("--scale", text) for text in self.scales),
            *(("--set", text) for text in self.sets),
            ("--assume-admitted", "" if self.assume_admitted else None),
        ]


EDITS: Final = Group(
    "edits",
    Edits,
    (
        option("--set sets", "OBJECT.FIELD=VALUE", "Set a field to this value.", multiple=True),
        option("--add adds", "FILE", "Add the objects in this file.", file_name, multiple=True),
        option("--remove removes", "OBJECT", "Remove this object.", multiple=True),
        option("--clone-node clones", "NAME=N", "Add N copies of this node.", multiple=True),
        option("--scale scales", "JOB=N", "Scale a job to N pods.", multiple=True),
        option("--edits edits_file", "FILE", "Apply the edits in this file.", file_name),
        flag("--assume-admitted", "Simulate edits that admission would deny."),
    ),
)


# --- sessions and releases --------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SessionFlags:
    """When a session is run and how busy nodes are then, how ties are broken, and how its scheduler is started."""

    now: datetime | None = None
    seed: int | None = None
    sharding_mode: ShardingMode | None = None
    sharding_name: str | None = None
    csi_storage: bool = False
    scheduler_flags: tuple[str, ...] = ()
    usage: str | None = None
    sample: NodeSample | None = None
    allow_extender: bool = False

    @property
    def given(self) -> Given:
        """The options that say so."""
        return [
            ("--usage", self.usage),
            ("--node-sample", None if self.sample is None else written_sample(self.sample)),
            ("--now", None if self.now is None else timestamp(self.now)),
            ("--seed", None if self.seed is None else str(self.seed)),
            ("--scheduler-sharding-mode", self.sharding_mode),
            ("--scheduler-sharding-name", self.sharding_name),
            ("--csi-storage", "" if self.csi_storage else None),
            *(("--scheduler-flag", word) for word in self.scheduler_flags),
            ("--allow-extender", "" if self.allow_extender else None),
        ]


def session_group(now: click.Parameter = NOW) -> Group:
    """How sessions are run; a command may have an option of its own for their time."""
    flags = (SEED, SHARDING_MODE, SHARDING_NAME, CSI_STORAGE, SCHEDULER_FLAGS, USAGE, SAMPLE)
    extender = flag("--allow-extender", "Send the requests of the plugin extender.")
    return Group("session", SessionFlags, (now, *flags, extender))


def agreeing(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Return switched behaviours of which none has two values.

    Raises:
        CommandError: one has.
    """
    values: dict[str, str] = {}
    for each in settings:
        if values.setdefault(each.name, each.value) != each.value:
            origin = process.setting(["--behaviour"])
            raise CommandError(
                f"--behaviour switches {each.name} to {values[each.name]} and to {each.value}: keep one{origin}"
            )
    return settings


class UnknownActions(StrEnum):
    """What becomes of a configuration with actions that vqs does not know, such as those of a fork."""

    REFUSE = "refuse"
    SKIP = "skip"


def _release(
    volcano: Build | None, behaviours: tuple[Setting, ...], unknown_actions: UnknownActions = UnknownActions.REFUSE
) -> ReleaseChoice:
    return chosen(volcano, agreeing(behaviours), unknown_actions)


def chosen(volcano: Build | None, settings: tuple[Setting, ...], unknown_actions: UnknownActions) -> ReleaseChoice:
    """What was asked for of the release."""
    return ReleaseChoice(volcano, settings, unknown_actions is UnknownActions.SKIP)


SESSION: Final = session_group()
SESSIONS: Final = session_group(option("--now", "TIME", "Time of the sessions, in RFC 3339.", rfc3339))
UNKNOWN_ACTIONS: Final = choice(
    "--unknown-actions", "Refuse actions that vqs does not know, or leave them out.", tuple(UnknownActions)
)
RELEASE: Final = Group("release", _release, (VOLCANO, BEHAVIOURS, UNKNOWN_ACTIONS))
RELEASE_ALONE: Final = Group("release", _release, (VOLCANO, BEHAVIOURS))
"""For commands that run no session: `vqs lint` is as strict as the release."""


# --- clusters, engines and workloads ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ClusterFlags:
    """Which cluster is captured, and what of it."""

    context: str | None = None
    namespace: str | None = None
    kubeconfig: str | None = None
    timeout: str | None = None

    @property
    def title(self) -> str:
        """What to call it in a report."""
        whole = f"context {self.context}" if self.context else "the current context"
        return f"{whole}, namespace {self.namespace}" if self.namespace else whole

    @property
    def options(self) -> dict[str, str]:
        """The options that were given, by their names."""
        given = {
            "--context": self.context,
            "--kubeconfig": self.kubeconfig,
            "--namespace": self.namespace,
            "--request-timeout": self.timeout,
        }
        return {name: value for name, value in given.items() if value is not None}


CLUSTER: Final = Group(
    "cluster",
    ClusterFlags,
    (
        option("--context", "NAME", "Use this kubectl context.", name),
        option("--namespace -n", "NAME", "Read this namespace only.", name),
        option("--kubeconfig", "FILE", "Use this kubectl configuration.", file_name),
        option("--request-timeout timeout", "TIME", "Timeout of each request; 60s by default.", name),
    ),
)


class EngineName(StrEnum):
    """What runs the points of a plan."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, kw_only=True)
class EngineFlags:
    """What runs the points of a plan: processes of this machine, or a cluster of Dask."""

    engine: EngineName = EngineName.LOCAL
    jobs: int | None = None
    scheduler: str | None = None
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    @property
    def files(self) -> list[str]:
        """The files that are read for it."""
        return [each for each in (self.tls_ca, self.tls_cert, self.tls_key) if each is not None]


ENGINE: Final = Group(
    "engine",
    EngineFlags,
    (
        choice("--engine", "What runs points.", tuple(EngineName)),
        option("--jobs", "N", "Processes to run; by default, one per core.", at_least_one),
        option("--scheduler", "ADDRESS", "Scheduler of a Dask cluster.", scheduler_address),
        option("--tls-ca", "FILE", "Certificates that the Dask cluster's are signed with.", file_name),
        option("--tls-cert", "FILE", "Certificate to show the Dask cluster.", file_name),
        option("--tls-key", "FILE", "Key of the certificate.", file_name),
    ),
)


WORKLOAD: Final = Group(
    "reading",
    ReadingOptions,
    (
        option(
            "--workload-format",
            "FORMAT",
            "Read the workload as dumps, openb, swf, metrics or scenario.",
            one_of(WorkloadFormat),
            complete=completion.one_of(WorkloadFormat),
        ),
        option(
            "--queue-by queue_of",
            "WHAT",
            "What names a recorded job's queue: queue, partition, user, group, qos, namespace or none.",
            one_of(QueueOf),
            complete=completion.one_of(QueueOf),
        ),
        option("--most-nodes", "N", "Take the N recorded nodes that have the most GPUs.", at_least_one),
        option("--processors-per-pod", "N", "Processors of a pod of a job in SWF.", at_least_one),
    ),
)
"""How a workload is read that is no scenario: docs/workloads.md says what each format gives."""


# --- results ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Output:
    """In which format a result is written, where it goes, and how much people are shown."""

    format: Format
    target: Path | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False

    @property
    def detail(self) -> Detail:
        """How much is shown."""
        return Detail.SUMMARY if self.quiet else Detail.EVERYTHING if self.verbose else Detail.USUAL

    @property
    def is_noted(self) -> bool:
        """True if the reader of stderr is told what those who read the result would not see there."""
        return not self.quiet and (self.format.for_machines or self.target is not None)

    def refuse_both(self, shown: str = "summary") -> None:
        """Refuse to show people less and more at once."""
        if self.quiet and self.verbose and not self.format.for_machines:
            origin = process.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the {shown} only, and --verbose asks for more: give one of them{origin}")


def output_group(
    formats: Sequence[Format], text: str = "", also: Mapping[str, Sequence[Format]] = MappingProxyType({})
) -> Group:
    """Where a result goes, in one of some formats: the first, unless another is chosen.

    Args:
        formats: those that the command writes.
        text: what help says of them, where that is something else than usual.
        also: formats that it writes, by the ending of the file, only where an option is given, by that option.
    """

    def make(format: Format, target: Path | None, **verbosity: bool) -> Output:  # noqa: A002 - the option's name
        return Output(format=_by_ending(format, target, formats, also), target=target, **verbosity)

    shown = text or "Output format; with --output, by the file's ending."
    own = (
        choice("--format -f", shown, formats),
        option("--output -o target", "FILE", "Write the result to a file.", report_file),
    )
    return Group("out", make, own, ("quiet", "verbose", "no_color"))


def _by_ending(
    chosen: Format, target: Path | None, formats: Sequence[Format], also: Mapping[str, Sequence[Format]]
) -> Format:
    """Return the format by the ending of the file to write, where neither an option nor the environment names one.

    Raises:
        BadParameter: the ending is none of a format that the command writes.
    """
    context = click.get_current_context()
    if target is None or context.get_parameter_source("format") is not ParameterSource.DEFAULT:
        return chosen
    by_ending = format_of(target.name)
    if by_ending is not None and by_ending in formats:
        return by_ending
    if has_ending(target.name) and not any(
        by_ending in others and context.params[name] is not None for name, others in also.items()
    ):
        raise click.BadParameter(
            f"--output: {target} ends like no format that this command writes; name one with --format: "
            f"{', '.join(formats)}",
            context,
        )
    return chosen


def verbosity(quiet: str = "Print the summary only.", verbose: str = "") -> tuple[click.Parameter, ...]:
    """How much people are shown, and whether in colours, with what that means for a command; a part of its output."""
    shown = (flag("--quiet -q", quiet), flag("--verbose -v", verbose))
    return (*shown, NO_COLOR)


# --- again ------------------------------------------------------------------------------------------------------------


def on_files(*files: str) -> Again:
    """Return what only says which files it is about."""
    return Again(process.PROGRAM.get(), files, tuple(_limits()))


def again(
    files: Sequence[str], edits: Edits, session: SessionFlags, release: ReleaseChoice, conf: str | None = None
) -> Again:
    """Return what a command line was about."""
    return with_options(files, [("--conf", conf), *edits.given, *session.given], release)


def with_options(files: Sequence[str], options: Given, release: ReleaseChoice) -> Again:
    """Return what a command line was about that has these options, and the plugins of one's own that are in use."""
    all_options = [
        *options,
        ("--volcano", release.named),
        *(("--behaviour", f"{each.name}={each.value}") for each in release.settings),
        ("--unknown-actions", UnknownActions.SKIP if release.skips_unknown_actions else None),
        *(("--plugin", place) for place in process.PLUGINS.get()),
    ]
    given = [(name, value) for name, value in all_options if value is not None]
    return Again(process.PROGRAM.get(), tuple(files), (*given, *_limits()))


def _limits() -> Iterator[Option]:
    """Yield the reading limits that differ from their defaults."""
    limits = in_force().limits
    yield from (("--root", root) for root in limits.roots)
    if limits.max_bytes != MAX_BYTES:
        yield "--max-bytes", str(limits.max_bytes)
    if limits.max_files != MAX_FILES:
        yield "--max-files", str(limits.max_files)
    if limits.max_pods != MAX_PODS:
        yield "--max-pods", str(limits.max_pods)
