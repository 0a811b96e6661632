"""Every behaviour of the table makes a difference that a scenario shows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from vqs.cli.main import main
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.releases.profile import Behaviour, ReleaseChoice, Setting, behaviours, profile_of
from vqs.releases.release import HEADS, Build, Release
from vqs.replay.engine import ReplayOptions, replay
from vqs.replay.reading.options import ReadingOptions
from vqs.replay.reading.read import read_workload
from vqs.report.as_manifests import manifests as written
from vqs.report.formats import Format
from vqs.snapshot.apiserver.queue_admission import queue_denials
from vqs.snapshot.controllers.complete import complete
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.reader import read_leniently, read_manifests
from vqs.snapshot.whatif.edits import parse_edits

SCENARIOS = Path(__file__).parent / "scenarios"
ROWS = list(behaviours().values())
_CHANGE = re.compile(r"^# change: (.+)$", re.MULTILINE)


def scenario_of(row: Behaviour) -> str:
    """Return the scenario that shows what a behaviour decides."""
    return str(SCENARIOS / f"{row.name}.yaml")


def simulated(path: str, choice: ReleaseChoice) -> bytes:
    """Return what a session leads to, without the name of what was switched for it; else why there is none."""
    try:
        result = simulate(read_manifests([path], release=choice), SimulateOptions())
    except InputErrors as errors:
        return str(errors).encode()
    result.session.behaviours = {}
    return msgspec.json.encode(result)


def found(path: str, choice: ReleaseChoice) -> bytes:
    """Return what lint finds."""
    return msgspec.json.encode(lint(read_leniently([path], release=choice), LintOptions(frozenset(RULES))).findings)


def expanded(path: str, choice: ReleaseChoice) -> bytes:
    """Return what controllers make of it."""
    try:
        return written(complete(read_manifests([path], release=choice)), Format.YAML, 1 << 20).encode()
    except InputErrors as errors:
        return str(errors).encode()


def replayed(path: str, choice: ReleaseChoice) -> bytes:
    """Return what becomes of the jobs of a scenario whose jobs arrive at a time, if they do."""
    if "arrival:" not in Path(path).read_text(encoding="utf-8"):
        return b""
    workload = read_workload([path], path, partial(read_manifests, release=choice), ReadingOptions())
    return msgspec.json.encode(replay(workload, ReplayOptions(until=3_600.0)).jobs)


def denied(path: str, choice: ReleaseChoice) -> bytes:
    """Return what the webhook for queues denies of the change that the scenario names in a comment, if it does."""
    changes = _CHANGE.findall(Path(path).read_text(encoding="utf-8"))
    if not changes:
        return b""
    before = read_manifests([path], release=choice)
    edits, after = parse_edits(changes, before)
    return str(queue_denials(before, after, edits)).encode()


def outcomes(row: Behaviour) -> Iterator[tuple[bytes, ...]]:
    """Yield what the values of a behaviour lead to."""
    path = scenario_of(row)
    for value in row.choices:
        choice = ReleaseChoice(settings=(Setting(row.name, value),))
        looks = (simulated, found, expanded, replayed, denied)
        yield tuple(look(path, choice) for look in looks)


@pytest.mark.thorough
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_value_of_a_behaviour_leads_to_another_result(row: Behaviour) -> None:
    """A session, lint, what controllers create or do, or what is denied of a change shows which value is in force."""
    assert len(set(outcomes(row))) == len(row.choices)


def test_every_scenario_is_about_a_behaviour() -> None:
    """None is left of a behaviour that is gone."""
    assert {path.stem for path in SCENARIOS.iterdir()} == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_all_its_values(row: Behaviour) -> None:
    """Every choice is that of a release or of the head of its branch, or it is proposed somewhere."""
    there = {*row.values.values(), *row.heads.values()}
    assert there | row.proposals.keys() == set(row.choices)
    assert there.isdisjoint(row.proposals)
    assert all(row.values[release] != value for release, value in row.heads.items())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_says_what_it_decides_and_why_it_changed(row: Behaviour) -> None:
    """In sentences, with the file of the reference that decides it."""
    assert row.decides.endswith(".")
    assert row.why.endswith(".")
    assert row.source.startswith(("pkg/", "config/", "cmd/", "vendor/", "staging/"))


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
