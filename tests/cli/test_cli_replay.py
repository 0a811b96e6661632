"""`vqs replay`, as a user meets it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from vqs.cli.main import main
from vqs.replay import engine
from vqs.replay.journal import Journal

WORKLOAD = """\
apiVersion: vqs/v1
kind: Scenario
name: two
nodes:
- {name: n1, cpu: 4, memory: 8Gi}
jobs:
- {name: first, replicas: 2, cpu: 2, arrival: 0.5, duration: 1m}
- {name: second, replicas: 2, cpu: 2, arrival: 5, duration: 30}
"""

BINPACK = """\
actions: "enqueue, allocate"
tiers:
- plugins:
  - name: gang
  - name: predicates
  - name: binpack
"""


@pytest.fixture
def workload(tmp_path: Path) -> str:
    """Return the path of a workload of two jobs, of which the second waits for the first."""
    path = tmp_path / "workload.yaml"
    path.write_text(WORKLOAD, encoding="utf-8")
    return str(path)


def replayed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the result of a replay."""
    assert main(["replay", *arguments, "--format", "json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_a_replay_says_what_became_of_each_job(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The second job starts once the first has ended; the result is that of the most typical of five runs."""
    result = replayed([workload], capsys)
    first, second = result["jobs"]
    assert (first["phase"], second["phase"], result["evictions"]) == ("Completed", "Completed", 0)
    assert second["started"] > first["completed"] > 60
    assert result["makespan"] == second["completed"]
    assert result["spread"]["makespan"]["runs"] == 5
    assert result["estimates"]["replay.makespan"]["runs"] == len(result["seeds"]) == 5


@pytest.mark.parametrize(("seeds", "name"), [("--seed", "replay"), ("--seeds", "replays")])
def test_results_are_as_their_schema_says(
    workload: str, seeds: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One run is a replay, and several are replays."""
    result = replayed([workload, seeds, "2"], capsys)
    assert main(["schema", name]) == 0
    jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out)).validate(result)


def test_a_replay_with_a_seed_is_one_run(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A seed is drawn from, and kept in the result; the same one gives the same bytes."""
    result = replayed([workload, "--seed", "3"], capsys)
    assert (result["seed"], result["spread"]) == (3, {})
    assert replayed([workload, "--seed", "3"], capsys) == result


def test_policies_and_seeds_are_replayed_side_by_side(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each policy is replayed under each seed; the snapshot as it is, and with edits, are two policies."""
    (tmp_path / "a.conf").write_text(BINPACK, encoding="utf-8")
    (tmp_path / "b.conf").write_text(BINPACK, encoding="utf-8")
    (tmp_path / "edits.yaml").write_text("- clone-node n1=1\n", encoding="utf-8")
    confs = [str(tmp_path / name) for name in ("a.conf", "b.conf")]
    result = replayed([workload, "--conf", confs[0], "--conf", confs[1], "--seeds", "2"], capsys)
    assert [(each["policy"], each["seed"]) for each in result["runs"]] == [(c, s) for c in confs for s in (1, 2)]
    result = replayed([workload, "--edits", str(tmp_path / "edits.yaml"), "--seed", "1"], capsys)
    assert result["policies"] == ["as it is", str(tmp_path / "edits.yaml")]
    alone, doubled = result["runs"]
    assert doubled["makespan"] < 70 < alone["makespan"]


def test_a_workload_without_nodes_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs arrive, and none of them starts: the reason comes first."""
    path = tmp_path / "workload.yaml"
    path.write_text(
        WORKLOAD.replace("- {name: n1, cpu: 4, memory: 8Gi}\n", "").replace("nodes:\n", ""), encoding="utf-8"
    )
    assert main(["replay", str(path)]) == 0
    assert "Nothing can be placed: the workload has no nodes" in capsys.readouterr().out


def test_any_moment_opens_as_a_snapshot(workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cluster at a time is a snapshot on which simulate decides what the next session of the replay does."""
    moment = tmp_path / "moment.json"
    assert main(["replay", workload, "--at", "1.5", "--output", str(moment)]) == 0
    assert main(["simulate", str(moment), "--format", "json"]) == 0
    output = capsys.readouterr()
    result = json.loads(output.out)
    assert result["session"]["now"] == "2026-01-01T00:00:01.500000Z"
    tasks = {task["name"]: task["status"] for task in result["tasks"]}
    assert tasks == {"first-worker-0": "Binding", "first-worker-1": "Binding"}
    assert "the cluster after 1.5s is written" in output.err


def test_jobs_that_were_over_before_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a moment, only what waits or runs is replayed; how long pods run is not in it, and a note says so."""
    path, moment = tmp_path / "workload.yaml", tmp_path / "moment.json"
    there = "- {name: over, cpu: 1, duration: 20}\n- {name: busy, replicas: 2, cpu: 1, running: 2, duration: 5m}\n"
    path.write_text(WORKLOAD + there, encoding="utf-8")
    assert main(["replay", str(path), "--seed", "1", "--at", "40", "--output", str(moment)]) == 0
    capsys.readouterr()
    assert main(["replay", str(moment), "--seed", "1", "--format", "json"]) == 0
    output = capsys.readouterr()
    jobs = {job["name"]: job["completed"] for job in json.loads(output.out)["jobs"]}
    assert "over" not in jobs
    assert jobs["busy"] is None
    assert "nothing says how long 2 pods will run: without end" in output.err


def test_a_moment_is_written_as_its_file_says(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file for YAML has YAML; one for a report is refused before anything is replayed."""
    moment = tmp_path / "moment.yaml"
    assert main(["replay", workload, "--at", "10", "--output", str(moment)]) == 0
    assert moment.read_text(encoding="utf-8").startswith(
        "apiVersion: vqs/v1\nkind: Scenario\nnow: '2026-01-01T00:00:10Z'\n"
    )
    page = tmp_path / "moment.html"
    assert main(["replay", workload, "--at", "10", "--output", str(page)]) == 2
    assert "--at writes a snapshot, in JSON or YAML, and not as html" in capsys.readouterr().err
    assert main(["replay", workload, "--at", "10", "--format", "markdown"]) == 2
    assert not page.exists()


def test_a_moment_after_the_end_is_that_of_the_end(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing happens any more by then, and a note says since when."""
    assert main(["replay", workload, "--at", "1d"]) == 0
    output = capsys.readouterr()
    assert output.err == "note: the replay is over after 1m35.1s: the cluster after 1d is as it was then\n"
    assert [each["kind"] for each in json.loads(output.out)["items"]].count("Pod") == 0


def test_a_job_that_arrives_last_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that is refused says why, and the next command shows it at a moment at which it is there."""
    path = tmp_path / "workload.yaml"
    path.write_text(WORKLOAD.replace("cpu: 2, arrival: 5", "cpu: 9, arrival: 2m"), encoding="utf-8")
    [_, late] = replayed([str(path)], capsys)["jobs"]
    assert late["waited"]["not-enqueued-overcommit"] == pytest.approx(1.0)
    path.write_text(WORKLOAD.replace("cpu: 2, arrival: 0.5", "cpu: 9, arrival: 0"), encoding="utf-8")
    assert main(["replay", str(path)]) == 0
    command = capsys.readouterr().out.partition("Next: ")[2].partition(" writes")[0]
    moment = tmp_path / "moment.json"
    assert main([*shlex.split(command)[1:-1], str(moment)]) == 0
    assert main(["explain-job", str(moment), "--job", "default/first"]) == 0
    assert "overcommit allows" in capsys.readouterr().out


def test_errors_of_a_workload_say_nothing_of_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That jobs arrive later is a note for commands that leave them out."""
    path = tmp_path / "workload.yaml"
    path.write_text(WORKLOAD.replace("arrival: 5", "arrival: 5, queue: none-such"), encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    replaying = capsys.readouterr().err
    assert "there is no queue 'none-such'" in replaying
    assert "arrive later" not in replaying
    assert main(["simulate", str(path)]) == 2
    assert "2 jobs arrive later" in capsys.readouterr().err


def test_a_replay_goes_on_from_its_checkpoint(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal that was cut off is completed; one of another replay is refused, and left as it is."""
    journal = tmp_path / "journal"
    arguments = [workload, "--checkpoint", str(journal)]
    whole = replayed(arguments, capsys)
    written = journal.read_bytes()
    journal.write_bytes(written[: len(written) // 2])
    assert replayed(arguments, capsys) == whole
    assert journal.read_bytes() == written
    assert main(["replay", *arguments, "--period", "2"]) == 2
    assert "is the journal of another replay: options of the command are others" in capsys.readouterr().err
    assert journal.read_bytes() == written


def test_an_interrupted_replay_says_how_to_go_on(
    workload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a journal, the same command goes on from there."""
    journal = tmp_path / "journal"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "add", interrupt)
    assert main(["replay", workload, "--checkpoint", str(journal)]) == 130
    assert f"interrupted; the same command goes on from {journal}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "1", "--seeds", "2"], "--seed and --seeds are both given: keep one"),
        (["--at", "5", "--seeds", "2"], "--at writes one snapshot, and 2 replays are asked for"),
        (["--checkpoint", "x", "--seeds", "2"], "--checkpoint saves one replay, and 2 are asked for"),
        (["--period", "0"], "'0' is no time at all"),
        (["--until", "0"], "'0' is no time at all"),
        (["--until", "soon"], "'soon' is not a span of time"),
        (["--until", "9999999d"], "'9999999d' is longer than 100 years"),
    ],
)
def test_options_that_contradict_one_another_are_refused(
    workload: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is replayed, and with exit status 2."""
    assert main(["replay", workload, *options]) == 2
    assert message in capsys.readouterr().err


def test_a_replay_ends_where_only_the_time_changes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a plugin that decides by the time, a replay ends some sessions after the last event."""
    monkeypatch.setattr(engine, "MOST_IDLE", 5)
    path = tmp_path / "sla.yaml"
    conf = '\nscheduler: |\n  actions: "enqueue, allocate"\n  tiers:\n  - plugins:\n    - name: gang\n    - name: sla\n'
    path.write_text(WORKLOAD.replace("replicas: 2, cpu: 2, arrival: 5", "cpu: 9, arrival: 5") + conf, encoding="utf-8")
    result = replayed([str(path), "--seed", "0", "--period", "10"], capsys)
    assert result["jobs"][1]["started"] is None
    assert result["makespan"] is None
    assert result["jobs"][0]["completed"] < result["end"] < 200


UNENDING = """\
apiVersion: vqs/v1
kind: Scenario
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
jobs:
- {name: again, cpu: 1, duration: 0.1, maxRetry: 2000000000, policies: [{event: TaskCompleted, action: RestartJob}]}
"""
ALONE = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: alone, namespace: default}
spec: {tasks: [{replicas: 1, name: w, template: {spec: {containers: [{name: c, image: x}]}}}]}
"""


def test_a_replay_without_end_is_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A job that restarts again and again is stopped by a number of events, and the first line names it."""
    path = tmp_path / "unending.yaml"
    path.write_text(UNENDING, encoding="utf-8")
    limits = ["--seed", "0", "--max-events", "120"]
    stopped = replayed([str(path), *limits], capsys)["stopped"]
    assert (stopped["events"], stopped["job"]) == (120, "default/again")
    assert stopped["pods"] > 5
    assert main(["replay", str(path), *limits]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert "stopped after 120 events" in first
    assert "default/again" in first


def test_events_without_a_limit_grow_with_the_pods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --max-events there is a limit, too, which leaves room for each pod that has arrived."""
    monkeypatch.setattr(engine, "EVENTS", 20)
    monkeypatch.setattr(engine, "EVENTS_OF_A_POD", 30)
    path = tmp_path / "unending.yaml"
    path.write_text(UNENDING, encoding="utf-8")
    assert replayed([str(path), "--seed", "0"], capsys)["stopped"]["events"] == 50


def test_a_replay_that_ends_is_not_stopped(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A replay that comes to its end below the limit says nothing of one."""
    assert replayed([workload, "--seed", "0"], capsys)["stopped"] is None


def test_a_moment_after_the_limit_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cluster at a time that the replay did not get to is said to be that of an earlier time."""
    path = tmp_path / "unending.yaml"
    path.write_text(UNENDING, encoding="utf-8")
    assert main(["replay", str(path), "--seed", "0", "--max-events", "120", "--at", "1h"]) == 0
    assert "stopped after 120 events" in capsys.readouterr().err


def test_a_job_is_all_there_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A workload of one job, without nodes, is replayed: the job waits."""
    path = tmp_path / "alone.yaml"
    path.write_text(ALONE, encoding="utf-8")
    [job] = replayed([str(path), "--seed", "0", "--until", "1h"], capsys)["jobs"]
    assert job["started"] is None
