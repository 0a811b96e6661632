"""Pull requests as people make them, and what is reported of each.

Each folder has the cluster, and what the change touches as it is in the base and in the candidate.
"""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from syrupy.assertion import SnapshotAssertion

from vqs.cli.main import main
from vqs.report import schema

REQUESTS = Path(__file__).parent / "pull_requests"
NAMES = sorted(path.name for path in REQUESTS.iterdir())

EXPECTED = {
    "capability-cut": {"default/weekly": "unplaced"},
    "gang-minimum-raised": {"ml/train": "unplaced"},
    "hierarchy-switched-on": {"default/eval": "unplaced"},
    "new-guarantee": {"default/nightly": "unplaced"},
    "node-pool-drained": {"default/etl": "moved", "default/train": "unplaced"},
    "overcommit-factor": {"default/report": "verdict"},
    "plugin-removed": {"default/train": "placed"},
    "preempt-switched-on": {"default/sweep": "evicted", "default/urgent": "waits"},
    "tier-order-changed": {"default/nightly": "evicted", "default/frontend": "waits"},
    "weight-change": {"default/render": "unplaced", "default/sweep": "placed"},
}
"""What matters most about each."""

ARGUMENTS = ["diff-configs", "base", "candidate", "--on", "cluster.yaml"]


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Go to the folder of a pull request, and return its name."""
    chosen = str(request.param)
    monkeypatch.chdir(REQUESTS / chosen)
    return chosen


@pytest.mark.parametrize("chosen", ["table", "markdown", "github"])
def test_report(
    name: str,  # noqa: ARG001 - the working directory is what matters
    chosen: str,
    snapshot: SnapshotAssertion,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The report says what the change does, and the exit status that it does something."""
    assert main([*ARGUMENTS, "--format", chosen]) == 1
    assert capsys.readouterr().out == snapshot


def test_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The result in JSON keeps to its schema, and names who is concerned, and how."""
    assert main([*ARGUMENTS, "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema.result("diff")).validate(document)
    found = {f"{job['namespace']}/{job['name']}": job["changes"][0] for job in document["jobs"]}
    assert found == EXPECTED[name]


def test_no_luck(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Who is concerned does not depend on how ties are broken."""
    assert main([*ARGUMENTS, "--format", "json", "--seeds", "3", "--no-lint"]) == 1
    document = json.loads(capsys.readouterr().out)
    sure = {
        f"{job['namespace']}/{job['name']}": job["changes"][0]
        for job in document["jobs"]
        if not job.get("tieDependent")
    }
    assert sure == EXPECTED[name]
