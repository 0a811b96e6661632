"""What explain-queue prints of how deserved came about is enough to compute it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from tests.build import CONF, manifests
from tests.clusters import clusters
from tests.conformance.reading import read_scenario, unpacked
from tests.properties import examples
from vqs.explain.queues.report import explain_queues
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests

SCENARIOS = [
    path
    for path in sorted(unpacked("random").glob("*.yaml"))
    if path.stem.startswith(("proportion", "capacity", "hierarchy", "enqueue", "running", "messy"))
]
BUNDLED = [
    path
    for path in sorted((Path(__file__).parents[3] / "scenarios").glob("*.yaml"))
    if path.stem.startswith(("deserved", "guarantee", "real-capability", "share", "queue"))
    and not path.match("*.plan.yaml")
]

Document = dict[str, Any]
Amounts = dict[str, float | None]


def printed(read: Manifests, queue: str) -> Document:
    """Explain a queue, as it is printed in JSON."""
    report = explain_queues(read, SimulateOptions(), queue)
    document: Document = json.loads(msgspec.json.encode(report))
    return document


def queues_of(read: Manifests) -> dict[str, Document]:
    """Return the queues of a session by name."""
    document = json.loads(msgspec.json.encode(explain_queues(read, SimulateOptions())))
    return {queue["name"]: queue for queue in document["queues"]}


def get(amounts: Amounts, name: str) -> float:
    """Return an amount; a missing one is zero, and null is unlimited."""
    value = amounts.get(name, 0.0)
    return float("inf") if value is None else value


def limit(amounts: Amounts, name: str) -> float:
    """Return an amount of a limit in which a missing resource other than cpu and memory is unlimited."""
    return get(amounts, name) if name in ("cpu", "memory") or name in amounts else float("inf")


def divide_again(division: Document, queues: dict[str, Document]) -> dict[str, dict[str, float]]:
    """Go through the rounds with the printed numbers alone; return what each queue deserves in the end."""
    names = {name for each in division["rounds"] for step in each["steps"] for name in step["deserved"]}
    deserved: dict[str, dict[str, float]] = {queue: dict.fromkeys(names, 0.0) for queue in queues}
    remaining = {name: get(division["total"], name) for name in names}
    for each in division["rounds"]:
        total_weight = sum(step["weight"] for step in each["steps"])
        assert total_weight == each["totalWeight"]
        more = dict.fromkeys(names, 0.0)
        for step in each["steps"]:
            opened = queues[step["queue"]]["opened"]
            own = deserved[step["queue"]]
            for name in names:
                assert get(step["before"], name) == pytest.approx(own[name])
                offered = own[name] + remaining[name] * step["weight"] / total_weight
                wanted = min(offered, limit(opened["realCapability"], name), get(opened["request"], name))
                after = max(wanted, get(opened["guarantee"], name))
                assert get(step["deserved"], name) == pytest.approx(after)
                more[name] += after - own[name]
                own[name] = after
        for name in names:
            remaining[name] = max(remaining[name] - more[name], 0.0)
            assert get(each["left"], name) == pytest.approx(remaining[name], rel=1e-9, abs=1e-6)
    return deserved


def link_again(link: Document, parent: Document | None) -> dict[str, tuple[float, float]]:
    """Compute real capability and deserved of a link anew, by resource, from its own figures and its parent's."""
    figures = {}
    for name in ("cpu", "memory"):
        above = get(parent["realCapability"], name) if parent else get(link["available"], name)
        unreserved = max(above - get(link["guaranteed"], name), 0.0) + get(link["guarantee"], name)
        assert unreserved == pytest.approx(get(link["unreserved"], name))
        own = get(link["configuredCapability"], name)
        capability = own or (get(parent["capability"], name) if parent else float("inf"))
        real = min(unreserved, capability)
        deserved = get(link["configuredDeserved"], name)
        if parent is None:
            deserved = min(deserved, real)
        figures[name] = real, max(deserved, get(link["guarantee"], name))
    return figures


def check(read: Manifests) -> None:
    """Compute everything anew, for all queues of a session, and compare it with the session's own figures."""
    queues = queues_of(read)
    for name in queues:
        derivation = printed(read, name)["explained"]["derivation"]
        if derivation["plugin"] == "proportion":
            again = divide_again(derivation, queues)
            for queue, amounts in again.items():
                figures = queues[queue]["opened"]["deserved"]
                assert {key: get(figures, key) for key in amounts} == pytest.approx(amounts)
            return  # the rounds are the same for all queues
        above: Document | None = None
        for link in derivation["queues"]:
            opened = queues[link["queue"]]["opened"]
            if derivation["tree"] and above is None:
                assert get(opened["deserved"], "cpu") == get(link["childrenDeserved"], "cpu")
            else:
                for resource, (real, deserved) in link_again(link, above).items():
                    assert get(opened["realCapability"], resource) == pytest.approx(real)
                    assert get(opened["deserved"], resource) == pytest.approx(deserved)
            above = link
        assert derivation["queues"][-1]["queue"] == name


@pytest.mark.thorough
@pytest.mark.parametrize("path", [*SCENARIOS, *BUNDLED], ids=lambda path: path.stem)
def test_deserved_can_be_computed_again_from_what_is_printed(path: Path) -> None:
    """Nothing but the printed numbers is used, and the result is what the session has."""
    check(read_scenario(path))


@settings(max_examples=examples(25), deadline=None)
@given(clusters())
def test_deserved_of_any_cluster_can_be_computed_again(objects: list[Any]) -> None:
    """The rounds of random clusters are complete as well."""
    read = manifests(objects, CONF)
    if queues_of(read):
        check(read)
