"""What a run costs: the price and the energy of its nodes, by who holds them, and what of it is wasted.

A pod holds the largest part that it requests of any resource of its node, from being bound until it is gone. Where the
parts of a node's pods add up to more than the node, they share it in proportion. What is left of a node is idle, and
stranded where there is room for none of the typical pods (see `vqs.replay.figures.typical_requests`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from vqs.model import kubernetes as k8s
from vqs.replay.figures import available, of_nodes, typical_requests
from vqs.replay.outcome import Replay
from vqs.replay.summary import Bill, Cost, QueueBill

_HOUR = 3600.0


class Rate(NamedTuple):
    """What a node costs in an hour, and the watts that it takes where nothing runs on it, and where it is full."""

    hourly: float = 0.0
    idle_watts: float = 0.0
    busy_watts: float = 0.0


@dataclass(frozen=True)
class Price:
    """What some nodes cost: those whose name matches a pattern and that have some labels."""

    rate: Rate
    names: re.Pattern[str] | None = None
    labels: Mapping[str, str] | None = None

    def matches(self, node: k8s.Node) -> bool:
        """True if a node costs this."""
        metadata = node.metadata
        if self.names is not None and not self.names.match(metadata.name):
            return False
        return all(metadata.labels.get(name) == value for name, value in (self.labels or {}).items())


@dataclass(frozen=True)
class Prices:
    """What nodes cost: the first price that matches a node counts; `currency` is a text."""

    currency: str
    rules: tuple[Price, ...]

    def of(self, node: k8s.Node) -> Rate | None:
        """What a node costs; None where no price is for it."""
        return next((each.rate for each in self.rules if each.matches(node)), None)


class Ledger:
    """Which queue holds how much of each node over time, in seconds of the whole node, and what of it is lost."""

    def __init__(self, prices: Prices) -> None:
        self.prices = prices
        self.rates: dict[str, Rate | None] = {}
        self.held: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self.lost: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._parts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
        self._since: dict[str, float] = {}

    def joins(self, node: k8s.Node, time: float) -> None:
        """Note that a node is there from now on."""
        self.rates[node.metadata.name] = self.prices.of(node)
        self._since[node.metadata.name] = time

    def leaves(self, node: str, time: float) -> None:
        """Note that a node is gone, and costs nothing more."""
        self.settle(node, time)
        self._since.pop(node, None)

    def takes(self, node: str, queue: str, part: float, time: float) -> None:
        """Note that a queue holds so much more of a node, or less."""
        self.settle(node, time)
        self._parts[node][queue] += part

    def loses(self, node: str, queue: str, part: float, seconds: float) -> None:
        """Note that some seconds of work on a part of a node have to be done again."""
        self.lost[node][queue] += self._share(node, part) * seconds

    def settle(self, node: str, time: float) -> None:
        """Count what was held of a node until now."""
        since = self._since.get(node)
        if since is None or time <= since:
            return
        for queue, part in self._parts[node].items():
            self.held[node][queue] += self._share(node, part) * (time - since)
        self._since[node] = time

    def _share(self, node: str, part: float) -> float:
        return part / max(sum(self._parts[node].values()), 1.0)


def cost_of(run: Replay, ledger: Ledger) -> Cost:
    """What a run has cost."""
    for node in run.nodes:
        ledger.settle(node.name, run.end)
    stranded = _stranded_parts(run)
    money: list[_Line] = []
    energy: list[_Line] = []
    for node, part in zip(run.nodes, stranded, strict=True):
        rate = ledger.rates[node.name] or Rate()
        held, lost = ledger.held[node.name], ledger.lost[node.name]
        lasted = sum((run.end if until is None else until) - since for since, until in node.available)
        idle = max(lasted - sum(held.values()), 0.0) / _HOUR
        for lines, busy, still in (
            (money, rate.hourly, rate.hourly),
            (energy, rate.busy_watts / 1000, rate.idle_watts / 1000),
        ):
            for queue, seconds in held.items():
                lines.append(_Line(queue, busy * seconds / _HOUR, busy * lost[queue] / _HOUR))
            lines.append(_Line(None, still * idle, still * idle * part))
    has_energy = any(rate is not None and rate.busy_watts for rate in ledger.rates.values())
    queues = sorted({job.queue for job in run.jobs})
    return Cost(
        currency=ledger.prices.currency,
        money=_bill(money),
        energy=_bill(energy) if has_energy else None,
        queues=[_of_queue(queue, money, energy if has_energy else None) for queue in queues],
        unpriced=sorted(name for name, rate in ledger.rates.items() if rate is None),
    )


class _Line(NamedTuple):
    """An amount of a bill: what a queue held, or what was idle (None), and the part of it that was wasted."""

    queue: str | None
    amount: float
    wasted: float


def _bill(lines: Sequence[_Line]) -> Bill:
    used = [line for line in lines if line.queue is not None]
    idle = [line for line in lines if line.queue is None]
    return Bill(
        spent=sum(map(itemgetter(1), lines)),
        used=sum(map(itemgetter(1), used)),
        lost=sum(map(itemgetter(2), used)),
        idle=sum(map(itemgetter(1), idle)),
        stranded=sum(map(itemgetter(2), idle)),
    )


def _of_queue(queue: str, money: Sequence[_Line], energy: Sequence[_Line] | None) -> QueueBill:
    own = [line for line in money if line.queue == queue]
    power = None if energy is None else [line for line in energy if line.queue == queue]
    return QueueBill(
        queue=queue,
        spent=sum(line.amount for line in own),
        lost=sum(line.wasted for line in own),
        energy=None if power is None else sum(line.amount for line in power),
        energy_lost=None if power is None else sum(line.wasted for line in power),
    )


def _stranded_parts(run: Replay) -> list[float]:
    """By node, the part of what was idle of it while it had room for none of the typical pods."""
    if not run.node_samples:
        return [0.0] * len(run.nodes)
    parts, sizes = of_nodes(run)
    room = (1.0 - parts).clip(0.0) * sizes[None, :, :]
    fits = np.zeros(parts.shape[:2], dtype=bool)
    for typical in typical_requests(run).values():
        fits |= (room + 1e-3 * sizes >= typical).all(axis=2)
    seconds = np.array([sample.seconds for sample in run.node_samples])[:, None] * available(run)
    idle = (1.0 - parts.max(axis=2)).clip(0.0) * seconds
    whole = idle.sum(axis=0)
    shares = np.divide((idle * ~fits).sum(axis=0), whole, out=np.zeros_like(whole), where=whole > 0)
    found: list[float] = shares.tolist()
    return found
