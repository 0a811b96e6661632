"""Plans, read of a folder that has a snapshot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build import CONF, gang, node, pod, queue, scheduler_conf
from vqs.sweep.plan import Plan
from vqs.sweep.read import read_plan

PlanOf = Callable[..., Plan]

RECLAIM = CONF.replace("allocate, backfill", "allocate, reclaim, backfill")

OBJECTS = [
    scheduler_conf(RECLAIM),
    node("n1", cpu=8),
    queue("a"),
    queue("b"),
    *gang("runs", 0, min_member=1, queue="a"),
    *(pod(f"runs-{number}", of="runs", cpu=2, node="n1") for number in range(4)),
    *(each for number in range(4) for each in gang(f"waits-{number}", 1, queue="b", cpu=2)),
]
"""A full node: the tasks of queue a run, those of queue b wait, and reclaim what a has beyond its share."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a snapshot, ``snapshot.json``."""
    snapshot = {"apiVersion": "v1", "kind": "List", "items": OBJECTS}
    (tmp_path / "snapshot.json").write_text(json.dumps(snapshot), encoding="utf-8")
    return tmp_path


@pytest.fixture
def plan_file(folder: Path) -> Callable[..., Path]:
    """Return a function that writes a plan, which has what it is given and else a weight, and returns its file."""

    def write(**given: Any) -> Path:
        usual = {
            "apiVersion": "vqs/v1",
            "kind": "Sweep",
            "base": "snapshot.json",
            "parameters": {"weight": {"edit": "queue/b.spec.weight={}", "values": [1, 3]}},
            "figures": ["placed", "evictions"],
        }
        file = folder / "plan.yaml"
        content = {key: value for key, value in {**usual, **given}.items() if value is not None}
        file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return file

    return write


@pytest.fixture
def plan_of(plan_file: Callable[..., Path]) -> PlanOf:
    """Return a function that reads such a plan."""
    return lambda **given: read_plan(str(plan_file(**given)))
