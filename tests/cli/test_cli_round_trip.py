"""What a command writes for vqs decides as what it was made from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.clusters import clusters
from tests.properties import examples
from vqs.cli.main import main
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.snapshot.reading.reader import read_manifests

SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "now": st.sampled_from(["2026-03-01T00:00:00Z", "2030-12-31T23:59:59Z"]),
        "volcano": st.sampled_from(["1.14.0", "1.15"]),
        "behaviours": st.just({"best-effort-queues": "first"}),
        "flags": st.fixed_dictionaries(
            {},
            optional={
                "scheduler-sharding-mode": st.sampled_from(["none", "soft", "hard"]),
                "scheduler-sharding-name": st.sampled_from(["volcano", "mine"]),
                "csi-storage": st.booleans(),
            },
        ),
        "scheduler": st.just('actions: "allocate"\ntiers:\n- plugins:\n  - name: gang\n  - name: predicates\n'),
    },
)


@st.composite
def inputs(draw: st.DrawFn) -> str:
    """Make a small cluster, and a Scenario that sets what no object says."""
    said = draw(SETTINGS)
    objects = [one for each in draw(clusters()) for one in (each if isinstance(each, list) else [each])]
    shard = {"name": "mine", "nodes": ["n0"]}
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "shards": [shard], **said, "manifests": objects}
    return json.dumps(scenario)


def decisions(file: Path) -> Any:
    """Return what is decided for whom, without names and where they stand."""
    result = simulate(read_manifests([str(file)]), SimulateOptions())
    session = result.session
    tasks = sorted((each.status, each.verdict.code if each.verdict else "") for each in result.tasks)
    jobs = sorted((each.decision, each.phase, each.min_available) for each in result.jobs)
    return tasks, jobs, session.now, session.nodes, str(result.volcano), session.actions


@given(inputs())
@settings(max_examples=examples(40))
def test_expanded_and_anonymized_clusters_decide_the_same(text: str) -> None:
    """The flags, the release, the time and the configuration go with the objects, also from one command to the next."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        given_, *written = (place / name for name in ("given.json", "a.yaml", "b.json", "c.json"))
        given_.write_text(text, encoding="utf-8")
        for before, after, command in zip([given_, *written], written, ("expand", "anonymize", "expand"), strict=False):
            assert main([command, str(before), "-o", str(after), "--quiet"]) == 0
            assert decisions(after) == decisions(given_)


def documents(path: Path) -> Iterator[Any]:
    """Yield the documents of a file."""
    yield from yaml.safe_load_all(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("command", ["expand", "anonymize"])
@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_of_what_is_not_used_something_is_written(command: str, suffix: str, tmp_path: Path) -> None:
    """An input in which no object is used is written as a Scenario that says nothing: an empty file is no input."""
    source, target = tmp_path / "in.yaml", tmp_path / f"out.{suffix}"
    source.write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n", encoding="utf-8")
    assert main([command, str(source), "-o", str(target)]) == 0
    assert decisions(target) == decisions(source)
    [document] = documents(target)
    assert document.get("items", [document]) == [{"apiVersion": "vqs/v1", "kind": "Scenario"}]


def test_what_the_plugin_deviceshare_knows_is_kept(tmp_path: Path) -> None:
    """The ConfigMap with the geometries of devices is written by expand, and no other without a configuration."""
    source, target = tmp_path / "in.yaml", tmp_path / "out.yaml"
    maps = [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {key: "x: 1"}}
        for name, key in (("a", "device-config.yaml"), ("b", "other"))
    ]
    source.write_text(yaml.safe_dump_all(maps), encoding="utf-8")
    assert main(["expand", str(source), "-o", str(target)]) == 0
    assert [each["metadata"]["name"] for each in documents(target)] == ["a"]


def test_long_numbers_that_stay_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A number that Gt compares cannot be renamed; a note says of which label."""
    term = {"matchExpressions": [{"key": "acme.com/memory", "operator": "Gt", "values": ["65536"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "d"},
        "spec": {"schedulerName": "volcano", "containers": [{"name": "c"}], "affinity": affinity},
    }
    source = tmp_path / "pod.json"
    source.write_text(json.dumps(pod), encoding="utf-8")
    assert main(["anonymize", str(source), "-o", str(tmp_path / "out.json")]) == 0
    assert "acme.com/memory: 1 long number kept" in capsys.readouterr().err
