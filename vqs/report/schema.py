"""The JSON Schema of what the commands write, made from the classes of the results, and of what they read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

import msgspec

from vqs.diff import fit_outcome
from vqs.diff import outcome as diff_outcome
from vqs.diff.fit_outcome import Fit
from vqs.diff.outcome import Diff
from vqs.explain import cycles as cycles_outcome
from vqs.explain import outcome
from vqs.explain import refusal as refusal_outcome
from vqs.explain.cycles import Cycles
from vqs.explain.jobs import outcome as job_outcome
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.outcome import Simulation
from vqs.explain.queues import outcome as queue_outcome
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.refusal import Refusal
from vqs.lint import outcome as lint_outcome
from vqs.lint.outcome import Lint
from vqs.snapshot.scenario.schema import schema as scenario_schema
from vqs.verify import outcome as verify_outcome
from vqs.verify.outcome import Verification

if TYPE_CHECKING:
    from collections.abc import Mapping

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def simulation() -> dict[str, Any]:
    """Return the schema of `vqs simulate --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:simulation:v1",
        "title": "vqs simulation",
        "description": _prose(outcome.__doc__),
        **_definitions(Simulation),
    }


def queues() -> dict[str, Any]:
    """Return the schema of `vqs explain-queue --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:queues:v1",
        "title": "vqs queues",
        "description": _prose(queue_outcome.__doc__),
        **_definitions(QueueReport),
    }


def job() -> dict[str, Any]:
    """Return the schema of `vqs explain-job --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:job:v1",
        "title": "vqs job",
        "description": _prose(job_outcome.__doc__),
        **_definitions(JobReport),
    }


def cycles() -> dict[str, Any]:
    """Return the schema of `vqs simulate --cycles N --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:cycles:v1",
        "title": "vqs cycles",
        "description": _prose(cycles_outcome.__doc__),
        **_definitions(Cycles),
    }


def lint() -> dict[str, Any]:
    """Return the schema of `vqs lint --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:lint:v1",
        "title": "vqs lint",
        "description": _prose(lint_outcome.__doc__),
        **_definitions(Lint),
    }


def diff() -> dict[str, Any]:
    """Return the schema of `vqs diff-configs --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:diff:v1",
        "title": "vqs diff",
        "description": _prose(diff_outcome.__doc__),
        **_definitions(Diff),
    }


def fit() -> dict[str, Any]:
    """Return the schema of `vqs fit --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:fit:v1",
        "title": "vqs fit",
        "description": _prose(fit_outcome.__doc__),
        **_definitions(Fit),
    }


def verification() -> dict[str, Any]:
    """Return the schema of `vqs verify --format json`."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:verification:v1",
        "title": "vqs verification",
        "description": _prose(verify_outcome.__doc__),
        **_definitions(Verification),
    }


def refusal() -> dict[str, Any]:
    """Return the schema of what commands write with `--format json` about an input that they refuse."""
    return {
        "$schema": DIALECT,
        "$id": "urn:vqs:schema:refusal:v1",
        "title": "vqs refusal",
        "description": _prose(refusal_outcome.__doc__),
        **_definitions(Refusal),
    }


def scenario() -> Mapping[str, Any]:
    """Return the schema of the scenarios that people write."""
    return scenario_schema()


def _definitions(result: type[msgspec.Struct]) -> Mapping[str, Any]:
    schema = msgspec.json.schema(result)
    for definition in schema["$defs"].values():
        definition["description"] = _prose(definition.get("description"))
    return schema


def _prose(docstring: str | None) -> str:
    """Return a docstring as running text: a schema's reader breaks lines where it wants to."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
