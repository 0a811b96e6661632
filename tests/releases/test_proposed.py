"""What is proposed for Volcano is off unless it is switched on, and each proposal does what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vqs.cli.main import main
from vqs.releases.profile import Behaviour, behaviours, profile_of
from vqs.releases.release import HEADS, Release

SCENARIOS = Path(__file__).parent / "scenarios"
PROPOSED = [row for row in behaviours().values() if row.proposals]
STUCK = str(SCENARIOS / "inqueue-jobs.yaml")


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command that writes JSON, and return it."""
    assert main([*arguments, "--format", "json"]) in {0, 1}
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("row", PROPOSED, ids=lambda row: row.name)
def test_no_release_has_it(row: Behaviour) -> None:
    """Nor the head of a branch; and it is said where it is proposed."""
    profiles = [*map(profile_of, Release), *(profile_of(release, is_head=True) for release in HEADS)]
    assert all(row.of(profile) not in row.proposals for profile in profiles)
    assert all(where.startswith("pull request ") for where in row.proposals.values())


@pytest.mark.parametrize(
    ("value", "phases"),
    [
        ("stay", {"late": "Inqueue", "stuck": "Inqueue", "small": "Pending"}),
        ("leave-at-once", {"late": "Pending", "stuck": "Pending", "small": "Running"}),
        # Once it is Pending again, the oldest job is the first to be admitted.
        ("leave-after-timeout", {"late": "Inqueue", "stuck": "Inqueue", "small": "Pending"}),
    ],
)
def test_a_queue_is_free_again_once_its_jobs_have_left(
    value: str, phases: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Where they may come back at once, they take the room again before jobs that came later."""
    option = f"inqueue-jobs={value}"
    result = document(capsys, "simulate", STUCK, "--cycles", "5", "--behaviour", option)
    last = result["cycles"][-1]
    assert {job["name"]: job["phase"] for job in last["simulation"]["jobs"]} == phases


def test_a_job_that_has_left_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Not that no action admits it."""
    assert main(["simulate", STUCK, "--cycles", "5", "--behaviour", "inqueue-jobs=leave-at-once"]) == 0
    assert "PodGroup default/stuck has left its queue, and may not return yet" in capsys.readouterr().out


def test_the_rule_of_a_job_that_has_left_does_not_blame_the_actions(capsys: pytest.CaptureFixture[str]) -> None:
    """The line on the job does not say that enqueue is missing, and the rule names the behaviour."""
    assert main(["simulate", STUCK, "--cycles", "5", "--behaviour", "inqueue-jobs=leave-at-once"]) == 0
    assert "do not include enqueue" not in capsys.readouterr().out
    assert main(["rule", "not-enqueued"]) == 0
    rule = " ".join(capsys.readouterr().out.split())
    assert "inqueue-jobs=leave-at-once it may also have left its queue less than 5 minutes ago" in rule


def test_a_replay_shows_what_a_proposal_does(capsys: pytest.CaptureFixture[str]) -> None:
    """A small job starts where the others leave the queue to it."""
    started = {}
    for value in ("stay", "leave-at-once"):
        result = document(
            capsys, "replay", STUCK, "--seed", "1", "--until", "1m", "--behaviour", f"inqueue-jobs={value}"
        )
        started[value] = [job["name"] for job in result["jobs"] if job["started"] is not None]
    assert started == {"stay": [], "leave-at-once": ["small"]}


def test_differences_are_told_by_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    """As they are by release."""
    option = "inqueue-jobs=leave-at-once"
    result = document(capsys, "diff-configs", STUCK, "--behaviour", option)
    assert [each["name"] for each in result["behaviours"]] == ["inqueue-jobs"]


@pytest.mark.parametrize(
    ("factor", "code"), [("1.5", "not-enqueued-capability"), ("2", ""), ("0.5", "not-enqueued-capability")]
)
def test_a_queue_has_a_factor_of_its_own(
    factor: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It bounds what its jobs hold and are admitted for; one that is none admits nothing."""
    text = (SCENARIOS / "queue-overcommit.yaml").read_text(encoding="utf-8")
    text = text.replace('factor: "3"', f'factor: "{factor}"').replace(", max-queue-overcommit-factor: 1.5", "")
    file = tmp_path / "queue.yaml"
    file.write_text(text, encoding="utf-8")
    result = document(capsys, "simulate", str(file), "--behaviour", "queue-overcommit=limits")
    [job] = [job for job in result["jobs"] if job["name"] == "asks"]
    assert (job["phase"] == "Inqueue") is (not code)
    assert not code or job["verdict"]["code"] == code


def test_versions_name_the_proposal(capsys: pytest.CaptureFixture[str]) -> None:
    """And say that the releases have none of it."""
    assert main(["versions", "inqueue-jobs"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "proposed: pull request 5777" in out
    assert "inqueue-jobs is stay in all releases" in out
