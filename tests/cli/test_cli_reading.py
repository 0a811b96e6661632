"""What commands may read and write, as a user meets it."""

from __future__ import annotations

import doctest
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.changes import CLUSTER, QUEUE, git
from tests.forked import ran
from vqs import paths
from vqs.cli import options
from vqs.cli.main import main
from vqs.snapshot.reading import compression

SECRET = 'password: {"hunter2'  # noqa: S105 - of nothing
BAD = QUEUE % ("x", 1) + "---\n" + (QUEUE % ("y", 1)).replace("weight: 1", "parent: gone")
READING = ("simulate", "explain-queue", "explain-job", "diff-configs", "fit", "verify", "lint", "render", "expand")
Refused = "Callable[[Sequence[str]], str]"


@pytest.fixture(autouse=True)
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a repository that has a secret beside it, with nothing piped in."""
    (tmp_path / "secret.yaml").write_text(SECRET, encoding="utf-8")
    repository = tmp_path / "repo"
    (repository / "queues").mkdir(parents=True)
    monkeypatch.chdir(repository)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    Path("cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    Path("bad.yaml").write_text(BAD, encoding="utf-8")


@pytest.mark.parametrize("module", [compression, paths, options])
def test_examples_in_docstrings_hold(module: object) -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(module)  # type: ignore[arg-type]
    assert outcome.attempted
    assert not outcome.failed


@pytest.mark.parametrize("command", [*READING, "anonymize"])
def test_every_command_that_reads(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each command that reads files says how to allow more and less of them."""
    assert main([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert all(option in told for option in ("--root DIR", "--max-bytes SIZE", "--max-files N", "--max-pods N"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--max-bytes", "1kB"], "cluster.yaml: this is"),
        (["--max-bytes", "100"], "longer than the 100 bytes"),
        (["--max-bytes", "0"], "'0' is less than 1"),
        (["--max-bytes", "much"], "'much' is not a size"),
        (["--max-files", "x"], "'x' is not a whole number"),
        (["--root", "gone"], "gone"),
        (["--root", ""], "Invalid value for '--root': the name of the folder is empty"),
        (["--root="], "Invalid value for '--root': the name of the folder is empty"),
        (["--root", "queues"], "this is not beneath a folder of --root"),
    ],
)
def test_limits(arguments: list[str], said: str, refused: Callable[[Sequence[str]], str]) -> None:
    """A limit is kept, and one that is none is explained."""
    if "1kB" in arguments:
        assert main(["simulate", "cluster.yaml", *arguments]) == 0
    else:
        assert said in refused(["simulate", "cluster.yaml", *arguments])


def test_limits_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[[Sequence[str]], str], tmp_path: Path
) -> None:
    """Limits can be set as all options can; several folders are separated as in a search path."""
    spaced = tmp_path / "a b"
    spaced.mkdir()
    monkeypatch.setenv("VQS_ROOT", os.pathsep.join([str(spaced), "queues"]))
    assert "not beneath a folder of --root" in refused(["lint", "cluster.yaml"])
    monkeypatch.setenv("VQS_ROOT", os.pathsep.join([str(spaced), "."]))
    monkeypatch.setenv("VQS_MAX_BYTES", "10")
    assert "--max-bytes" in refused(["lint", "cluster.yaml"])
    monkeypatch.delenv("VQS_MAX_BYTES")
    assert main(["lint", "cluster.yaml"]) == 0


def test_both_sides_share_a_limit(refused: Callable[[Sequence[str]], str]) -> None:
    """What is read in one run is counted together, whichever option names it."""
    length = len(CLUSTER) + 10
    assert "--max-bytes" in refused(["diff-configs", "cluster.yaml", "cluster.yaml", "--max-bytes", str(length)])
    assert main(["diff-configs", "cluster.yaml", "cluster.yaml", "--max-bytes", str(2 * length)]) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "LINK"],
        ["simulate", "cluster.yaml", "--conf", "LINK"],
        ["simulate", "cluster.yaml", "--expect", "LINK"],
        ["simulate", "cluster.yaml", "--usage", "LINK"],
        ["simulate", "cluster.yaml", "--add", "LINK"],
        ["simulate", "cluster.yaml", "--edits", "LINK"],
        ["diff-configs", "--on", "cluster.yaml", "LINK"],
        ["lint", "--conf", "LINK"],
        ["fit", "LINK", "--on", "cluster.yaml"],
        ["verify", "cluster.yaml", "LINK"],
        ["render", "LINK"],
        ["anonymize", "cluster.yaml", "--key", "LINK"],
        ["anonymize", "--reveal", "LINK", "--key", "cluster.yaml"],
        ["expand", "LINK"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("link", ["x.conf", "x.yaml"])
def test_links_out_of_the_repository(arguments: list[str], link: str, refused: Callable[[Sequence[str]], str]) -> None:
    """A link in place of a file that a command reads leads nowhere, and nothing of what is there is shown."""
    Path(link).symlink_to("../secret.yaml")
    told = refused([link if each == "LINK" else each for each in arguments])
    assert "hunter2" not in told
    assert "leads elsewhere" in told or "not a key of vqs" in told


@pytest.mark.parametrize("target", ["../victim", ".git/hooks/pre-push", "/dev/full"])
@pytest.mark.parametrize("place", ["result.json", "out/result.json"])
def test_a_result_is_not_written_through_a_link(
    target: str, place: str, refused: Callable[[Sequence[str]], str]
) -> None:
    """A result goes where the command line says, not where a link leads that somebody has put there."""
    Path(".git/hooks").mkdir(parents=True)
    if place == "result.json":
        Path(place).symlink_to(target)
    else:
        Path("out").symlink_to(Path(target).parent)
    for command in ("simulate", "lint", "expand", "anonymize"):
        assert "leads elsewhere" in refused([command, "cluster.yaml", "-o", place])
    assert "leads elsewhere" in refused(["init", place])
    assert "leads elsewhere" in refused(["capture", "-o", place])
    assert "leads elsewhere" in refused(["replay", "cluster.yaml", "--checkpoint", place])
    assert "leads elsewhere" in refused(["anonymize", "cluster.yaml", "-o", "a.json", "--key", place])
    if place != "result.json":
        assert "leads elsewhere" in refused(["anonymize", "cluster.yaml", "bad.yaml", "-o", "out"])
    assert not Path("../victim").exists()
    assert list(Path(".git/hooks").iterdir()) == []


def test_a_result_is_written_through_a_link_that_stays() -> None:
    """A link within the folder is written through, as before."""
    Path("results").mkdir()
    Path("latest.json").symlink_to("results/one.json")
    assert main(["simulate", "cluster.yaml", "-f", "json", "-o", "latest.json"]) == 0
    assert Path("latest.json").is_symlink()
    assert json.loads(Path("results/one.json").read_text(encoding="utf-8"))["schema"] == "vqs/simulation/v2"


def test_a_draft_is_nobody_elses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is written before it gets its name does not follow links that wait for it."""
    victim = tmp_path / "victim"
    for number in range(os.getpid() - 2, os.getpid() + 3):
        Path(f".result.json.{number}").symlink_to(victim)
    assert main(["simulate", "cluster.yaml", "-o", "result.json"]) == 0
    monkeypatch.setattr(os, "urandom", bytes)
    Path(f".result.json.{bytes(8).hex()}").symlink_to(victim)
    assert main(["simulate", "cluster.yaml", "-o", "result.json"]) == 2
    assert not victim.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "s.yaml"],
        ["explain-queue", "s.yaml"],
        ["explain-job", "s.yaml", "--job", "train"],
        ["diff-configs", "--on", "s.yaml", "--set", "queue/a.spec.weight=2"],
        ["diff-configs", "s.yaml", "cluster.yaml"],
        ["fit", "s.yaml", "--on", "bad.yaml"],
        ["verify", "s.yaml", "cluster.yaml"],
        ["lint", "s.yaml"],
        ["expand", "s.yaml"],
        ["anonymize", "s.yaml"],
        ["anonymize", "s.yaml", "-o", "other.json", "--key"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("how", ["itself", "link", "hard link"])
def test_an_include_is_not_overwritten(arguments: list[str], how: str, refused: Callable[[Sequence[str]], str]) -> None:
    """A result that would take the place of a file that is included is refused, by whatever name."""
    Path("s.yaml").write_text("apiVersion: vqs/v1\nkind: Scenario\ninclude: queues/in.yaml\n", encoding="utf-8")
    Path("queues/in.yaml").write_text(CLUSTER, encoding="utf-8")
    target = Path("queues/in.yaml")
    if how == "link":
        target = Path("out.yaml")
        target.symlink_to("queues/in.yaml")
    elif how == "hard link":
        target = Path("out.yaml")
        target.hardlink_to("queues/in.yaml")
    format_given = () if arguments[0] == "anonymize" else ("--format", "json")
    told = refused([*arguments, *(() if "--key" in arguments else (*format_given, "-o")), str(target)])
    assert "the result is to be written to this file" in told or "not a key of vqs" in told
    assert Path("queues/in.yaml").read_text(encoding="utf-8") == CLUSTER


def test_process_substitution(capsys: pytest.CaptureFixture[str]) -> None:
    """Pipes that a shell makes of commands are read by the names that it gives them."""
    with ExitStack() as readers:
        names = []
        for _ in range(2):
            reader, writer = os.pipe()
            readers.callback(os.close, reader)
            with os.fdopen(writer, "w", encoding="utf-8") as written:
                written.write(CLUSTER)
            names.append(f"/dev/fd/{reader}")
        assert main(["diff-configs", *names, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["differs"] is False


@pytest.fixture
def _history(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit a folder with a scenario that includes a file beside the folder's others, and change both."""
    del monkeypatch
    Path("common").mkdir()
    Path("common/b.yaml").write_text(QUEUE % ("new", 1), encoding="utf-8")
    Path("queues/all.yaml").write_text("apiVersion: vqs/v1\nkind: Scenario\ninclude: ../common\n", encoding="utf-8")
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    Path("common/b.yaml").write_text(QUEUE % ("new", 7), encoding="utf-8")


@pytest.mark.usefixtures("_history")
def test_what_a_revision_includes(capsys: pytest.CaptureFixture[str]) -> None:
    """What a scenario includes is taken from the same revision, where it may be read."""
    arguments = ["diff-configs", "--base-ref", "main", "queues", "--on", "cluster.yaml", "--no-lint", "-f", "json"]
    assert main([*arguments, "--root", "."]) in (0, 1)
    result = json.loads(capsys.readouterr().out)
    assert "main:common/b.yaml" in result["before"]["files"]
    assert "common/b.yaml" in result["after"]["files"]
    [queue] = [each for each in result["queues"] if each["name"] == "new"]
    assert queue["change"] == "changed"
    assert main(arguments) == 2
    assert "main:queues/all.yaml:3:10: $.include: this is outside of what may be read" in capsys.readouterr().err


@pytest.mark.usefixtures("_history")
@pytest.mark.parametrize("target", ["../../secret.yaml", "{parent}/secret.yaml", "../.git/config", "/dev/zero"])
def test_what_a_revision_must_not_include(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a revision, nothing is read that is out of reach here."""
    included = target.format(parent=tmp_path)
    Path("queues/all.yaml").write_text(f"apiVersion: vqs/v1\nkind: Scenario\ninclude: {included}\n", encoding="utf-8")
    git("commit", "-am", "second")
    Path("queues/all.yaml").unlink()
    assert main(["diff-configs", "--base-ref", "main", "queues", "--on", "cluster.yaml", "--root", "."]) == 2
    told = capsys.readouterr().err
    assert "hunter2" not in told
    assert "main:queues/all.yaml:3:10: $.include: " in told


@pytest.mark.usefixtures("_history")
def test_the_limit_holds_for_revisions(refused: Callable[[Sequence[str]], str]) -> None:
    """What a revision has is counted before it is there."""
    Path("queues/large.yaml").write_text("#" * 5000, encoding="utf-8")
    git("add", ".")
    git("commit", "-m", "second")
    Path("queues/large.yaml").unlink()
    arguments = ["diff-configs", "--base-ref", "main", "queues", "--on", "cluster.yaml", "--root", "."]
    assert "longer than the 4,000 bytes" in refused([*arguments, "--max-bytes", "4kB"])


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["lint", "bad.yaml"], 1),
        (["lint", "cluster.yaml"], 0),
        (["diff-configs", "--on", "cluster.yaml", "--set", "queue/a.spec.weight=9"], 1),
        (["simulate", "cluster.yaml", "--expect", "expected.yaml"], 1),
        (["fit", "large.yaml", "--on", "cluster.yaml", "--sessions", "0"], 1),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_a_reader_who_has_gone(arguments: list[str], status: int) -> None:
    """A reader who has seen enough is no error, and changes no answer."""
    Path("expected.yaml").write_text("counts: {placed: 99}\n", encoding="utf-8")
    Path("large.yaml").write_text(
        "apiVersion: vqs/v1\nkind: Scenario\njobs: [{name: large, queue: a, replicas: 90, cpu: 4}]\n", encoding="utf-8"
    )
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = ran(arguments, stdout=writer)
    finally:
        os.close(writer)
    assert b"Traceback" not in done.err
    assert b"rror:" not in done.err
    assert done.code == status, done.err


def test_an_interrupt_during_imports() -> None:
    """Who interrupts the start sees no traceback."""
    code = """
import sys
class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
from vqs.cli.main import main
sys.exit(main(["simulate", "cluster.yaml"]))
"""
    for module in ("click", "vqs.cli.commands.simulate", "vqs.cli.command", "vqs.engine", "msgspec"):
        done = subprocess.run([sys.executable, "-c", code, module], check=False, capture_output=True)  # noqa: S603
        assert (done.returncode, done.stdout, done.stderr) == (130, b"", b""), module


NAMES = (b"caf\xe9.yaml", "größe.yaml".encode())
ON_ANY_FILE = """
import os
from vqs.cli.main import main
def told(name):
    yield main(["diff-configs", "--on", name, "--add", name, "--no-lint", "-f", "json", "-o", "diff.json"])
    edit = "queue/a.spec.weight=9"
    yield main(["diff-configs", "--on", name, "--set", edit, "--no-lint", "-f", "json", "-o", f"{name}.json"])
    for layout in ("table", "html", "json", "markdown"):
        yield main(["simulate", name, "-f", layout, "-o", f"result.{layout}"])
    for layout in ("table", "github", "json", "sarif", "junit", "gitlab"):
        yield main(["lint", name, "bad.yaml", "-f", layout, "-o", f"lint.{layout}"])
"""
"""Runs a command of each kind on a file, and yields their exit codes."""


@pytest.mark.parametrize("strict", [False, True])
def test_names_of_files_in_any_encoding(strict: bool) -> None:
    """A file of whatever name is read and told of in every format, in every locale."""
    try:
        for name in NAMES:
            Path(os.fsdecode(name)).write_text(CLUSTER, encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    code = f"{ON_ANY_FILE}print([[*told(os.fsdecode(name))] for name in {NAMES}])"
    locale = {"LC_ALL": "C", **({"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"} if strict else {})}
    done = subprocess.run(  # noqa: S603 - this project's own
        [sys.executable, "-c", code],
        check=False,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **locale},
    )
    assert b"this is a bug" not in done.stderr
    assert done.stdout, done.stderr
    assert json.loads(done.stdout) == 2 * [[2, 1, *[0] * 4, *[1] * 6]], done.stderr
    for name in NAMES:
        told = json.loads(Path(os.fsdecode(name + b".json")).read_text(encoding="utf-8"))
        assert told["before"]["name"] == name.decode(errors="backslashreplace")
    for path in (*Path().glob("result.*"), *Path().glob("lint.*")):
        path.read_text(encoding="utf-8")
