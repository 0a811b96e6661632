"""The options that commands take together, declared once: a command has them as one field of its arguments."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from vqs.cli import environment
from vqs.cli.failures import CommandError
from vqs.cli.options import (
    Behaviours,
    CsiStorage,
    NoColor,
    Now,
    Sample,
    Seed,
    ShardingModeFlag,
    ShardingName,
    Target,
    Usage,
    Volcano,
    at_least_one,
    choice,
    file_name,
    flag,
    name,
    one_of,
    option,
    release_option,
    scheduler_address,
    size,
)
from vqs.releases.choice import ReleaseChoice
from vqs.releases.profile import Setting
from vqs.releases.release import Release
from vqs.replay.reading.options import QueueOf, ReadingOptions, WorkloadFormat
from vqs.report.formats import Detail, Format


@dataclass(frozen=True, kw_only=True)
class Edits:
    """The what-if edits to a snapshot, and whether they are made although they would be denied."""

    sets: Annotated[tuple[str, ...], option("--set", "OBJECT.FIELD=VALUE", "Set a field to this value.")] = ()
    adds: Annotated[tuple[str, ...], option("--add", "FILE", "Add the objects in this file.", file_name)] = ()
    removes: Annotated[tuple[str, ...], option("--remove", "OBJECT", "Remove this object.")] = ()
    clones: Annotated[tuple[str, ...], option("--clone-node", "NAME=N", "Add N copies of this node.")] = ()
    scales: Annotated[tuple[str, ...], option("--scale", "JOB=N", "Scale a job to N pods.")] = ()
    edits_file: Annotated[str | None, option("--edits", "FILE", "Apply the edits in this file.", file_name)] = None
    assume_admitted: Annotated[bool, flag("--assume-admitted", "Simulate edits that admission would deny.")] = False

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return any((self.sets, self.adds, self.removes, self.clones, self.scales, self.edits_file))

    @property
    def files(self) -> list[str]:
        """The files that are read for them."""
        return [*self.adds, *([self.edits_file] if self.edits_file else [])]


@dataclass(frozen=True, kw_only=True)
class SessionFlags:
    """When a session is run and how busy nodes are then, how ties are broken, and how its scheduler is started."""

    now: Now = None
    seed: Seed = None
    sharding_mode: ShardingModeFlag = None
    sharding_name: ShardingName = None
    csi_storage: CsiStorage = False
    usage: Usage = None
    sample: Sample = None
    allow_extender: Annotated[bool, flag("--allow-extender", "Send the requests of the plugin extender.")] = False


def _agreeing(settings: tuple[Setting, ...]) -> tuple[Setting, ...]:
    """Return switched behaviours of which none has two values.

    Raises:
        CommandError: one has.
    """
    values: dict[str, str] = {}
    for each in settings:
        if values.setdefault(each.name, each.value) != each.value:
            origin = environment.setting(["--behaviour"])
            raise CommandError(
                f"--behaviour switches {each.name} to {values[each.name]} and to {each.value}: keep one{origin}"
            )
    return settings


@dataclass(frozen=True, kw_only=True)
class ReleaseFlags:
    """Which release of Volcano is modelled, and which of its behaviours are switched."""

    volcano: Volcano = None
    behaviours: Behaviours = ()

    @property
    def choice(self) -> ReleaseChoice:
        """What was asked for."""
        return ReleaseChoice(self.volcano, _agreeing(self.behaviours))


@dataclass(frozen=True, kw_only=True)
class ReleasesFlags:
    """Which releases of Volcano are modelled, one for both sides of a comparison or one for each."""

    volcano: Annotated[
        tuple[Release, ...],
        release_option(
            "--volcano", "Volcano release to model; given twice, that of the base, then that of the candidate."
        ),
    ] = ()
    behaviours: Behaviours = ()

    @property
    def differ(self) -> bool:
        """Whether each side has a release of its own."""
        return len(self.volcano) == len(("base", "candidate"))

    @property
    def choices(self) -> tuple[ReleaseChoice, ReleaseChoice]:
        """What was asked for, of the base and of the candidate."""
        base, candidate = (*self.volcano[:1], *self.volcano[-1:]) or (None, None)
        settings = _agreeing(self.behaviours)
        return ReleaseChoice(base, settings), ReleaseChoice(candidate, settings)

    def refuse_many(self) -> None:
        """Refuse more than two releases."""
        if len(self.volcano) > len(("base", "candidate")):
            origin = environment.setting(["--volcano"])
            raise CommandError(f"--volcano is given {len(self.volcano)} times, and two sides are compared{origin}")


@dataclass(frozen=True, kw_only=True)
class ClusterFlags:
    """Which cluster is captured, and what of it."""

    context: Annotated[str | None, option("--context", "NAME", "Use this kubectl context.", name)] = None
    namespace: Annotated[str | None, option("--namespace", "NAME", "Read this namespace only.", name, "-n")] = None
    kubeconfig: Annotated[str | None, option("--kubeconfig", "FILE", "Use this kubectl configuration.", file_name)] = (
        None
    )
    timeout: Annotated[
        str | None, option("--request-timeout", "TIME", "Timeout of each request; 60s by default.", name)
    ] = None

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


class EngineName(StrEnum):
    """What runs the points of a plan."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True, kw_only=True)
class EngineFlags:
    """What runs the points of a plan: processes of this machine, or a cluster of Dask."""

    engine: Annotated[EngineName, choice("--engine", "What runs points.")] = EngineName.LOCAL
    jobs: Annotated[int | None, option("--jobs", "N", "Processes to run; by default, one per core.", at_least_one)] = (
        None
    )
    scheduler: Annotated[
        str | None, option("--scheduler", "ADDRESS", "Scheduler of a Dask cluster.", scheduler_address)
    ] = None
    tls_ca: Annotated[
        str | None, option("--tls-ca", "FILE", "Certificates that the Dask cluster's are signed with.", file_name)
    ] = None
    tls_cert: Annotated[
        str | None, option("--tls-cert", "FILE", "Certificate to show the Dask cluster.", file_name)
    ] = None
    tls_key: Annotated[str | None, option("--tls-key", "FILE", "Key of the certificate.", file_name)] = None

    @property
    def files(self) -> list[str]:
        """The files that are read for it."""
        return [each for each in (self.tls_ca, self.tls_cert, self.tls_key) if each is not None]


@dataclass(frozen=True, kw_only=True)
class Output:
    """In which format a result is written, the first unless another is chosen, and where it goes."""

    format: Annotated[Format, choice("--format", "Output format; with --output, by the file's ending.", "-f")]
    target: Target = None


@dataclass(frozen=True, kw_only=True)
class Verbosity:
    """How much people are shown, and whether in colours; commands say what that means with `texts`."""

    quiet: Annotated[bool, flag("--quiet", "Print the summary only.", "-q")] = False
    verbose: Annotated[bool, flag("--verbose", "", "-v")] = False
    no_color: NoColor = False

    @property
    def detail(self) -> Detail:
        """How much is shown."""
        return Detail.SUMMARY if self.quiet else Detail.EVERYTHING if self.verbose else Detail.USUAL

    def refuse_both(self, shown: str = "summary") -> None:
        """Refuse to show less and more at once."""
        if self.quiet and self.verbose:
            origin = environment.setting(["--quiet", "--verbose"])
            raise CommandError(f"--quiet shows the {shown} only, and --verbose asks for more: give one of them{origin}")


@dataclass(frozen=True, kw_only=True)
class ReadingLimits:
    """Which files may be read, how much of them, and how many pods controllers may create for it."""

    roots: Annotated[
        tuple[Path, ...],
        typer.Option(
            "--root",
            metavar="DIR",
            help="Read only files under this folder.",
            exists=True,
            file_okay=False,
            envvar=environment.variable("--root"),
            show_envvar=False,
            show_default=False,
        ),
    ] = ()
    max_bytes: Annotated[
        int | None, option("--max-bytes", "SIZE", "Largest size of all input; 2GB by default.", size)
    ] = None
    max_files: Annotated[
        int | None, option("--max-files", "N", "Most files to read; 100,000 by default.", at_least_one)
    ] = None
    max_pods: Annotated[
        int | None, option("--max-pods", "N", "Most pods to create; 50,000 by default.", at_least_one)
    ] = None
    render: Annotated[bool, flag("--render", "Render Helm charts and kustomizations.")] = False


@dataclass(frozen=True, kw_only=True)
class WorkloadFlags:
    """How a workload is read that is no scenario: docs/workloads.md says what each format gives."""

    workload_format: Annotated[
        WorkloadFormat | None,
        option(
            "--workload-format",
            "FORMAT",
            "Read the workload as dumps, openb, swf, metrics or scenario.",
            one_of(WorkloadFormat),
        ),
    ] = None
    queue_by: Annotated[
        QueueOf | None,
        option(
            "--queue-by",
            "WHAT",
            "What names a recorded job's queue: queue, partition, user, group, qos, namespace or none.",
            one_of(QueueOf),
        ),
    ] = None
    most_nodes: Annotated[
        int | None, option("--most-nodes", "N", "Take the N recorded nodes that have the most GPUs.", at_least_one)
    ] = None
    processors_per_pod: Annotated[
        int | None, option("--processors-per-pod", "N", "Processors of a pod of a job in SWF.", at_least_one)
    ] = None

    @property
    def options(self) -> ReadingOptions:
        """What was asked for."""
        return ReadingOptions(self.workload_format, self.queue_by, self.most_nodes, self.processors_per_pod)
