"""Which host ports a task asks for, and which pods use them, in words."""

from __future__ import annotations

from collections.abc import Iterable

from vqs.engine.framework.finished import FinishedSession
from vqs.engine.nodes.pods import ANY_ADDRESS, Port, host_ports
from vqs.engine.plugins.predicates.filters import PORTS_TAKEN
from vqs.model.job import FitErrors
from vqs.model.task import COMPLETED_STATUSES, Task
from vqs.model.wording import first_names, listed_names


def ports_in_use(session: FinishedSession, task: Task, errors: FitErrors) -> str:
    """Say which pods use the host ports that a task asks for, where nodes refuse it for them; empty elsewhere."""
    refused, job = errors.reasons.get(PORTS_TAKEN, 0), session.jobs.get(task.job)
    if not refused or job is None:
        return ""
    wanted = host_ports(task.pod.spec)
    using: dict[str, Task] = {}
    taken: list[Port] = []
    for port in wanted:
        takers = session.takers_of_ports.get(port[1:], ())
        found = [each for address, each in takers if each.job != task.job and _meet(port[0], address)]
        using |= {each.uid: each for each in found}
        taken += [port] if found else []
    said: list[str] = []
    if using:
        names = first_names([f"{each.namespace}/{each.name}" for each in using.values()])
        said.append(f"{names} {'uses' if len(using) == 1 else 'use'} {_named(taken)}")
    alike = [
        each
        for each in job.tasks.values()
        if each.status not in COMPLETED_STATUSES and host_ports(each.pod.spec) == wanted
    ]
    if len(alike) > 1 and refused > len({each.node for each in using.values()}):
        said.append(
            f"{len(alike):,} pods of the job itself ask for {_named(wanted)}, and a node has room for one of them"
        )
    return "; ".join(said)


def _meet(one: str, other: str) -> bool:
    """True if two addresses cannot have the same port: a port of all addresses is in the way of any."""
    return one == other or ANY_ADDRESS in (one, other)


def _named(ports: Iterable[Port]) -> str:
    """Name ports by their numbers, with the address and the protocol where these are not the usual ones."""
    texts = [
        f"{'' if address == ANY_ADDRESS else f'{address}:'}{number}{'' if protocol == 'TCP' else f'/{protocol}'}"
        for address, protocol, number in sorted(ports, key=lambda port: port[2])
    ]
    return f"host port{'s' if len(texts) > 1 else ''} {listed_names(texts)}"
