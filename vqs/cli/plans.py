"""What commands that run plans do alike: what the command line adds to a plan, and the journal of finished points."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import msgspec

from vqs import __version__
from vqs.cli import environment, inputs
from vqs.cli.failures import CommandError
from vqs.cli.groups import ReleaseFlags, SessionFlags
from vqs.journal import JournalError
from vqs.sweep.journal import Header, Journal
from vqs.sweep.plan import Plan


def for_session(plan: Plan, path: str, session: SessionFlags, release: ReleaseFlags) -> Plan:
    """Return a plan with what the command line says of its sessions.

    Raises:
        CommandError: the plan says it, too.
        InputErrors: the usage of nodes cannot be read.
    """
    given = {
        "--seed": (session.seed is not None and plan.seeds != (None,), "seeds"),
        "--volcano": (release.volcano is not None and plan.releases != (None,), "releases"),
    }
    for name, (is_twice, key) in given.items():
        if is_twice:
            raise CommandError(f"{name}: the plan has {key} of its own{environment.setting([name])}", path)
    bases = tuple(replace(each, manifests=inputs.for_session(each.manifests, session)) for each in plan.bases)
    return replace(plan, bases=bases, seeds=plan.seeds if session.seed is None else (session.seed,))


def header(plan: Plan, points: int, session: SessionFlags, *others: Hashable) -> Header:
    """Return what decides the rows, for a journal to tell whether it is of this run.

    Args:
        plan: what is run.
        points: how many points there are.
        session: how sessions are run.
        others: what else decides the rows.
    """
    usage = session.usage and inputs.text(session.usage)
    settings = (replace(session, usage=usage), *others)
    return Header(
        vqs=__version__,
        plan=_digest(msgspec.json.encode(plan.value)),
        inputs=plan.inputs,
        settings=_digest(repr(settings).encode()),
        points=points,
    )


@contextmanager
def kept(path: Path | None, of: Header) -> Iterator[Journal | None]:
    """Yield the journal in a file, if there is to be one.

    Raises:
        CommandError: it is that of another run, or cannot be used.
    """
    if path is None:
        yield None
        return
    try:
        with Journal(path, of) as journal:
            yield journal
    except JournalError as error:
        raise CommandError(f"--journal: {error}", str(path)) from None


def refuse_same(journal: Path | None, target: Path | None) -> None:
    """Refuse one file for the journal and the result."""
    if journal is not None and journal == target:
        raise CommandError(f"--journal and --output both name {journal}")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
