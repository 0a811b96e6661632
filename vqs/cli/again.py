"""What a command line was about, for the commands to go on with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from vqs.cli.environment import PROGRAM
from vqs.cli.groups import Edits, ReleaseFlags, SessionFlags
from vqs.cli.options import written_sample
from vqs.releases.choice import ReleaseChoice
from vqs.report.again import Again, Option
from vqs.snapshot.reading.reach import MAX_BYTES, MAX_FILES, MAX_PODS, in_force


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
    return with_options(files, [("--conf", conf), *_edits(edits), *_session(session)], release, own)


def with_options(
    files: Sequence[str], options: Iterable[tuple[str, str | None]], release: ReleaseChoice, own: Sequence[str]
) -> Again:
    """What a command line was about that has these options, but for those that are None.

    Args:
        files: the files that were read.
        options: names and values.
        release: the release of Volcano that was asked for.
        own: the plugins of one's own.
    """
    all_options = [
        *options,
        ("--volcano", release.release),
        *(("--behaviour", f"{each.name}={each.value}") for each in release.settings),
        *(("--plugin", place) for place in own),
    ]
    given = [(name, value) for name, value in all_options if value is not None]
    return Again(PROGRAM.get(), tuple(files), (*given, *_limits()))


def _edits(edits: Edits) -> Iterator[tuple[str, str | None]]:
    yield "--edits", edits.edits_file
    for name, values in (
        ("--add", edits.adds),
        ("--remove", edits.removes),
        ("--clone-node", edits.clones),
        ("--scale", edits.scales),
        ("--set", edits.sets),
    ):
        yield from ((name, value) for value in values)
    yield "--assume-admitted", "" if edits.assume_admitted else None


def _session(session: SessionFlags) -> Iterator[tuple[str, str | None]]:
    yield "--usage", session.usage
    yield "--node-sample", None if session.sample is None else written_sample(session.sample)
    yield "--now", None if session.now is None else session.now.isoformat().replace("+00:00", "Z")
    yield "--seed", None if session.seed is None else str(session.seed)
    yield "--scheduler-sharding-mode", session.sharding_mode
    yield "--scheduler-sharding-name", session.sharding_name
    yield "--csi-storage", "" if session.csi_storage else None
    yield from (("--scheduler-flag", word) for word in session.scheduler_flags)
    yield "--allow-extender", "" if session.allow_extender else None


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
