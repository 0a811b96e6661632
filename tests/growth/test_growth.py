"""Work grows with the input, not faster: what runs on the input of strangers must come to an end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.forked import ran
from tests.growth.shapes import SHAPES, Files, changed_workloads
from tests.steps import steps_of
from vqs.cli.main import main
from vqs.model.job import named_after_owners
from vqs.model.kubernetes import OwnerReference
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.whatif.overlay import overlay

SIZES = (12, 24, 48)
LONG = 100_000
MOST_SECONDS = 20
SIMULATED = (
    "arguments",
    "expected_jobs",
    "included_files",
    "jobs_on_patterns_of_nodes",
    "plugins_of_one_name",
    "plugins_with_arguments",
    "resources_of_pods",
    "roles_of_a_scenario",
    "silenced_objects",
    "chain_of_owners",
    "chains_of_queues",
    "expected_tasks",
    "cpus_of_a_node",
    "hyper_nodes",
    "nodes_with_resources_of_their_own",
    "jobs_that_run",
    "nodes",
    "pods_of_a_job",
    "queues_with_jobs",
    "taints",
    "tasks_of_a_job",
    "tiers",
    "unknown_actions",
    "unknown_keys_of_a_scenario",
)
COMPARED = (
    "arguments",
    "expected_jobs",
    "expected_tasks",
    "fields_of_a_silenced_line",
    "included_files",
    "namespaces_with_quotas",
    "plugins_of_one_name",
    "plugins_with_arguments",
    "resources_of_pods",
    "silenced_objects",
    "silences",
    "tiers",
    "unknown_fields",
    "unknown_kinds",
)
MOST = 2.5
"""How much more work a step of twice as much input may add than the step before it: twice, and some for sorting."""
FEW_STEPS = 500


def _write(folder: Path, files: Files) -> list[str]:
    """Write the files of an input, and return those to name on the command line."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [str(folder / name) for name in files if "/" not in name]


def _command(folder: Path, files: Files, command: Sequence[str]) -> Callable[[], None]:
    """Return a function that runs a command on some files; it may refuse them, and does not fail."""
    named = _write(folder / "in", files)
    arguments = [*command, *([str(folder / "in")] if "--on" in command else named), "--output", str(folder / "out")]

    def run() -> None:
        assert main(arguments) in (0, 1, 2)

    return run


BOUNDS = (
    "snapshot.reading.diagnostics._MOST_COMPARED",
    "snapshot.apiserver.queue_sums.MOST_ABOVE",
    "lint.silence._MOST_FIELDS",
    "report.simulation.page._MOST",
    "snapshot.scenario.lookup.MOST_MATCHES",
    "snapshot.cluster.build.MOST_OF_NODES",
)


@pytest.fixture(autouse=True)
def _low_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower what is bounded, so that it is so in small inputs too."""
    for bound in BOUNDS:
        monkeypatch.setattr(f"vqs.{bound}", 8)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SHAPES)
def test_looking_for_faults_grows_with_the_input(tmp_path: Path, name: str) -> None:
    """Twice as much of anything is twice as much work for lint, not four times."""
    _grows_with_the_input(tmp_path, name, "lint", "--verbose")


@pytest.mark.thorough
@pytest.mark.parametrize("name", COMPARED)
def test_a_comparison_grows_with_the_input(tmp_path: Path, name: str) -> None:
    """Twice as much of what a change has is twice as much work."""
    base = _write(tmp_path / "base", SHAPES["pod_groups"](1))
    _grows_with_the_input(tmp_path, name, "diff-configs", "--on", *base)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SIMULATED)
def test_a_session_grows_with_the_input(tmp_path: Path, name: str) -> None:
    """Twice as much of what the scheduler itself does not compare with each other is twice as much work."""
    _grows_with_the_input(tmp_path, name, "simulate")


@pytest.mark.parametrize("kind", ["Job", "ReplicaSet", "VolcanoJob"])
def test_a_change_of_workloads_grows_with_the_input(tmp_path: Path, kind: str) -> None:
    """Each of the workloads that a change scales has its own pods looked at, not those of all others."""

    def scaled(n: int) -> Callable[[], object]:
        sides = [
            read_manifests(_write(tmp_path / f"{n}-{replicas}", changed_workloads(kind, n, replicas)))
            for replicas in (1, 0)
        ]
        return lambda: overlay(*sides)

    scaled(2)()  # what is imported and compiled once is no growth
    _adds_as_much(scaled)


def test_names_that_make_way_grow_with_the_input() -> None:
    """A name that makes way for another does not have all others looked at again."""

    def named(n: int) -> Callable[[], object]:
        jobs = {"ns/y": (_owner("Other", "x"),)}
        for i in range(n):
            above = f"x{i - 1}" if i else "x"
            jobs |= {f"ns/x{i}": (_owner("Thing", above),), f"ns/z{i}": (_owner("Other", f"{above} (Thing)"),)}
        return lambda: named_after_owners(jobs)

    _adds_as_much(named)


def _owner(kind: str, name: str) -> OwnerReference:
    return OwnerReference("v1", kind, name, "u", controller=True)


def _grows_with_the_input(tmp_path: Path, name: str, *command: str) -> None:
    make = SHAPES[name]
    _command(tmp_path / "first", make(2), command)()  # what is imported and compiled once is no growth
    _adds_as_much(lambda n: _command(tmp_path / str(n), make(n), command))


def _adds_as_much(make: Callable[[int], Callable[[], object]]) -> None:
    few, more, most = (steps_of(make(n)) for n in SIZES)
    assert most - more <= MOST * (more - few) + FEW_STEPS, (few, more, most)


def test_long_names_are_written_in_no_time(tmp_path: Path) -> None:
    """Patterns that go back and forth over a text would not be done with these within the limit on processor time."""
    odd = [piece * (LONG // len(piece)) + "x" for piece in (".", "*_`|", "1", " ", "_", "#1 ", ":a", "<[", "www.")]
    queues = "".join(f"- {{name: {json.dumps(name)}}}\n" for name in odd)
    scenario = tmp_path / "in.yaml"
    scenario.write_text(f"apiVersion: vqs/v1\nkind: Scenario\nnodes: [{{cpu: 1}}]\nqueues:\n{queues}", encoding="utf-8")
    for arguments in (["simulate", "-v", "--format", "markdown"], ["lint", "--format", "markdown"]):
        run = ran([*arguments, str(scenario)], seconds=MOST_SECONDS)
        assert run.code in (0, 1), run.err.decode()
