"""The extender of recordings answers by the numbers in names alone, as `recorder/record/extender.go` does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tests.engine.plugins.extender_server import Answer, extender
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests

ADDRESS: Final = "http://extender.invalid"
"""Stands in scenarios for the address of the server."""


@contextmanager
def with_extender(scenario: Path) -> Iterator[Manifests]:
    """Read a scenario whose extender runs meanwhile."""
    with extender(**ANSWERS) as server, TemporaryDirectory() as folder:
        own = Path(folder, scenario.name)
        own.write_text(scenario.read_text(encoding="utf-8").replace(ADDRESS, server.url), encoding="utf-8")
        yield read_manifests([str(own)])


def _number(item: dict[str, Any]) -> int:
    """The number at the end of a name: 3 of job-03, 1 of job-03-1, 2 of n02."""
    found = re.search(r"[-nq]0*(\d+)$", item["Name"])
    return int(found[1]) if found else 0


def _victims(asked: dict[str, Any]) -> dict[str, Any]:
    return {"status": 1, "victims": [each for each in asked.get("evictees") or [] if _number(each) % 2 == 0]}


def _predicate(asked: dict[str, Any]) -> dict[str, Any]:
    if (_number(asked["task"]) + _number(asked["node"])) % 4 != 3:
        return {}
    return {"status": "the extender refuses the node", "code": 1 + _number(asked["node"]) % 2}


def _scores(asked: dict[str, Any]) -> dict[str, Any]:
    task = _number(asked["task"])
    return {"nodeScore": {each["Name"]: 10 * ((_number(each) + task) % 3) for each in asked["nodes"]}}


def _allocation(asked: dict[str, Any]) -> dict[str, Any]:
    return {"errorMessage": "the extender takes no more"} if _number(asked["task"]) == 3 else {}


ANSWERS: Final[dict[str, Answer]] = {
    "onSessionOpenVerb": {},
    "predicateVerb": _predicate,
    "prioritizeVerb": _scores,
    "preemptableVerb": _victims,
    "reclaimableVerb": _victims,
    "queueOverusedVerb": lambda asked: {"overused": _number(asked["queue"]) == 1},
    "jobEnqueueableVerb": lambda asked: {"status": _number(asked["job"]) % 3 - 1},
    "jobReadyVerb": lambda asked: {"status": _number(asked["job"]) % 5 != 0},
    "allocateFuncVerb": lambda asked: (
        {"errorMessage": "the extender takes no more"} if _number(asked["task"]) == 3 else {}
    ),
}
