"""`vqs simulate`, as a user meets it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.forked import ran
from vqs.cli.main import main

OnTerminal = Callable[[Sequence[str]], str]

SNAPSHOT = """\
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "10"}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: job, namespace: team, creationTimestamp: "2026-01-01T00:00:00Z"}
spec: {queue: default, minMember: 1}
status: {phase: Inqueue}
---
apiVersion: v1
kind: Pod
metadata:
  name: pod
  namespace: team
  annotations: {scheduling.k8s.io/group-name: job}
spec:
  schedulerName: volcano
  containers: [{name: c, resources: {requests: {cpu: "1", memory: 1Gi}}}]
status: {phase: Pending}
"""
SUMMARY = "1 task placed, 0 with a reserved node, 0 pending"
USED = "Used: cpu 0% → 25% of 4, memory 0% → 12% of 8Gi"
ESCAPE = "\x1b"


@pytest.fixture
def snapshot_file(tmp_path: Path) -> Path:
    """Return a file with a node and a pod that fits."""
    path = tmp_path / "cluster.yaml"
    path.write_text(SNAPSHOT, encoding="utf-8")
    return path


@pytest.fixture
def broken_file(tmp_path: Path) -> Path:
    """Return a file with two errors."""
    path = tmp_path / "broken.yaml"
    text = SNAPSHOT.replace('cpu: "4"', "cpu: four").replace("minMember: 1", "minMember: one")
    path.write_text(text, encoding="utf-8")
    return path


def test_success(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A session that ran exits with 0, with the result on stdout, its summary last, and nothing on stderr."""
    assert main(["simulate", str(snapshot_file)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[-2:] == [SUMMARY, USED]


def test_json_is_the_same_on_every_run(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another process writes the same bytes as this one, of a document that says what it is."""
    arguments = ["simulate", str(snapshot_file), "--format", "json"]
    assert main(arguments) == 0
    first = capsys.readouterr().out
    command = [sys.executable, "-m", "vqs", *arguments]
    run = subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)  # noqa: S603 - this project's own
    assert run.stdout == first
    assert json.loads(first)["schema"] == "vqs/simulation/v2"
    assert json.loads(first)["scenario"] == str(snapshot_file)


def test_bad_input(broken_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All errors are told at once with their places and lines, on stderr; stdout stays empty; exit 2."""
    assert main(["simulate", str(broken_file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{broken_file}:5:" in err
    assert "cpu: four" in err
    assert f"{broken_file}:10:" in err
    assert "minMember: one" in err
    assert err.splitlines()[-1] == "error: 2 errors in the input, nothing was done"
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate", "--format", "tabel"], "'tabel' is not supported (did you mean 'table'?)"),
        (["simulate", "--now", "2026-01-01"], "is not a time with a zone, such as 2026-03-02T12:00:00Z"),
        (["simulate", "--now", "0001-01-01T00:00:00+14:00"], "is too close to the end of the calendar"),
        (["simulate", ""], "one of the files to read has an empty name"),
        (["simulate", "x.yaml", "--conf", ""], "'--conf': the name of the file is empty"),
        (["simulate", "x.yaml", "--output", ""], "the name of the file is empty"),
        (["simulate", "x.yaml", "-q", "-v"], "--quiet shows the summary only, and --verbose asks for more"),
        (["simulate", "x.yaml", "-q", "--timing"], "--quiet shows the summary only, and --timing asks for more"),
        (["simulate", "--seed", "x"], "'x' is not a whole number"),
        (["simulate", "--volcano", "1.11"], "release '1.11' is not modelled: it is older than 1.12"),
        (["simulate", "--fromat", "json"], "--format"),
        (["simulat"], "'simulate'"),
        (["schema", "simulatoin"], "did you mean 'simulation'?"),
        (["schema"], "'DOCUMENT'"),
        (["simulate"], "there is nothing to read"),
        (["simulate", "no-such-file.yaml"], "no-such-file.yaml"),
    ],
)
def test_usage_errors(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong command line exits with 2 and says in one line what would do; stdout stays empty."""
    monkeypatch.setattr(sys, "stdin", None)
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err.splitlines()[0]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("VQS_FORMAT=jsn", "did you mean 'json'?"),
        ("VQS_QUIET=maybe", "valid boolean"),
        ("VQS_CONF=no-such.conf", "error: 1 error in the input, nothing was done"),
        ("VQS_OUTPUT=json", "'json' is a format: write --format json, or ./json for a file of that name"),
        ("VQS_OUTPUT=no-such-folder/x", "cannot write to no-such-folder/x"),
        ("VQS_SNAPSHOT=no-such.yaml", "error: 1 error in the input, nothing was done"),
        ("VQS_VERBOSE=1", "--quiet shows the summary only, and --verbose asks for more"),
    ],
)
def test_wrong_variable(
    snapshot_file: Path, setting: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value that comes from the environment is refused with the name of the variable."""
    name, _, value = setting.partition("=")
    monkeypatch.setenv(name, value)
    files = [] if name == "VQS_SNAPSHOT" else [str(snapshot_file)]
    assert main(["simulate", *files, *(["-q"] if name == "VQS_VERBOSE" else [])]) == 2
    last = capsys.readouterr().err.splitlines()[-1]
    assert message in last
    assert f"({name} is set to '{value}')" in last


def test_options_from_the_environment(
    snapshot_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment names the snapshot and sets options; the command line goes first."""
    monkeypatch.setenv("VQS_SNAPSHOT", str(snapshot_file))
    monkeypatch.setenv("VQS_FORMAT", "json")
    monkeypatch.setenv("VQS_SEED", "7")
    monkeypatch.setenv("VQS_NOW", "2026-02-03T04:05:06Z")
    assert main(["simulate"]) == 0
    session = json.loads(capsys.readouterr().out)["session"]
    assert (session["seed"], session["now"]) == (7, "2026-02-03T04:05:06Z")
    assert main(["simulate", "--format", "table", "-q"]) == 0
    assert capsys.readouterr().out == f"{SUMMARY}\n"


def test_snapshot_from_a_pipe(pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Without files, what is piped in is read; a dash asks for it by name."""
    for arguments in ([], ["-"]):
        pipe_in(SNAPSHOT)
        assert main(["simulate", *arguments]) == 0
        assert "\nVolcano 1.14 on standard input, now 2026-01-01T00:00:00Z: " in capsys.readouterr().out


def test_reading_from_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever types a snapshot is told that it is waited for, and how to end it."""

    class Keyboard(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keyboard(io.BytesIO(SNAPSHOT.encode())))
    assert main(["simulate", "-", "-q"]) == 0
    assert capsys.readouterr() == (f"{SUMMARY}\n", "reading standard input; end with Ctrl-D\n")


def test_output_file(snapshot_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A result that goes to a file leaves stdout empty; stderr has the summary; nothing else is left in the folder."""
    target = tmp_path / "out" / "result.json"
    target.parent.mkdir()
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    assert main(["simulate", str(snapshot_file), "-f", "json", "-o", str(target)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[-1] == f"{SUMMARY}; written to {target}"
    assert json.loads(target.read_text(encoding="utf-8"))["tasks"][0]["status"] == "Binding"
    assert target.stat().st_mode & 0o777 == 0o640
    assert list(target.parent.iterdir()) == [target]


def test_the_summary_of_a_filtered_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Stderr counts what the file holds: the tasks that match in a table, and all of them in JSON."""
    scenario = str(Path(__file__).parents[2] / "scenarios" / "first-look.yaml")
    said = []
    for options in (["-f", "table"], ["-f", "table", "--job", "nosuch"], ["-f", "json", "--job", "nosuch"]):
        assert main(["simulate", scenario, *options, "-o", str(tmp_path / "result")]) == 0
        said.append(capsys.readouterr().err.splitlines()[-1])
    assert said[0] == said[2]
    assert said[1].startswith("0 tasks placed, 0 with a reserved node, 0 pending; written to ")


def test_a_snapshot_without_nodes_says_so_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever refuses the tasks, that there is no node is the reason."""
    file = tmp_path / "jobs.yaml"
    file.write_text("apiVersion: vqs/v1\nkind: Scenario\nnodes: []\njobs: [{name: a, cpu: 1}]\n", encoding="utf-8")
    assert main(["simulate", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "Nothing can be placed: the snapshot has no nodes."


def test_failed_run_leaves_no_file(broken_file: Path, tmp_path: Path) -> None:
    """A run that fails does not touch its output file, unless that takes a document that says so."""
    target = tmp_path / "result.txt"
    assert main(["simulate", str(broken_file), "-o", str(target)]) == 2
    assert not target.exists()


@pytest.mark.parametrize("target", ["", "missing/result.json"])
def test_impossible_output(
    snapshot_file: Path, tmp_path: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder, or a file in a folder that is not there, is refused before anything runs."""
    assert main(["simulate", str(snapshot_file), "-o", str(tmp_path / target)]) == 2
    assert capsys.readouterr().err.startswith(f"error: cannot write to {tmp_path / target}: ")


def test_output_to_stdout(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output can be asked for as in other commands."""
    assert main(["simulate", str(snapshot_file), "-q", "-o", "-"]) == 0
    assert capsys.readouterr() == (f"{SUMMARY}\n", "")


def test_output_to_stdout_by_name(snapshot_file: Path) -> None:
    """Standard output can be asked for by the name that the system has for it."""
    run = ran(["simulate", str(snapshot_file), "-q", "-o", "/dev/stdout"])
    assert (run.code, run.out, run.err) == (0, f"{SUMMARY}\n".encode(), b"")


def test_output_to_a_pipe(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is open already, and cannot be replaced, is written to."""
    reader, writer = os.pipe()
    with os.fdopen(reader, encoding="utf-8") as written:
        with os.fdopen(writer, "wb"):
            assert main(["simulate", str(snapshot_file), "-q", "-o", f"/dev/fd/{writer}"]) == 0
        assert written.read() == f"{SUMMARY}\n"
    assert capsys.readouterr() == ("", "")


def test_closed_stdout(
    snapshot_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a standard output there is nowhere to write to."""
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["simulate", str(snapshot_file)]) == 2
    assert capsys.readouterr().err == "error: cannot write: standard output is closed\n"


def test_closed_stderr(snapshot_file: Path, broken_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can be told, the exit code still tells success from an error."""
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["simulate", str(broken_file)]) == 2
    assert main(["simulate", str(snapshot_file)]) == 0


@pytest.mark.parametrize("how", ["file", "link", "folder", "conf", "expect"])
def test_input_is_not_overwritten(
    snapshot_file: Path, tmp_path: Path, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is read is not written to, by whatever name it goes; nothing is run."""
    link = tmp_path / "link"
    link.symlink_to(snapshot_file)
    other = tmp_path / "other"
    other.write_text("actions: allocate\n", encoding="utf-8")
    source, target, options = {
        "file": (snapshot_file, snapshot_file, []),
        "link": (snapshot_file, link, []),
        "folder": (tmp_path, snapshot_file, []),
        "conf": (snapshot_file, other, ["--conf", other]),
        "expect": (snapshot_file, other, ["--expect", other]),
    }[how]
    assert main(["simulate", str(source), "-f", "table", "-o", str(target), *map(str, options)]) == 2
    assert capsys.readouterr() == ("", f"error: cannot write to {target}: it is one of the files to read\n")
    assert snapshot_file.read_text(encoding="utf-8") == SNAPSHOT


def test_stdin_is_not_overwritten(snapshot_file: Path) -> None:
    """A file that the shell feeds in is one of those that are read."""
    with snapshot_file.open("rb") as stdin:
        run = ran(["simulate", "-", "-f", "table", "-o", str(snapshot_file)], stdin=stdin.fileno())
    assert run.code == 2
    assert b"it is one of the files to read" in run.err
    assert snapshot_file.read_text(encoding="utf-8") == SNAPSHOT


def test_choices_in_capitals(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The name of a format is understood in capitals too."""
    assert main(["simulate", str(snapshot_file), "-f", "JSON"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "vqs/simulation/v2"


def test_time_is_told_in_utc(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The time of the session is the same text, in whichever zone it was given."""
    assert main(["simulate", str(snapshot_file), "-f", "json", "--now", "2026-03-02T13:00:00+05:00"]) == 0
    assert json.loads(capsys.readouterr().out)["session"]["now"] == "2026-03-02T08:00:00Z"
    text = snapshot_file.read_text(encoding="utf-8")
    snapshot_file.write_text(text.replace("T00:00:00Z", "T00:00:00-01:00"), encoding="utf-8")
    assert main(["simulate", str(snapshot_file), "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["session"]["now"] == "2026-01-01T01:00:00Z"


def test_filters(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Filters choose what a table shows, and a pattern that matches nothing is named; JSON is whole."""
    arguments = ["simulate", str(snapshot_file), "--status", "Bindin", "--status", "Pending"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert "\nTasks: 0 of 1\n" in out
    assert out.endswith(f"\nNothing matches, of 1 job and 1 task in all\n{USED}\n")
    assert err == (
        "note: no task has the status 'Bindin' (did you mean 'Binding'?)\nnote: no task has the status 'Pending'\n"
    )
    assert main(["simulate", str(snapshot_file), "--queue", "def*", "--job", "team/job"]) == 0
    assert "\nTasks: 1 of 1\n" in capsys.readouterr().out
    assert main([*arguments, "-f", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["tasks"]) == 1


def test_messages_do_not_act_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in what is refused are written out."""
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a\x1b[2J\x07"}, "status": 1}))
    assert main(["simulate", str(path)]) == 2
    err = capsys.readouterr().err
    assert all(line.isprintable() for line in err.splitlines())


def test_colours(snapshot_file: Path, on_terminal: OnTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal has colours, unless an option or the environment says no, or a program is to read the result."""
    arguments = ["simulate", str(snapshot_file)]
    assert ESCAPE in on_terminal(arguments)
    assert ESCAPE not in on_terminal([*arguments, "--no-color"])
    assert ESCAPE not in on_terminal([*arguments, "--format", "json"])
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESCAPE not in on_terminal(arguments)


def test_no_colours_in_a_pipe(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What does not go to a terminal is plain text."""
    assert main(["simulate", str(snapshot_file)]) == 0
    assert ESCAPE not in capsys.readouterr().out


def test_timing(snapshot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Seconds are part of the result only when asked for."""
    assert main(["simulate", str(snapshot_file), "-f", "json", "--timing"]) == 0
    timing = json.loads(capsys.readouterr().out)["timing"]
    assert timing["parse"] > 0
    assert timing["report"] > 0
    assert main(["simulate", str(snapshot_file), "-f", "json"]) == 0
    assert "timing" not in json.loads(capsys.readouterr().out)


def test_internal_error(
    snapshot_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug is told in one line, with the traceback on request; it exits with 2, which no difference does."""

    def fail(*_: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("vqs.explain.outlook.simulate_ahead", fail)
    assert main(["simulate", str(snapshot_file)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: vqs failed, this is a bug: KeyError: 'oops' (--debug shows where)\n"
    assert main(["simulate", str(snapshot_file), "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_interrupt(snapshot_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C exits with 130, silently."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("vqs.explain.outlook.simulate_ahead", interrupt)
    assert main(["simulate", str(snapshot_file)]) == 130
    assert capsys.readouterr() == ("", "")


def test_broken_pipe(snapshot_file: Path) -> None:
    """A reader that has seen enough is no error, and nothing is said about it."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        command = [sys.executable, "-m", "vqs", "simulate", str(snapshot_file)]
        run = subprocess.run(command, check=False, stdout=stdout, stderr=subprocess.PIPE)  # noqa: S603 - this project's own
    assert (run.returncode, run.stderr) == (0, b"")


def test_the_result_names_what_is_switched(capsys: pytest.CaptureFixture[str]) -> None:
    """Next to the release, of which it is no longer what its tag decides."""
    scenario = "tests/releases/scenarios/root-real-capability.yaml"
    assert main(["simulate", scenario, "--volcano", "1.13", "--behaviour", "root-real-capability=unlimited"]) == 0
    assert "Volcano 1.13 with root-real-capability=unlimited on " in capsys.readouterr().out


def test_a_flag_of_the_scheduler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pods of a name that the scheduler is given are its pods; a flag that there is not is refused."""
    file = tmp_path / "pod.yaml"
    file.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
        "  schedulerName: batch\n  containers: [{name: c, image: i}]\n",
        encoding="utf-8",
    )
    command = ["simulate", str(file), "--format", "json"]
    assert main([*command, "--scheduler-flag", "scheduler-name=batch"]) == 0
    assert [job["name"] for job in json.loads(capsys.readouterr().out)["jobs"]] == ["podgroup-pod-p"]
    assert main([*command, "--scheduler-flag", "schedulr-name=batch"]) == 2
    assert "did you mean 'scheduler-name'?" in capsys.readouterr().err
