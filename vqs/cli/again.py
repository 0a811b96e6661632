"""What a command line was about, for the commands to go on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from vqs.cli.environment import PROGRAM
from vqs.cli.groups import Edits, ReleaseFlags, SessionFlags
from vqs.cli.options import written_sample
from vqs.releases.choice import ReleaseChoice
from vqs.report.again import Again, Option
from vqs.snapshot.reading.limits import MAX_PODS
from vqs.snapshot.reading.reach import MAX_BYTES, MAX_FILES, in_force

if TYPE_CHECKING:  # the other commands start without the options of vqs replay
    from vqs.cli.arguments.replay import Replay


class OneSide(Protocol):
    """The arguments of a command that runs sessions on some files, as they are after edits."""

    @property
    def edits(self) -> Edits:
        """What is changed in the files."""

    @property
    def session(self) -> SessionFlags:
        """How the sessions are run."""

    @property
    def release(self) -> ReleaseFlags:
        """The release of Volcano."""

    @property
    def conf(self) -> str | None:
        """The scheduler's configuration, if it is not the one in the files."""

    @property
    def own(self) -> Sequence[str]:
        """The plugins of one's own."""


def repeated(files: Sequence[str], arguments: OneSide) -> Again:
    """Return what the arguments of a command were about."""
    release = arguments.release.choice
    return again(files, arguments.edits, arguments.session, release, conf=arguments.conf, own=arguments.own)


def of_replay(files: Sequence[str], arguments: Replay) -> Again:
    """Return what a replay was about."""
    times = {"--period": arguments.period, "--start-delay": arguments.start_delay}
    numbers = {
        "--max-events": arguments.max_events,
        "--most-nodes": arguments.reading.most_nodes,
        "--processors-per-pod": arguments.reading.processors_per_pod,
        "--seed": arguments.seed,
        "--seeds": arguments.seeds,
    }
    options = [
        *_given(("--workload-format", arguments.reading.workload_format), ("--queue-by", arguments.reading.queue_by)),
        *(("--conf", path) for path in arguments.confs),
        *(("--edits", path) for path in arguments.edits),
        *_given(*((name, None if value is None else str(value)) for name, value in numbers.items())),
        *_given(*((name, _seconds(value)) for name, value in times.items())),
        *_given(("--node-sample", None if arguments.sample is None else written_sample(arguments.sample))),
        *_release(arguments.release.choice),
        *_own(arguments.own),
        *_limits(),
    ]
    return Again(PROGRAM.get(), tuple(files), tuple(options))


def on_files(*files: str) -> Again:
    """Return what only says which files it is about."""
    return Again(PROGRAM.get(), files, tuple(_limits()))


def again(
    files: Sequence[str],
    edits: Edits,
    session: SessionFlags,
    release: ReleaseChoice,
    *,
    conf: str | None = None,
    own: Sequence[str] = (),
) -> Again:
    """Return what a command line was about."""
    options = [
        *_given(("--conf", conf)),
        *_edits(edits),
        *_session(session),
        *_release(release),
        *_own(own),
        *_limits(),
    ]
    return Again(PROGRAM.get(), tuple(files), tuple(options))


def _edits(edits: Edits) -> Iterator[Option]:
    yield from _given(("--edits", edits.edits_file))
    for name, values in (
        ("--add", edits.adds),
        ("--remove", edits.removes),
        ("--clone-node", edits.clones),
        ("--scale", edits.scales),
        ("--set", edits.sets),
    ):
        yield from ((name, value) for value in values)
    if edits.assume_admitted:
        yield "--assume-admitted", ""


def _session(session: SessionFlags) -> Iterator[Option]:
    sampled = None if session.sample is None else written_sample(session.sample)
    yield from _given(("--usage", session.usage), ("--node-sample", sampled))
    if session.now is not None:
        yield "--now", session.now.isoformat().replace("+00:00", "Z")
    if session.seed is not None:
        yield "--seed", str(session.seed)
    yield from _given(
        ("--scheduler-sharding-mode", session.sharding_mode), ("--scheduler-sharding-name", session.sharding_name)
    )
    if session.csi_storage:
        yield "--csi-storage", ""
    if session.allow_extender:
        yield "--allow-extender", ""


def _release(release: ReleaseChoice) -> Iterator[Option]:
    yield from _given(("--volcano", release.release))
    yield from (("--behaviour", f"{each.name}={each.value}") for each in release.settings)


def _seconds(value: float | None) -> str | None:
    return None if value is None else str(value).removesuffix(".0")


def _own(places: Sequence[str]) -> Iterator[Option]:
    yield from (("--plugin", place) for place in places)


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


def _given(*options: tuple[str, str | None]) -> Iterator[Option]:
    yield from ((name, value) for name, value in options if value is not None)
