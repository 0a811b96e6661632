"""The JSON Schema of what the commands write, made from the classes of the results, and of what they read."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from vqs.diff.outcome import Diff
from vqs.explain.cycles import Cycles
from vqs.explain.jobs.outcome import JobReport
from vqs.explain.jobs.waiting_outcome import WaitingJobs
from vqs.explain.outcome import Simulation
from vqs.explain.plugins.outcome import PluginReport
from vqs.explain.queues.outcome import QueueReport
from vqs.explain.refusal import Refusal
from vqs.explain.releases import VersionReport
from vqs.fit.outcome import Fit
from vqs.lint.outcome import Lint
from vqs.replay.outcome import Replay, Replays
from vqs.snapshot.scenario.schema import schema as scenario_schema
from vqs.sweep.outcome import Sweep
from vqs.sweep.schema import schema as plan_schema
from vqs.sweep.tune.outcome import Tune
from vqs.verify.outcome import Verification

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

RESULTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "simulation": Simulation,
    "cycles": Cycles,
    "queues": QueueReport,
    "job": JobReport,
    "waiting": WaitingJobs,
    "lint": Lint,
    "diff": Diff,
    "fit": Fit,
    "sweep": Sweep,
    "tune": Tune,
    "replay": Replay,
    "replays": Replays,
    "verification": Verification,
    "plugins": PluginReport,
    "versions": VersionReport,
    "refusal": Refusal,
}
"""The results that commands write with `--format json`, by the names of their schemas."""


def result(name: str) -> dict[str, Any]:
    """Return the schema of a result; the docstring of the module that defines it describes it."""
    kind = RESULTS[name]
    return {
        "$schema": DIALECT,
        "$id": f"urn:vqs:schema:{name}:{str(kind.__struct_config__.tag).rpartition('/')[2]}",
        "title": f"vqs {name}",
        "description": _prose(sys.modules[kind.__module__].__doc__),
        **_definitions(kind),
    }


def plan(kind: str) -> Mapping[str, Any]:
    """Return the schema of the plans that people write: those of a sweep, or of a tune."""
    whole = plan_schema()
    return {
        **whole,
        "$id": f"urn:vqs:schema:{kind}-plan:v1",
        "title": f"vqs {kind} plan",
        "description": whole["definitions"][kind]["description"],
        "$ref": f"#/definitions/{kind}",
    }


INPUTS: Final[Mapping[str, Callable[[], Mapping[str, Any]]]] = {
    "scenario": scenario_schema,
    "sweep-plan": partial(plan, "sweep"),
    "tune-plan": partial(plan, "tune"),
}
"""The documents that people write."""


def of_document(name: str) -> Mapping[str, Any]:
    """Return the schema of a document that commands write, or that people do."""
    return INPUTS[name]() if name in INPUTS else result(name)


def _definitions(result: type[msgspec.Struct]) -> Mapping[str, Any]:
    schema = msgspec.json.schema(result)
    for definition in schema["$defs"].values():
        definition["description"] = _prose(definition.get("description"))
    return schema


def _prose(docstring: str | None) -> str:
    """Return a docstring as running text: a schema's reader breaks lines where it wants to."""
    paragraphs = inspect.cleandoc(docstring or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
