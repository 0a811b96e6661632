"""Which files a command reads."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BufferedReader
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from vqs.cli import environment
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import SessionFlags
from vqs.cli.progress import Progress
from vqs.paths import STDIN, printable

if TYPE_CHECKING:
    from vqs.snapshot.reading.manifests import Manifests


_NAMED: Final = 3


def has_snapshot() -> bool:
    """Tell whether there is something to read where the command line names nothing."""
    if environment.snapshot():
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
        paths = paths or environment.snapshot() or ([STDIN] if _is_piped() else [])
    if not paths and not live:
        raise CommandError(
            "there is nothing to read: name files or folders, pipe a snapshot in "
            f"(kubectl get ... -o json | vqs {command}), or set {environment.SNAPSHOT} to a file"
        )
    if STDIN in paths and sys.stdin is not None and sys.stdin.isatty():
        say("reading standard input; end with Ctrl-D")
    return paths


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
        stdin=sys.stdin.buffer if sys.stdin else None,
        progress=lambda done, total: progress("read", done, total),
        **more,
    )
    return manifests if session is None else for_session(manifests, session)


def for_session(manifests: Manifests, session: SessionFlags) -> Manifests:
    """Return manifests with the flags that the scheduler is started with, and how busy nodes are.

    Raises:
        InputErrors: the usage of nodes cannot be read.
    """
    from vqs.snapshot.cluster.sharding import with_sharding

    manifests = with_sharding(manifests, session.sharding_mode, session.sharding_name)
    manifests = with_csi_storage(manifests, given=session.csi_storage)
    manifests = with_scheduler_flags(manifests, session.scheduler_flags)
    return manifests if session.usage is None else measured(manifests, session.usage)


def with_scheduler_flags(manifests: Manifests, words: Sequence[str]) -> Manifests:
    """Return manifests for a scheduler that is started with some flags, and with those of its Deployment."""
    from vqs.model.scheduler_flags import read_flags
    from vqs.snapshot.reading.manifests import take_names

    if not words:
        return manifests
    given = [f"--{word}" for word in words]
    names = {each.partition("=")[0] for each in given}
    known = (each for each in manifests.flags.given if each.partition("=")[0] not in names)
    manifests = replace(manifests, flags=read_flags([*known, *given]))
    take_names(manifests, manifests.flags.names)
    return manifests


def with_csi_storage(manifests: Manifests, *, given: bool) -> Manifests:
    """Return manifests for a scheduler that is started with --csi-storage, if it is; else it stays as scenarios say."""
    return replace(manifests, csi_storage_flag=True) if given else manifests


def measured(manifests: Manifests, usage: str) -> Manifests:
    """Return manifests whose nodes are as busy as a file says.

    Raises:
        InputErrors: the file cannot be read.
    """
    from vqs.snapshot.cluster.usage import with_usage

    return with_usage(manifests, usage, sys.stdin.buffer if sys.stdin else None)


def text(path: str) -> str:
    """Return the text of a file or of standard input, whatever it is.

    Raises:
        InputErrors: it cannot be read.
    """
    from vqs.snapshot.reading.diagnostics import Problems
    from vqs.snapshot.reading.sources import read_source

    problems = Problems()
    source = read_source(path, sys.stdin.buffer if sys.stdin else None, problems)
    problems.raise_errors()
    return source.text if source is not None else ""


def title(paths: Sequence[str], called: Mapping[str, str] = MappingProxyType({})) -> str:
    """Name what was read, in a few words; some files have a better name than their path."""
    names = [{STDIN: "standard input", **called}.get(path) or printable(path) for path in paths]
    if len(names) > _NAMED:
        return f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} more"
    return ", ".join(names)


def _is_piped() -> bool:
    """Tell whether data is piped to standard input; a closed one, or /dev/null as in a cron job, does not count."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)
