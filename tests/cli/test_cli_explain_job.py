"""`vqs explain-job` and `vqs simulate --cycles`, as a user meets them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from vqs.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SPARED = str(SCENARIOS / "preempt-spared-by-gang.yaml")
TAKES = str(SCENARIOS / "preempt-higher-priority.yaml")
FIRST = str(SCENARIOS / "first-look.yaml")
NOBODY = str(SCENARIOS / "preempt-same-priority-nobody.yaml")
PING_PONG = str(SCENARIOS / "ping-pong.yaml")
STANDSTILL = str(SCENARIOS / "hierarchy-parent-missing.yaml")
ANSWER = (
    "default/urgent is not placed: the cluster is full: jobs of queue default hold all 8 cpu that all "
    "nodes have together, so a task that requests 2 has to wait. preempt "
    "found no task to evict for it: none of 4 candidates may be evicted, as on both nodes the plugin gang spares "
    "every task that the others would evict, such as default/train-worker-0: evicting it would leave 3 tasks of "
    "default/train; its gang needs 4."
)
WITH_FIX = f"{ANSWER} It starts once default/train ends."
ESCAPE = "\x1b"


def test_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    """The answer comes first, and the command to go on with last."""
    assert main(["explain-job", SPARED, "--job", "default/urgent"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == WITH_FIX
    assert out.splitlines()[-1].startswith(f"Next: vqs rule cluster-full says what to do; vqs explain-queue {SPARED}")
    assert err == ""


def test_a_name_without_its_namespace(capsys: pytest.CaptureFixture[str]) -> None:
    """It is enough where there is one job of that name; quiet shows no more than the answer."""
    assert main(["explain-job", SPARED, "--job", "urgent", "--quiet"]) == 0
    assert capsys.readouterr() == (f"{ANSWER}\n", "")


def test_several_jobs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs are explained one after another, in the order in which they are named; fixes are searched for if asked."""
    asked = [FIRST, "--job", "batch/debug-shell", "--job", "nightly-etl"]
    assert main(["explain-job", *asked]) == 0
    said = capsys.readouterr().out
    assert said.startswith("2 jobs explained.\n")
    assert 0 < said.index("\nbatch/debug-shell\n") < said.index("\nbatch/nightly-etl\n")
    assert "Fixes that work" not in said
    saved = tmp_path / "jobs.json"
    assert main(["explain-job", FIRST, "--all", "--budget", "1m", "--format", "json", "-o", str(saved)]) == 0
    found = json.loads(saved.read_text())
    assert found["schema"] == "vqs/jobs/v1"
    assert len(found["jobs"]) == 3
    for each in found["jobs"]:
        job = f"{each['job']['namespace']}/{each['job']['name']}"
        assert main(["explain-job", FIRST, "--job", job, "--budget", "1m", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == each
    assert main(["render", str(saved), "--format", "markdown"]) == 0
    assert "batch/debug-shell" in capsys.readouterr().out


def test_all_jobs_where_none_waits(capsys: pytest.CaptureFixture[str]) -> None:
    """That is said, and is no error."""
    assert main(["explain-job", TAKES, "--remove", "job/default/urgent", "--all"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "0 jobs wait."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SPARED, "--all", "--job", "urgent"], "--all and --job exclude each other"),
        ([SPARED, "--all", "--patch", "fix.diff"], "--patch needs one --job"),
        ([SPARED, "--all", "--format", "html"], "--format html shows one job"),
        ([SPARED, "--job", "urgent", "--job", "nobody"], "there is no job 'nobody'"),
        (
            [SPARED, "--job", ""],
            "--job is empty: name a job as NAMESPACE/NAME, or leave --job out to list all jobs that",
        ),
        ([SPARED, "--sessions", "9"], "--sessions needs --job, or --all: fixes and votes are those of jobs"),
        ([SPARED, "--watch-votes"], "--watch-votes needs --job"),
        ([SPARED, "--job", "default/urgnt"], "there is no job 'default/urgnt' (did you mean 'default/urgent'?)"),
        ([SPARED, "--job", "nobody"], f"there is no job 'nobody'; vqs explain-job {SPARED} lists the jobs that wait"),
        ([SPARED, "--job", "urgent", "--sessions", "0"], "'0' is less than 1"),
        (
            [SPARED, "--job", "urgent", "--sessions", "9", "--no-remedies"],
            "--no-remedies exclude each other: give one of them",
        ),
        ([SPARED, "--job", "urgent", "--format", "jsn"], "did you mean 'json'?"),
        ([SPARED, "--job", "urgent", "-q", "-v"], "--quiet shows the answer only, and --verbose asks for more"),
        ([SPARED, "--job", "urgent", "--now", "noon"], "is not a time with a zone"),
        ([SPARED, "--job", "urgent", "--format", "table", "--output", SPARED], "it is one of the files to read"),
        (["no-such-file.yaml", "--job", "urgent"], "no-such-file.yaml"),
        (["--job", "urgent"], "pipe a snapshot in (kubectl get ... -o json | vqs explain-job), or set VQS_SNAPSHOT"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, refused: Callable[[Sequence[str]], str]) -> None:
    """What cannot be done exits with 2, says what would do, and writes nothing."""
    assert message in refused(["explain-job", *arguments])


def test_standstill(capsys: pytest.CaptureFixture[str]) -> None:
    """That nothing is scheduled is the first line; it is an answer, and no error."""
    assert main(["explain-job", STANDSTILL, "--job", "web"]) == 0
    assert capsys.readouterr().out.startswith("Scheduling is blocked in all queues: queue staging has the parent")


def test_piped(pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """A snapshot that is piped in is read, and what is written to a pipe has no colours and no width."""
    pipe_in(Path(SPARED).read_text(encoding="utf-8"))
    assert main(["explain-job", "--job", "urgent"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == WITH_FIX
    assert "vqs explain-queue piped.yaml --queue default" in out
    assert ESCAPE not in out
    assert err == ""


def test_the_environment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option can be set there, and a refused value tells so."""
    for name, value in {"SNAPSHOT": SPARED, "JOB": "urgent", "REMEDIES": "0"}.items():
        monkeypatch.setenv(f"VQS_{name}", value)
    assert main(["explain-job"]) == 0
    assert "No fix was searched for." in capsys.readouterr().out
    monkeypatch.setenv("VQS_JOB", "nobody")
    assert main(["explain-job"]) == 2
    assert "(VQS_JOB is set to 'nobody')" in capsys.readouterr().err


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer is told on stderr, where the rest goes to a file."""
    path = tmp_path / "answer.md"
    assert main(["explain-job", SPARED, "--job", "urgent", "-f", "markdown", "-o", str(path)]) == 0
    assert capsys.readouterr() == ("", f"{WITH_FIX} Written to {path}\n")
    assert path.read_text(encoding="utf-8").startswith("**default/urgent is not placed")


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return the document."""
    assert main(["explain-job", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    """It says what it is, and views change nothing in it."""
    document = explained(capsys, SPARED, "--job", "urgent")
    assert (document["schema"], document["blockedAt"]) == ("vqs/job/v2", "queue")
    assert document == explained(capsys, SPARED, "--job", "urgent", "-v")
    assert document == explained(capsys, SPARED, "--job", "urgent", "-q")


def test_the_budget_of_the_search(capsys: pytest.CaptureFixture[str]) -> None:
    """How long fixes are searched for can be said, how many changes are tried, and whether any."""
    for none in (["--no-remedies"], ["--budget", "0"]):
        assert explained(capsys, SPARED, "--job", "urgent", *none)["fixSearch"] is None
    usual = explained(capsys, SPARED, "--job", "urgent")["fixSearch"]
    assert (usual["maxSessions"], usual["ended"], len(usual["fixes"])) == (None, "", 4)
    assert explained(capsys, SPARED, "--job", "urgent", "--remedies", "--budget", "1h")["fixSearch"] == usual
    few = explained(capsys, SPARED, "--job", "urgent", "--sessions", "1")["fixSearch"]
    assert (few["sessions"], few["ended"]) == (1, "changes")
    short = explained(capsys, SPARED, "--job", "urgent", "--budget", "1ms")["fixSearch"]
    assert (short["sessions"], short["ended"], len(short["notTried"])) == (1, "time", 6)


def test_a_budget_for_no_search(capsys: pytest.CaptureFixture[str]) -> None:
    """Options that contradict one another are refused."""
    assert main(["explain-job", SPARED, "--job", "urgent", "--budget", "5s", "--no-remedies"]) == 2
    assert "--budget and --no-remedies exclude each other" in capsys.readouterr().err


def test_votes_that_are_watched(capsys: pytest.CaptureFixture[str]) -> None:
    """They are kept for every node and every search."""
    few, all_of_them = (
        explained(capsys, NOBODY, "--job", "second", *more)["searches"] for more in ([], ["--watch-votes"])
    )
    assert [len(each["nodeVotes"]) for each in few if each["victimsFrom"] == "queue"] == [2, 0]
    assert [len(each["nodeVotes"]) for each in all_of_them if each["victimsFrom"] == "queue"] == [2, 2]


def test_options_of_the_session(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The time, the seed and the configuration are those that were given."""
    conf = tmp_path / "volcano-scheduler.conf"
    conf.write_text('actions: "allocate"\ntiers:\n- plugins:\n  - name: capacity\n', encoding="utf-8")
    more = ("--now", "2026-05-01T00:00:00Z", "--seed", "3", "--conf", str(conf))
    session = explained(capsys, SPARED, "--job", "urgent", *more)["session"]
    assert (session["now"], session["seed"], session["actions"]) == ("2026-05-01T00:00:00Z", 3, ["allocate"])


@pytest.mark.parametrize("document", ["job", "cycles"])
def test_the_schema(document: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The schema of the document is published."""
    assert main(["schema", document]) == 0
    assert json.loads(capsys.readouterr().out)["$id"] == f"urn:vqs:schema:{document}:v2"


def test_completion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs come from the files on the command line, formats from what there is."""
    monkeypatch.setattr("sys.argv", ["vqs"])
    monkeypatch.setenv("_VQS_COMPLETE", "bash_complete")
    for words, expected in {
        "--job ": ["default/train", "default/urgent"],
        "--job default/u": ["default/urgent"],
        "--format j": ["json"],
    }.items():
        line = f"vqs explain-job {SPARED} {words}"
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        main()
        assert capsys.readouterr().out.split() == [f"plain,{word}" for word in expected]


# --- evictions and cycles in `vqs simulate` ---------------------------------------------------------------------------


def test_who_is_evicted_for_whom(capsys: pytest.CaptureFixture[str]) -> None:
    """The table says so of each task, and the decisions of each statement, with the plugins that decided."""
    assert main(["simulate", TAKES, "--trace"]) == 0
    out = capsys.readouterr().out
    assert (
        "evicted: the task is evicted from node node-0 by preempt, for default/urgent-worker-0 of the same queue" in out
    )
    assert (
        "evict default/sweep-worker-5, default/sweep-worker-4 on node-0 for default/urgent-worker-0, allowed by "
        "priority, gang, conformance (tier 1); pipeline default/urgent-worker-0 on node-0"
    ) in out


def test_cycles(capsys: pytest.CaptureFixture[str]) -> None:
    """Each session is a line, and the last one is shown whole; ping-pong is named at both ends."""
    assert main(["simulate", PING_PONG, "--cycles", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == lines[-1]
    assert lines[0].startswith("Eviction loop: default/busy is evicted again each time it is placed, in cycles 1 to 3")
    assert lines[3] == "3 sessions ran, one second apart; the cluster is not stable yet"
    assert [line.split()[0] for line in lines[6:9]] == ["1", "2", "3"]


def test_cycles_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    """They are an array, the first of which is what there is without them."""
    assert main(["simulate", TAKES, "--format", "json"]) == 0
    once = json.loads(capsys.readouterr().out)
    assert main(["simulate", TAKES, "--format", "json", "--cycles", "9"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "vqs/cycles/v2"
    assert document["settled"]
    assert [job.pop("outlook")["startsInSession"] for job in once["jobs"] if "outlook" in job] == [2]
    first = document["cycles"][0]["simulation"]
    told = [job.pop("reason", "") for job in (*once["jobs"], *first["jobs"])]
    assert any(told)  # of what follows, too
    assert first == once
    assert "cycles" not in once


def test_expectations_are_of_the_first_cycle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One that does not hold there exits with 1, whatever comes later."""
    path = tmp_path / "wrong.yaml"
    text = Path(TAKES).read_text(encoding="utf-8")
    path.write_text(text.replace("urgent: pipelined", "urgent: committed"), encoding="utf-8")
    assert main(["simulate", str(path), "--cycles", "3", "-q"]) == 1
    out, err = capsys.readouterr()
    assert out.startswith("3 sessions ran, one second apart")
    assert "job urgent: decision = committed, found pipelined" in err


def test_cycles_have_to_be_some(capsys: pytest.CaptureFixture[str]) -> None:
    """None is refused."""
    assert main(["simulate", TAKES, "--cycles", "0"]) == 2
    assert "'0' is less than 1" in capsys.readouterr().err


def test_cycles_have_no_place_in_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    """One that shows a single session is refused."""
    assert main(["simulate", TAKES, "--cycles", "2", "--format", "html"]) == 2
    assert "--cycles has the formats table, json, markdown, not html" in capsys.readouterr().err


def test_cycles_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The summary of the last session is told on stderr then."""
    path = tmp_path / "cycles.md"
    assert main(["simulate", PING_PONG, "--cycles", "2", "-f", "markdown", "-o", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(f"pending; written to {path}\n")
    assert path.read_text(encoding="utf-8").startswith("**Eviction loop: ")
