"""Sides of comparisons for tests."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import yaml

from tests.build import CONF, manifests
from vqs.diff.compare import DiffOptions, compare
from vqs.diff.outcome import Diff, JobDifference
from vqs.diff.run import Input
from vqs.explain.simulate import SimulateOptions
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.edits import parse_edits


def side(objects: Sequence[Any], conf: str = CONF, name: str = "side") -> Input:
    """Make a side of some objects."""
    return Input(name, manifests(objects, conf))


def diff(
    before: Sequence[Any],
    after: Sequence[Any],
    conf: str = CONF,
    other: str = "",
    seed: int | None = None,
    **options: Any,
) -> Diff:
    """Compare some objects with others, each under a configuration."""
    how = DiffOptions(SimulateOptions(seed=seed), **options)
    return compare(side(before, conf), side(after, other or conf), how)


def with_edits(snapshot: Manifests, *edits: str) -> Manifests:
    """Return a snapshot with edits made to it."""
    return parse_edits(edits, snapshot)[1]


def jobs(result: Diff) -> dict[str, JobDifference]:
    """Return the jobs that differ, by name."""
    return {job.name: job for job in result.jobs}


def read_documents(documents: Sequence[Any]) -> Manifests:
    """Read documents as if they stood in one file."""
    text = yaml.dump_all(documents, Dumper=yaml.CSafeDumper, sort_keys=False)
    return read_manifests(["-"], stdin=io.BytesIO(text.encode()))
