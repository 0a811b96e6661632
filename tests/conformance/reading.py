"""The recordings of real schedulers, clusters, webhooks and controllers, as tests read them.

They lie in archives, which are unpacked once. Newer ones beside the checkout, in `../shared`, are read in addition.
"""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from zlib import crc32

from vqs.snapshot.reading.compression import ZSTD
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

RECORDINGS: Final = Path(__file__).parent / "recordings"
BESIDE: Final = Path(__file__).parents[3] / "shared"

Recording = tuple[Path, ...]
"""What was recorded together: an input, and what became of it."""


@cache
def unpacked(name: str) -> Path:
    """Return the folder that an archive holds.

    It is unpacked under the archive's checksum, so that a new archive is never taken for what was there before, and
    moved to its place as a whole, so that several processes may unpack it at a time.
    """
    archive = RECORDINGS / f"{name}.tar.zst"
    unpacked_before = RECORDINGS / ".unpacked"
    place = unpacked_before / f"{crc32(archive.read_bytes()):08x}"
    if not place.exists():
        unpacked_before.mkdir(exist_ok=True)
        own = mkdtemp(dir=unpacked_before)
        with archive.open("rb") as file, tarfile.open(fileobj=ZSTD.reader(file), mode="r|") as members:
            members.extractall(own, filter="data")
        with suppress(OSError):  # another process was faster
            Path(own).rename(place)
        shutil.rmtree(own, ignore_errors=True)
    return place / name


def without_copies(recordings: Iterable[Recording]) -> list[Recording]:
    """Return the recordings without those that have the names and the content of an earlier one."""
    found: dict[tuple[tuple[str, bytes], ...], Recording] = {}
    for each in recordings:
        found.setdefault(tuple(map(_identity, each)), each)
    return list(found.values())


@cache
def _identity(path: Path) -> tuple[str, bytes]:
    return path.name, path.read_bytes()


@cache
def read_scenario(path: Path) -> Manifests:
    """Read a scenario, for all tests that want it; nothing changes what was read."""
    return read_manifests([str(path)])
