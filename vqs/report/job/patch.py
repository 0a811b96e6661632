"""Writes a fix as a file: a change of the manifests, or patches for kustomize."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vqs.explain.jobs.outcome import Fix
from vqs.explain.jobs.remedies import Patch
from vqs.snapshot.whatif.file_changes import block


def kustomization(fix: Fix) -> str:
    """Write the patches of a fix as a component for kustomize, with the commands that do the same in a cluster."""
    lines = [f"# {each}" for text in fix.edits for each in text.splitlines()]
    lines += ["# In a cluster:", *(f"#   {each}" for text in fix.commands for each in text.splitlines())]
    lines += ["apiVersion: kustomize.config.k8s.io/v1alpha1", "kind: Component", "patches:"]
    return "\n".join([*lines, *(line for each in fix.patches for line in _entry(each))]) + "\n"


def _entry(patch: Patch) -> Iterator[str]:
    group, _, version = patch.api_version.rpartition("/")
    target = {"group": group, "version": version, "kind": patch.kind, "name": patch.name, "namespace": patch.namespace}
    yield "- target:"
    yield from (f"    {key}: {block(value)}" for key, value in target.items() if value)
    yield "  patch: |-"
    change: Any = patch.patch
    if isinstance(change, dict):
        named = {key: each for key, each in (("name", patch.name), ("namespace", patch.namespace)) if each}
        metadata = {**named, **change.get("metadata", {})}
        change = {"apiVersion": patch.api_version, "kind": patch.kind, **change, "metadata": metadata}
    yield from (f"    {line}".rstrip() for line in block(change).splitlines())
