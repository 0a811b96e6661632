"""The commands that are named to go on with run as they are printed."""

from __future__ import annotations

import io
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.explain.jobs.test_remedies import SCENARIOS, not_placed
from tests.kubectl_dumps import QUEUE, two_queues, write_dump
from vqs.cli.main import kubectl_plugin, main
from vqs.snapshot.reading.reader import read_manifests

PRINTED: Final = re.compile(r"((?:kubectl )?vqs .*?)(?=\)| (?:says|shows|finds|tells|makes|explains)\b|\n)")
EDITS: Final = (
    *("--set", "queue/default.spec.weight=2", "--set", 'conf.actions="enqueue, allocate"'),
    *("--now", "2026-03-02T12:00:00Z", "--seed", "3"),
)
HOSTILE: Final = '-it\'s $HOME; `id`  & "b".yaml'
SCENARIO: Final = """\
apiVersion: vqs/v1
kind: Scenario
nodes: [{count: 1, cpu: 4, memory: 8Gi}]
queues: [{name: "a"}]
jobs: [{name: big, queue: a, replicas: 60, cpu: 1, memory: 1Gi}]
"""


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> _Said:
    """Return what runs a command and reads the commands that it prints."""
    return _Said(capsys)


class _Said:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def text(self, arguments: Sequence[str]) -> str:
        """Run a command that works, and return all that it says."""
        status = main(arguments)
        captured = self.capsys.readouterr()
        assert status in (0, 1), (arguments, captured.err)
        return captured.out + captured.err

    def commands(self, arguments: Sequence[str]) -> list[list[str]]:
        """Run a command, and return the commands that it prints, as a shell takes them apart."""
        printed = PRINTED.findall(self.text(arguments))
        return [shlex.split(each)[1:] for each in printed]


_ran: set[str] = set()


def run_each(said: _Said, commands: Sequence[Sequence[str]]) -> None:
    """Run commands, each once."""
    for command in commands:
        if shlex.join(command) not in _ran:
            _ran.add(shlex.join(command))
            assert said.text(command)


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(0, len(SCENARIOS), 2), ids=lambda number: SCENARIOS[number].stem)
def test_over_scenarios(number: int, said: _Said) -> None:
    """What the commands on a scenario name runs, of every second one after edits, which are named too."""
    file = SCENARIOS[number]
    edits = EDITS if number % 4 else ()
    jobs = not_placed(read_manifests([str(file)]))
    asked = [["explain-job", str(file), "--job", job, "--no-remedies", *edits] for job in jobs[:1]]
    asked += [["explain-queue", str(file), *edits]] if jobs else [["simulate", str(file), *edits]]
    for arguments in asked:
        printed = said.commands(arguments)
        run_each(said, printed)
        for command in printed:
            if command[0] not in ("rule", "lint"):
                assert set(edits) <= set(command)


@pytest.mark.parametrize("command", ["simulate", "explain-queue", "explain-job", "lint"])
def test_names_for_a_shell(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: _Said) -> None:
    """Names of files with blanks, quotes, dollars and a dash at the front are written for a shell."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / HOSTILE).write_text(SCENARIO)
    (tmp_path / "-usage edits.yaml").write_text("[clone-node node-0=1]")
    more = ["--job", "big"] if command == "explain-job" else []
    more += [] if command == "lint" else ["--edits", "-usage edits.yaml"]
    printed = said.commands([command, f"./{HOSTILE}", *more])
    run_each(said, printed)
    assert printed


def test_dash_at_the_front(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: _Said) -> None:
    """A file whose name looks like an option is named so that it is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-f").write_text(SCENARIO)
    printed = said.commands(["explain-queue", "--", "-f"])
    assert printed == [["explain-queue", "./-f", "--queue", "a"]]
    run_each(said, printed)


@pytest.mark.parametrize("command", ["explain-queue", "explain-job"])
def test_what_may_be_read(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: _Said) -> None:
    """The limits of what may be read are passed on."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "snapshot.yaml").write_text(SCENARIO)
    limits = [f"--root={tmp_path}", "--max-bytes=1MB", "--max-files=3", "--max-pods=9"]
    printed = said.commands(
        [command, "snapshot.yaml", *(["--job", "big"] if command == "explain-job" else []), *limits]
    )
    run_each(said, printed)
    on_files = [each for each in printed if "snapshot.yaml" in each]
    assert on_files
    assert all(
        {"--root", str(tmp_path), "--max-bytes", "1000000", "--max-files", "3", "--max-pods", "9"} <= {*each}
        for each in on_files
    )


@pytest.mark.parametrize("command", ["simulate", "explain-queue", "explain-job"])
def test_piped_in(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: _Said) -> None:
    """What was piped in cannot be read again: it is said to which file it has to be saved."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCENARIO.encode())))
    more = ["--job", "big"] if command == "explain-job" else []
    text = said.text([command, "-", *more])
    printed = [shlex.split(each)[1:] for each in PRINTED.findall(text)]
    assert ("piped.yaml stands for what was piped in" in text) is any("piped.yaml" in each for each in printed)
    (tmp_path / "piped.yaml").write_text(SCENARIO)
    run_each(said, printed)


def test_as_a_plugin(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Called as a plugin of kubectl, the program names itself so."""
    monkeypatch.setattr(sys, "argv", ["kubectl-vqs", "simulate", str(SCENARIOS[0])])
    assert kubectl_plugin() == 0
    assert "Next: kubectl vqs rule " in capsys.readouterr().out


def test_first_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: _Said) -> None:
    """What `vqs init` names runs, whatever the file is called."""
    monkeypatch.chdir(tmp_path)
    printed = said.commands(["init", "my first.yaml"])
    assert printed == [["simulate", "my first.yaml"]]
    run_each(said, printed)


def test_on_a_terminal(on_terminal: Callable[..., str], said: _Said) -> None:
    """A command that is broken into lines on a terminal is one command for a shell."""
    shown = on_terminal(["explain-queue", str(SCENARIOS[0]), *EDITS, "--no-color"])
    following = shown[shown.index("Next:") :]
    assert " \\\n" in following
    [command] = PRINTED.findall(following.replace("\\\n", ""))
    assert shlex.split(command)[-2:] == ["--queue", "default"]
    run_each(said, [shlex.split(command)[1:]])


def test_saved_result(tmp_path: Path, said: _Said) -> None:
    """A saved result tells only how its input was called: what is not sure to be a file is left to the reader."""
    saved = tmp_path / "result.json"
    for edits, named in (((), str(SCENARIOS[0])), (EDITS[:2], "FILES")):
        assert main(["explain-queue", str(SCENARIOS[0]), *edits, "--format", "json", "--output", str(saved)]) == 0
        said.capsys.readouterr()
        assert said.commands(["render", str(saved)])[0][:2] == ["explain-queue", named]


WORSE: Final = "queue/batch.spec.weight=12"
CONFIGURATION: Final = 'actions: "enqueue, backfill"\ntiers:\n- plugins:\n  - name: predicates\n'


@pytest.mark.parametrize(
    ("arguments", "goes_on"),
    [
        (["--on", "dump.json", "--set", WORSE], ["explain-job", "dump.json", "--set", WORSE, "--job", "ml/web"]),
        (["new.conf", "--on", "dump.json"], ["explain-job", "dump.json", "--conf", "new.conf", "--job", "ml/train"]),
        (["dump.json", "dump.json", "--set", WORSE], ["explain-job", "dump.json", "--set", WORSE, "--job", "ml/web"]),
        (["batch.yaml", "--on", "dump.json"], ["rule", "queue-limit"]),
        (["--on", "dump.json", "--set", "queue/batch.spec.weight=4"], None),
    ],
    ids=["an edit", "a configuration", "two snapshots", "manifests on a snapshot", "no difference"],
)
def test_a_comparison_goes_on_with_who_is_worse_off(
    arguments: list[str], goes_on: list[str] | None, said: _Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job that is worse off is explained in the candidate, or what blocks it where that takes two inputs."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())
    Path("batch.yaml").write_text(QUEUE.replace("weight: 4", "weight: 12"), encoding="utf-8")
    Path("new.conf").write_text(CONFIGURATION, encoding="utf-8")
    commands = said.commands(["diff-configs", *arguments])
    assert commands == ([goes_on] if goes_on else [])
    run_each(said, commands)


@pytest.mark.parametrize("form", ["json", "github", "gitlab", "sarif", "junit"])
def test_machines_are_not_told_what_is_next(
    form: str, said: _Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A format for machines has no line that names a command."""
    monkeypatch.chdir(tmp_path)
    write_dump(Path("dump.json"), two_queues())
    assert "Next:" not in said.text(["diff-configs", "--on", "dump.json", "--set", WORSE, "--format", form])


def test_flags_of_the_scheduler_and_plugins_are_kept(said: _Said) -> None:
    """A command to go on with runs the same scheduler, with the same plugins of one's own."""
    sharding = ("--scheduler-sharding-mode", "hard", "--scheduler-sharding-name", "agent")
    flags = (*sharding, "--csi-storage", "--scheduler-flag", "plugins-dir=/plugins")
    own = ("--plugin", "docs.example.max_jobs:MaxJobsPlugin")
    (command,) = said.commands(["explain-job", "scenarios/node-shards.yaml", *flags, *own])
    assert command == ["simulate", "scenarios/node-shards.yaml", *flags, *own]


def test_the_release_and_its_behaviours_are_kept(said: _Said) -> None:
    """Another release would explain another decision."""
    release = ["--volcano", "1.13", "--behaviour", "root-deserved=sum-of-children"]
    text = said.text(["explain-job", "docs/example/snapshot.json", "--job", "research/train", *release])
    assert f"vqs simulate docs/example/snapshot.json {' '.join(release)} " in text
