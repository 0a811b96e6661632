"""What is found does not depend on the order of the input."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import gang, node, pod, queue
from tests.lint.cases import files
from tests.properties import examples
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.snapshot.reading.reader import read_leniently

BY_RULES = frozenset(code for code, rule in RULES.items() if rule.check)
BAD = [path for code in BY_RULES for path in files(code, "bad")[0] if path.endswith(".yaml")]
INPUTS = sorted({*map(Path, BAD)})


def said(documents: list[str], conf: str | None) -> set[tuple[str, str, str]]:
    """Return what is found in some documents, and what it is about."""
    stdin = io.BytesIO("\n---\n".join(documents).encode())
    result = lint(read_leniently(["-"], conf, stdin=stdin), LintOptions(codes=BY_RULES))
    return {(each.code, each.object, each.message) for each in result.findings}


@pytest.mark.thorough
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
@settings(max_examples=examples(4))
@given(chance=st.randoms(use_true_random=False))
def test_order(path: Path, chance: Random) -> None:
    """The same is found of the same objects, in whatever order they stand."""
    documents = path.read_text(encoding="utf-8").split("\n---\n")
    conf = path.with_suffix(".conf")
    found = said(documents, str(conf) if conf.exists() else None)
    chance.shuffle(documents)
    assert said(documents, str(conf) if conf.exists() else None) == found


def test_order_of_things_that_are_alike() -> None:
    """Of several that are alike, the one whose name goes first is told."""
    objects = [
        node("n1"),
        *(queue(name, parent="team", deserved={"cpu": 4, "x.com/a": 0}) for name in ("dev", "prod")),
        queue("team", deserved={"cpu": 4}),
        *gang("train", 3, queue="team", cpu=999, requests={"x.com/a": 1}),
        *gang("etl", 3, queue="nowhere", requests={"gpu": 1}),
        *(pod(f"lost-{number}", "missing") for number in range(3)),
        *(pod(f"gone-{number}", node="n9") for number in range(3)),
    ]
    found = said([*map(json.dumps, objects)], None)
    codes = {code for code, *_ in found}
    assert codes >= {
        "unknown-node",
        "unknown-pod-group",
        "unknown-resource-requested",
        "children-deserved-above-parent",
    }
    for seed in range(6):
        random.Random(seed).shuffle(objects)
        assert said([*map(json.dumps, objects)], None) == found
