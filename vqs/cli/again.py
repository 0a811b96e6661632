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
    return Again(PROGRAM.get(), files)


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
    return Again(PROGRAM.get(), tuple(files), tuple(_options(asked, conf=conf, usage=usage, now=now, seed=seed)))


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
