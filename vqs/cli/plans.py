"""What commands that run plans do alike: what the command line adds to a plan, and the journal of finished points."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from vqs import __version__
from vqs.cli import environment, inputs, workloads
from vqs.cli.again import again as of_command
from vqs.cli.failures import CommandError, say
from vqs.cli.groups import Edits, ReleaseFlags, SessionFlags
from vqs.journal import JournalError
from vqs.report.again import Again
from vqs.report.phrases import diagnostic_line
from vqs.sweep.journal import Header, Journal
from vqs.sweep.plan import Plan
from vqs.sweep.rejudge import identity

_CONDITIONS: Final = "failOn"
"""The key of a plan that decides no row: conditions are looked at again for the rows of a journal."""


def for_session(plan: Plan, path: str, session: SessionFlags, release: ReleaseFlags) -> Plan:
    """Return a plan with what the command line says of its sessions.

    Raises:
        CommandError: the plan says it, too.
        InputErrors: the usage of nodes cannot be read.
    """
    given = {
        "--seed": (session.seed is not None and bool(plan.value.get("seeds")), "seeds"),
        "--volcano": (release.volcano is not None and plan.releases != (None,), "releases"),
    }
    for name, (is_twice, key) in given.items():
        if is_twice:
            raise CommandError(f"{name}: the plan has {key} of its own{environment.setting([name])}", path)
    if plan.replaying is not None:
        _refuse_of_sessions(path, session)
    bases = tuple(replace(each, manifests=inputs.for_session(each.manifests, session)) for each in plan.bases)
    return replace(plan, bases=bases, seeds=plan.seeds if session.seed is None else (session.seed,))


def _refuse_of_sessions(path: str, session: SessionFlags) -> None:
    """Refuse options that a replay does not have: it has a time of its own, and takes its snapshot as it is."""
    given = {
        "--now": session.now is not None,
        "--usage": session.usage is not None,
        "--scheduler-sharding-mode": session.sharding_mode is not None,
        "--scheduler-sharding-name": session.sharding_name is not None,
        "--csi-storage": session.csi_storage,
        "--scheduler-flag": bool(session.scheduler_flags),
        "--allow-extender": session.allow_extender,
    }
    for name in (name for name, is_given in given.items() if is_given):
        raise CommandError(
            f"{name}: the plan has figures of a replay, which does not take it{environment.setting([name])}", path
        )


def again(session: SessionFlags, release: ReleaseFlags, own: Sequence[str]) -> Again:
    """Return how points are run, but for what each of them has of its own."""
    return of_command((), Edits(), replace(session, seed=None), release.choice, own=own)


def say_remarks(plan: Plan) -> None:
    """Say what has to be said of how the workloads of a plan were read, as `vqs replay` does."""
    read = [each.workload for each in plan.bases if each.workload is not None]
    say(*(diagnostic_line(remark) for workload in read for remark in workloads.remarks(workload)))


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
        plan=_digest(msgspec.json.encode({key: value for key, value in plan.value.items() if key != _CONDITIONS})),
        inputs=plan.inputs,
        settings=_digest(repr(settings).encode()),
        points=points,
    )


@contextmanager
def kept(path: Path | None, of: Header, plan: Plan) -> Iterator[Journal | None]:
    """Yield the journal of a plan in a file, if there is to be one.

    Raises:
        CommandError: it is that of another run, or cannot be used.
    """
    if path is None:
        yield None
        return
    try:
        with Journal(path, of, identity(plan)) as journal:
            yield journal
    except JournalError as error:
        raise CommandError(f"--journal: {error}", str(path)) from None


def refuse_same(journal: Path | None, target: Path | None, option: str = "--journal") -> None:
    """Refuse one file for the journal, which an option names, and the result."""
    if journal is not None and journal == target:
        raise CommandError(f"{option} and --output both name {journal}")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
