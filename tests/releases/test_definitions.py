"""The program that writes the table of types from the definitions of each release."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.recorder.definitions import _CUSTOM, _KUBERNETES, definitions
from vqs.releases.release import Release

Field = dict[str, Any]
TEXT: Field = {"type": "string"}


def sources(folder: Path, spec_of: Callable[[Release], Field]) -> tuple[str, Path]:
    """Make a repository with the tags of all releases, in which Queues have a spec, and definitions of Kubernetes."""
    volcano = folder / "volcano"

    def git(*words: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *author, *words], cwd=volcano, check=True, capture_output=True)  # noqa: S603, S607 - no shell

    file = volcano / "config/crd" / _CUSTOM["Queue"]
    file.parent.mkdir(parents=True)
    git("init")
    (volcano / "go.mod").write_text("require k8s.io/kubernetes v1.0.0\n")
    for release in Release:
        schema = {"properties": {"spec": {"type": "object", "properties": spec_of(release)}}}
        file.write_text(json.dumps({"spec": {"versions": [{"schema": {"openAPIV3Schema": schema}}]}}))
        git("add", ".")
        git("commit", "--allow-empty", "-m", release.tag)
        git("tag", release.tag)
    for name, kinds in _KUBERNETES.items():
        schemas = {f"io.k8s.{kind}": {"properties": {"status": TEXT, "metadata": TEXT}} for kind in kinds}
        schemas["io.k8s.LabelSelector"] = {"properties": {"matchLabels": {"additionalProperties": TEXT}}}
        place = folder / "kubernetes@v1.0.0/api/openapi-spec/v3" / f"{name}_openapi.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"components": {"schemas": schemas}}))
    return str(volcano), folder


def queue(folder: Path, spec_of: Callable[[Release], Field]) -> list[str]:
    """Return what the table says of the spec of Queues."""
    lines = [*definitions(*sources(folder, spec_of))]
    start = lines.index("QueueSpec") + 1
    return [line.strip() for line in lines[start:] if line.startswith("  ")][: len(spec_of(Release.V1_16))]


def test_facts(tmp_path: Path) -> None:
    """Types, bounds, choices and keys are read from a definition, and a type of Kubernetes in it is known."""
    spec: Field = {
        "amount": {"x-kubernetes-int-or-string": True, "pattern": "^a$", "anyOf": []},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "x-kubernetes-list-type": "set"},
        "names": {"properties": {"matchLabels": {"additionalProperties": TEXT}}},
        "weight": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 9},
        "word": {"type": "string", "pattern": "^[^:]+$", "default": "none"},
    }
    assert queue(tmp_path, lambda _: spec) == [
        "amount quantity",
        "kinds [text] each:a|b once",
        "names LabelSelector",
        "weight int32 1..9",
        "word text like:without-colon",
    ]


def test_what_some_releases_have(tmp_path: Path) -> None:
    """A field or bound that only some releases have stands with the behaviour that tells these releases apart."""

    def spec_of(release: Release) -> Field:
        newest = {"word": TEXT} if release is Release.V1_16 else {}
        bound = {} if release in (Release.V1_12, Release.V1_13) else {"minimum": 1}
        return {"weight": {"type": "integer", **bound}, **newest}

    assert queue(tmp_path, spec_of) == [
        "weight int64 if:schema-bounds=all 1..",
        "word text when:pod-template-fields=kubernetes-1.36",
    ]


def test_what_no_behaviour_tells_apart(tmp_path: Path) -> None:
    """A field that differs between releases that have the same behaviours needs a behaviour of its own."""
    with pytest.raises(SystemExit, match=r"no behaviour .* have word"):
        queue(tmp_path, lambda release: {"kind": TEXT, **({"word": TEXT} if release is Release.V1_14 else {})})
