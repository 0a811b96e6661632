"""What a command line was about, for the commands to go on with."""

from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from datetime import datetime
from typing import Final

from vqs.cli.whatif import WhatIf
from vqs.report.again import Again, Option

PROGRAM: Final = ContextVar("PROGRAM", default="vqs")
"""How the program was called."""


def on_files(*files: str) -> Again:
    """Return what only says which files it is about."""
    return Again(PROGRAM.get(), files, tuple(_limits()))


def again(
    files: Sequence[str],
    asked: WhatIf,
    *,
    conf: str | None = None,
    usage: str | None = None,
    now: datetime | None = None,
    seed: int | None = None,
) -> Again:
    """Return what a command line was about."""
    options = _options(asked, conf=conf, usage=usage, now=now, seed=seed)
    return Again(PROGRAM.get(), tuple(files), (*options, *_limits()))


def _options(
    asked: WhatIf, *, conf: str | None, usage: str | None, now: datetime | None, seed: int | None
) -> Iterator[Option]:
    single = (("--conf", conf), ("--usage", usage), ("--edits", asked.file))
    yield from ((name, value) for name, value in single if value is not None)
    for name, values in (
        ("--add", asked.adds),
        ("--remove", asked.removes),
        ("--clone-node", asked.clones),
        ("--scale", asked.scales),
        ("--set", asked.sets),
    ):
        yield from ((name, value) for value in values)
    if asked.assume_admitted:
        yield "--assume-admitted", ""
    if now is not None:
        yield "--now", now.isoformat().replace("+00:00", "Z")
    if seed is not None:
        yield "--seed", str(seed)


def _limits() -> Iterator[Option]:
    """Yield the options of `vqs.cli.reading`, where they are not as always."""
    # Imported late: `--help` has no use for it.
    from vqs.snapshot.reach import MAX_BYTES, MAX_FILES, in_force  # noqa: PLC0415

    limits = in_force().limits
    yield from (("--root", root) for root in limits.roots)
    if limits.max_bytes != MAX_BYTES:
        yield "--max-bytes", str(limits.max_bytes)
    if limits.max_files != MAX_FILES:
        yield "--max-files", str(limits.max_files)
