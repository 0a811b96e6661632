"""What is proposed for Volcano is off unless it is switched on, and each proposal does what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vqs.cli.main import main
from vqs.releases.profile import Behaviour, behaviours, profile_of
from vqs.releases.release import HEADS, Build, Release

SCENARIOS = Path(__file__).parent / "scenarios"
PROPOSED = [row for row in behaviours().values() if row.proposals]
STUCK = str(SCENARIOS / "inqueue-jobs.yaml")


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Run a command that writes JSON, and return it."""
    assert main([*arguments, "--format", "json"]) in {0, 1}
    return json.loads(capsys.readouterr().out)


JOBS = ["late", "stuck", "small", "urgent"]


def phases_of(simulation: Any) -> dict[str, str]:
    """Return the phases of the jobs after a session."""
    return {job["name"]: job["phase"] for job in simulation["jobs"]}


@pytest.mark.parametrize("row", PROPOSED, ids=lambda row: row.name)
def test_no_release_has_it(row: Behaviour) -> None:
    """Nor the head of a branch; and it is said where it is proposed."""
    builds = [*map(Build, Release), *(Build(release, is_head=True) for release in HEADS)]
    profiles = [*map(profile_of, builds)]
    assert all(row.of(profile) not in row.proposals for profile in profiles)
    assert all(where.startswith("pull request ") for where in row.proposals.values())


@pytest.mark.parametrize(
    ("value", "phases"),
    [
        ("stay", ["Inqueue", "Inqueue", "Pending", "Pending"]),
        ("leave-at-once", ["Pending", "Pending", "Running", "Running"]),
        ("leave-after-timeout", ["Inqueue", "Pending", "Pending", "Running"]),
        ("leave-to-others", ["Inqueue", "Pending", "Pending", "Running"]),
    ],
)
def test_a_queue_is_free_again_once_its_jobs_have_left(
    value: str, phases: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Who is tried first takes the room: the job of a high priority."""
    result = document(capsys, "simulate", STUCK, "--cycles", "5", "--behaviour", f"inqueue-jobs={value}")
    assert phases_of(result["cycles"][-1]["simulation"]) == dict(zip(JOBS, phases, strict=True))


@pytest.mark.parametrize(
    ("value", "phases"),
    [
        ("leave-at-once", ["Pending", "Pending", "Running"]),
        ("leave-after-timeout", ["Inqueue", "Inqueue", "Pending"]),
        ("leave-to-others", ["Inqueue", "Inqueue", "Pending"]),
    ],
)
def test_jobs_that_may_come_back_at_once_do_so_before_later_ones(
    value: str, phases: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it is Pending again, the oldest job is the first to be admitted."""
    lines = Path(STUCK).read_text(encoding="utf-8").splitlines()
    file = tmp_path / "alike.yaml"
    file.write_text("\n".join(line for line in lines if "urgent" not in line), encoding="utf-8")
    result = document(capsys, "simulate", str(file), "--cycles", "5", "--behaviour", f"inqueue-jobs={value}")
    assert phases_of(result["cycles"][-1]["simulation"]) == dict(zip(JOBS, phases, strict=False))


def test_jobs_leave_to_others_in_the_session_that_admits_these(capsys: pytest.CaptureFixture[str]) -> None:
    """The action enqueue makes room before it admits jobs, so that one of a high priority comes in at once."""
    result = document(capsys, "simulate", STUCK, "--behaviour", "inqueue-jobs=leave-to-others")
    assert phases_of(result) == dict(zip(JOBS, ["Inqueue", "Pending", "Pending", "Inqueue"], strict=True))


@pytest.mark.parametrize(
    ("value", "timeout", "phase"),
    [
        ("leave-after-timeout", "2h", "Inqueue"),
        ("leave-after-timeout", "7200", "Pending"),
        ("leave-to-others", "7200", "Inqueue"),
        ("leave-to-others", "2h", "Pending"),
    ],
)
def test_a_pod_group_has_a_timeout_of_its_own(
    value: str, timeout: str, phase: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A duration for one of the proposals, seconds for the other; what is none does not count."""
    objects = document(capsys, "expand", STUCK)
    groups = (each for each in objects["items"] if each["kind"] == "PodGroup")
    group = next(each for each in groups if each["metadata"]["name"] == "stuck")
    group["metadata"]["annotations"] = {"volcano.sh/inqueue-timeout": timeout}
    file = tmp_path / "own.json"
    file.write_text(json.dumps(objects), encoding="utf-8")
    now = ("--now", "2026-03-02T13:00:00Z")
    result = document(capsys, "simulate", str(file), *now, "--behaviour", f"inqueue-jobs={value}")
    assert phases_of(result)["stuck"] == phase


@pytest.mark.parametrize(
    ("edits", "placed"),
    [
        ({}, {"elsewhere"}),
        ({"dequeueStrategy: fifo": "dequeueStrategy: traverse"}, {"elsewhere", "same", "lower"}),
        (
            {"{name: line}": "{name: line, annotations: {volcano.sh/dequeue-strategy: priorityfifo}}"},
            {"elsewhere", "same"},
        ),
    ],
)
def test_a_job_that_got_no_place_stops_its_queue(
    edits: dict[str, str], placed: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jobs of the same priority, too, where the queue is fifo; in other queues, jobs are tried as ever."""
    text = (SCENARIOS / "jobs-behind-failed.yaml").read_text(encoding="utf-8")
    for old, new in edits.items():
        text = text.replace(old, new)
    file = tmp_path / "line.yaml"
    file.write_text(text, encoding="utf-8")
    result = document(capsys, "simulate", str(file), "--behaviour", "jobs-behind-failed=by-strategy")
    assert {job["name"] for job in result["jobs"] if job["decision"] == "committed"} == placed
    codes = {job["name"]: (job.get("verdict") or {}).get("code") for job in result["jobs"]}
    assert {name for name, code in codes.items() if code == "behind-failed-job"} == {"same", "lower"} - placed


def test_a_job_that_has_left_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Not that no action admits it."""
    assert main(["simulate", STUCK, "--cycles", "5", "--behaviour", "inqueue-jobs=leave-at-once"]) == 0
    assert "PodGroup default/stuck has left its queue, and may not return yet" in capsys.readouterr().out


def test_the_rule_of_a_job_that_has_left_does_not_blame_the_actions(capsys: pytest.CaptureFixture[str]) -> None:
    """The line on the job does not say that enqueue is missing, and the rule names the behaviour."""
    assert main(["simulate", STUCK, "--cycles", "5", "--behaviour", "inqueue-jobs=leave-at-once"]) == 0
    assert "do not include enqueue" not in capsys.readouterr().out
    assert main(["rule", "left-queue"]) == 0
    assert "inqueue-jobs=leave-at-once" in capsys.readouterr().out
    assert main(["rule", "not-enqueued"]) == 0
    assert "inqueue-jobs" not in capsys.readouterr().out


def test_a_replay_shows_what_a_proposal_does(capsys: pytest.CaptureFixture[str]) -> None:
    """A small job starts where the others leave the queue to it."""
    started = {}
    for value in ("stay", "leave-at-once"):
        result = document(
            capsys, "replay", STUCK, "--seed", "1", "--until", "1m", "--behaviour", f"inqueue-jobs={value}"
        )
        started[value] = [job["name"] for job in result["jobs"] if job["started"] is not None]
    assert started == {"stay": [], "leave-at-once": ["urgent", "small"]}


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
