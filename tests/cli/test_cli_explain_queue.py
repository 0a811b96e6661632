"""`vqs explain-queue`, as a user meets it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from vqs.cli.main import main

SCENARIOS = Path(__file__).parents[2] / "scenarios"
WEIGHTS = str(SCENARIOS / "deserved-weights-and-limits.yaml")
TREE = str(SCENARIOS / "hierarchy-queue-above-is-full.yaml")
STANDSTILL = str(SCENARIOS / "hierarchy-parent-missing.yaml")
OVERVIEW = (
    "3 queues: 1 holds all that it deserves and is overused (C); 2 request more than they hold (A and B); "
    "1 requests more than its limit "
    "(A: 80 cpu with a limit of 50)."
)
ESCAPE = "\x1b"

NO_PLUGIN = """
apiVersion: vqs/v1
kind: Scenario
scheduler: |
  actions: "enqueue, allocate"
  tiers:
  - plugins:
    - name: gang
    - name: predicates
nodes: [{cpu: 4}]
queues: [{name: a}, {name: idle}]
jobs: [{name: x, queue: a, replicas: 1, cpu: 1}]
"""


@pytest.fixture
def no_plugin(tmp_path: Path) -> str:
    """Return a snapshot in which nobody divides the cluster."""
    path = tmp_path / "no-plugin.yaml"
    path.write_text(NO_PLUGIN, encoding="utf-8")
    return str(path)


def test_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a name all queues are shown, the summary before the last line, which names what to do next."""
    assert main(["explain-queue", WEIGHTS]) == 0
    out, err = capsys.readouterr()
    says = "says what the queue gets, and why its jobs wait"
    assert out.splitlines()[-2:] == [OVERVIEW, f"Next: vqs explain-queue {WEIGHTS} --queue A {says}"]
    assert err == ""


def test_one_queue(capsys: pytest.CaptureFixture[str]) -> None:
    """With a name, the answer comes first."""
    assert main(["explain-queue", WEIGHTS, "--queue", "A"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Queue A holds 28 of the 28 cpu that it deserves.\n")
    assert out.splitlines()[-1].endswith(f"vqs simulate {WEIGHTS} --queue A shows its jobs")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([WEIGHTS, "--queue", "D"], "there is no queue 'D': there are A, B, C"),
        ([TREE, "--queue", "reserch"], "there is no queue 'reserch': did you mean 'research'?"),
        ([WEIGHTS, "--queue", ""], "--queue: the name is empty"),
        ([WEIGHTS, "--resource", "gpu"], "there is no resource 'gpu'; there are cpu, memory, pods"),
        ([WEIGHTS, "--resource", "cpus", "--resource", "mem"], "there is no resource 'cpus'; did you mean 'cpu'?"),
        ([WEIGHTS, "--depth", "0"], "'0' is less than 1"),
        ([WEIGHTS, "--depth", "two"], "'two' is not a whole number"),
        ([WEIGHTS, "--format", "prometeus"], "did you mean 'prometheus'?"),
        ([WEIGHTS, "-q", "-v"], "--quiet shows the answer only, and --verbose asks for more"),
        ([WEIGHTS, "--now", "noon"], "is not a time with a zone"),
        ([WEIGHTS, "--output", "no/such/folder/x"], "there is no folder no/such/folder"),
        ([WEIGHTS, "--format", "table", "--output", WEIGHTS], "it is one of the files to read"),
        (["no-such-file.yaml"], "no-such-file.yaml"),
        ([], "pipe a snapshot in (kubectl get ... -o json | vqs explain-queue), or set VQS_SNAPSHOT"),
    ],
)
def test_usage_errors(arguments: list[str], message: str, refused: Callable[[Sequence[str]], str]) -> None:
    """What cannot be done exits with 2, says what would do, and writes nothing."""
    assert message in refused(["explain-queue", *arguments])


def test_broken_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors in the input are told with their places, and nothing is explained."""
    path = tmp_path / "broken.yaml"
    path.write_text(NO_PLUGIN.replace("cpu: 4", "cpu: four"), encoding="utf-8")
    assert main(["explain-queue", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path}:" in err
    assert err.splitlines()[-1] == "error: 1 error in the input, nothing was done"


def test_standstill(capsys: pytest.CaptureFixture[str]) -> None:
    """That nothing is scheduled is the first line; it is an answer, and no error."""
    for arguments in ([], ["--queue", "staging"], ["--quiet"]):
        assert main(["explain-queue", STANDSTILL, *arguments]) == 0
        assert capsys.readouterr().out.startswith("Scheduling is blocked in all queues: queue staging has the parent")


def test_no_queue_plugin(no_plugin: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without one there is nothing to explain, in no format; of a queue that is asked for, its spec is told."""
    said = "Queues have no deserved share and no limit: neither proportion nor capacity is configured"
    assert main(["explain-queue", no_plugin]) == 0
    assert f"{said}." in capsys.readouterr().out
    assert main(["explain-queue", no_plugin, "--format", "prometheus"]) == 0
    assert capsys.readouterr() == ("", f"note: {said}\n")
    assert main(["explain-queue", no_plugin, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["queues"] == []
    assert main(["explain-queue", no_plugin, "--queue", "a", "--quiet"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "The deserved share and the limit of queue a are not known: neither proportion nor capacity is configured.",
        "Its spec says: Open; weight 1; capability none; deserved none; guarantee none.",
    ]


def test_a_queue_without_jobs(capsys: pytest.CaptureFixture[str]) -> None:
    """That nobody looks at it is an answer, in every format, and its metrics can be had alone."""
    said = "The deserved share and the limit of queue default are not known: proportion considers only queues with jobs"
    arguments = ["explain-queue", WEIGHTS, "--queue", "default"]
    for format_ in ("table", "markdown", "html"):
        assert main([*arguments, "--format", format_]) == 0
        assert said in capsys.readouterr().out
    assert main([*arguments, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "explained" not in found
    assert (found["spec"]["name"], found["spec"]["capability"]) == ("default", {})
    assert main([*arguments, "--format", "prometheus"]) == 0
    out = capsys.readouterr().out
    assert 'queue_name="default"' in out
    assert 'queue_name="A"' not in out


def test_piped(pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """A snapshot that is piped in is read, and what is written to a pipe has no colours and no width."""
    pipe_in(Path(WEIGHTS).read_text(encoding="utf-8"))
    assert main(["explain-queue", "--queue", "A"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("Queue A holds 28 of the 28 cpu that it deserves")
    assert "vqs simulate piped.yaml --queue A shows its jobs; piped.yaml stands for what was piped in" in out
    assert ESCAPE not in out
    assert max(map(len, out.splitlines())) > 80
    assert err == ""


def test_the_environment(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every option can be set there, and a refused value tells so."""
    for name, value in {"SNAPSHOT": WEIGHTS, "QUEUE": "A", "QUIET": "1"}.items():
        monkeypatch.setenv(f"VQS_{name}", value)
    assert main(["explain-queue"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    monkeypatch.setenv("VQS_QUEUE", "D")
    assert main(["explain-queue"]) == 2
    assert "(VQS_QUEUE is set to 'D')" in capsys.readouterr().err


def test_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer is told on stderr, where the rest goes to a file."""
    path = tmp_path / "answer.md"
    assert main(["explain-queue", WEIGHTS, "-f", "markdown", "-o", str(path)]) == 0
    assert capsys.readouterr() == ("", f"{OVERVIEW} Written to {path}\n")
    assert path.read_text(encoding="utf-8").startswith(f"**{OVERVIEW}**\n")


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """Return the document."""
    assert main(["explain-queue", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    """It says what it is, and views change nothing in it."""
    document = explained(capsys, WEIGHTS, "--queue", "A")
    assert (document["schema"], document["plugin"]) == ("vqs/queues/v2", "proportion")
    assert document["explained"]["derivation"]["plugin"] == "proportion"
    assert document == explained(capsys, WEIGHTS, "--queue", "A", "-v", "--resource", "pods", "--depth", "1")
    assert "explained" not in explained(capsys, WEIGHTS)


def test_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """The schema of the document is published."""
    assert main(["schema", "queues"]) == 0
    assert json.loads(capsys.readouterr().out)["$id"] == "urn:vqs:schema:queues:v2"


def test_options_of_the_session(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The time, the seed and the configuration are those that were given."""
    conf = tmp_path / "volcano-scheduler.conf"
    conf.write_text('actions: "allocate"\ntiers:\n- plugins:\n  - name: capacity\n', encoding="utf-8")
    more = ("--now", "2026-05-01T00:00:00Z", "--seed", "3", "--conf", str(conf))
    document = explained(capsys, str(SCENARIOS / "real-capability.yaml"), *more)
    session = document["session"]
    assert (session["now"], session["seed"], session["actions"]) == ("2026-05-01T00:00:00Z", 3, ["allocate"])
    assert document["plugin"] == "capacity"


def test_completion(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Queues and resources come from the files on the command line, formats from what there is."""
    monkeypatch.setattr("sys.argv", ["vqs"])
    monkeypatch.setenv("_VQS_COMPLETE", "bash_complete")
    for words, expected in {
        "--queue ": ["A", "B", "C"],
        "--resource c": ["cpu"],
        "--format p": ["prometheus"],
    }.items():
        line = f"vqs explain-queue {WEIGHTS} {words}"
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        main()
        assert capsys.readouterr().out.split() == [f"plain,{word}" for word in expected]


def test_a_reader_who_has_seen_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed pipe is no error."""

    class Closed(io.TextIOWrapper):
        def __init__(self) -> None:
            super().__init__(io.BytesIO(), encoding="utf-8")

        @property
        def buffer(self) -> Any:
            raise BrokenPipeError

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Closed())
        patch.setattr("vqs.cli.command.forget_stdout", lambda: None)
        assert main(["explain-queue", WEIGHTS]) == 0
