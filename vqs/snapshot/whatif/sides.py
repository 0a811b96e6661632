"""Reading what a change consists of: objects, a scheduler configuration, or both, from files, folders, or git."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import BinaryIO, Final

from vqs.paths import STDIN, is_folder, is_there
from vqs.releases.profile import ANY_RELEASE, ReleaseChoice
from vqs.snapshot.reading.compression import CompressionError
from vqs.snapshot.reading.configuration.read import read_configuration
from vqs.snapshot.reading.configuration.text import read_configuration_file
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Problems
from vqs.snapshot.reading.documents import ProgressCallback
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reach import ReadRefused, begun, in_force
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.reading.sources import is_manifest, refused, walk

CONFIGURATION: Final = ".conf"
_OF_A_CONFIGURATION: Final = re.compile(r"^(?:actions|tiers)\s*:", re.MULTILINE)
_OF_AN_OBJECT: Final = re.compile(r"^[^\S\n]*[\"']?kind[\"']?\s*:", re.MULTILINE)
_SNIFFED: Final = 65_536


@begun()
def read_side(
    paths: Sequence[str],
    *,
    under: Manifests | None = None,
    stdin: BinaryIO | None = None,
    progress: ProgressCallback | None = None,
    may_be_empty: bool = False,
    release: ReleaseChoice = ANY_RELEASE,
    base: Manifests | None = None,
) -> Manifests:
    """Read a side of a comparison: manifests, scenarios, and a configuration as it is or in a ConfigMap.

    Args:
        paths: files, folders and ``-``.
        under: what it will be laid over, so that scenarios may speak of what is there.
        stdin: what ``-`` stands for.
        progress: called now and then with how far reading is.
        may_be_empty: whether files may be missing, or have nothing in them, as they do before a change adds them, and
            after one deletes them.
        release: the release of Volcano that was asked for.
        base: what the setting of the sessions is taken from; else these files have their own.

    Raises:
        InputErrors: something cannot be used; it holds everything that is wrong.
    """
    if may_be_empty:
        paths = [path for path in paths if is_there(path)]
    in_force().name(path for path in paths if path != STDIN)
    configurations = [conf for path in paths for conf in _configurations(path)]
    objects = [path for path in paths if path not in configurations and not _holds_only(path, configurations)]
    if len(configurations) > 1:
        message = f"there are {len(configurations)} scheduler configurations: {', '.join(configurations)}"
        raise InputErrors([Diagnostic(code="several-configurations", severity="error", message=message)])
    conf = configurations[0] if configurations else None
    if conf is not None and not objects:
        installed = None if under is None else under.installed
        choice = release if base is None else release.over(base.choice)
        alone = read_configuration_alone(conf, stdin, choice.over(ReleaseChoice(installed)))
        if base is not None:
            alone.take_setting(base, under)
        return alone
    return read_manifests(
        objects,
        conf,
        stdin=stdin,
        progress=progress,
        under=under,
        may_be_empty=may_be_empty,
        release=release,
        base=base,
    )


def _configurations(path: str) -> Iterator[str]:
    """Yield the files that are a scheduler configuration and nothing else."""
    if path == STDIN:
        return
    try:
        in_force().named(path)
    except ReadRefused:
        return  # reading it reports that
    if is_folder(path):
        yield from sorted(
            _found(each) for each in walk(path, lambda _, __: None) if _is_configuration_in_folder(PurePath(each).name)
        )
    elif path.endswith(CONFIGURATION) or is_configuration(path):
        yield path


def _is_configuration_in_folder(name: str) -> bool:
    return name.endswith(CONFIGURATION) and not name.startswith(".")


def _found(conf: str) -> str:
    """A configuration that is there in a folder.

    Raises:
        InputErrors: it is a link that leads to what may not be read.
    """
    try:
        in_force().found(conf)
    except ReadRefused as refusal:
        raise InputErrors([refused(refusal, conf)]) from None
    return conf


def is_read(path: PurePath) -> bool:
    """True if a file is read that is there in a folder, and in those below it."""
    return not is_hidden(path) and (is_manifest(path.name) or _is_configuration_in_folder(path.name))


def is_hidden(path: PurePath) -> bool:
    """True if what is there in a folder, and in those below it, is passed over."""
    return any(part.startswith(".") for part in path.parts)


def is_configuration(path: str) -> bool:
    """True if a file is a scheduler configuration and no object."""
    try:
        text = in_force().beginning(path, _SNIFFED).decode(errors="replace")
    except (OSError, CompressionError, ReadRefused):
        return False
    return _OF_A_CONFIGURATION.search(text) is not None and _OF_AN_OBJECT.search(text) is None


def _holds_only(path: str, configurations: Sequence[str]) -> bool:
    """True if a folder holds configurations and no manifests."""
    if not is_folder(path) or not any(PurePath(path) in PurePath(conf).parents for conf in configurations):
        return False
    return not any(is_manifest(PurePath(each).name) for each in walk(path, lambda _, __: None))


def read_configuration_alone(path: str, stdin: BinaryIO | None, release: ReleaseChoice = ANY_RELEASE) -> Manifests:
    """Read a configuration and nothing else.

    Raises:
        InputErrors: it cannot be read, or Volcano would refuse it.
    """
    problems = Problems()
    text = read_configuration_file(path, stdin, problems)
    problems.raise_errors()
    configuration = None if text is None else read_configuration(text, release.profile)
    if configuration is not None:
        configuration.accepted()
    return Manifests(configuration=configuration, notes=problems.diagnostics, release=release)
