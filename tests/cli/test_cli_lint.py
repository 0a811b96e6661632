"""`vqs lint`, as a user meets it."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from vqs.cli.commands import lint
from vqs.cli.main import main
from vqs.lint.registry import RULES

GOOD = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: research}
spec: {weight: 1}
"""
BAD = GOOD.replace("weight: 1", "weight: -1")
ODD = f"{GOOD}---\napiVersion: scheduling.volcano.io/v1beta1\nkind: Queue\nmetadata: {{name: other}}\n"
CONF = "actions: enqueue, allocate, backfil\n"


@pytest.fixture(autouse=True)
def _nothing_piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody feed standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Return a function that writes a file into the working directory, which is empty otherwise."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (GOOD, [], 0),
        (BAD, [], 1),
        (ODD, [], 0),
        (ODD, ["--fail-on", "warning"], 1),
        (ODD, ["--fail-on", "WARNING", "--exit-zero"], 0),
        (BAD, ["--exit-zero"], 0),
        (BAD, ["--ignore", "invalid-weight"], 0),
        (BAD, ["--ignore", "wrong-type,Invalid-*"], 0),
        (ODD, ["--select", "wrong-type", "--select", "unknown-kind, invalid-value,"], 0),
        (BAD, ["--select", "gang-*"], 1),
        (BAD, ["--select", "gang-*", "--ignore", "invalid-weight"], 0),
        (BAD, ["--select", "invalid-*"], 1),
    ],
)
def test_exit_status(file: Callable[[str, str], str], text: str, options: list[str], code: int) -> None:
    """It is 1 where something is as bad as --fail-on, of what was looked for."""
    assert main(["lint", file("queue.yaml", text), *options]) == code


def test_findings_are_on_stdout(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing on stderr, and the last line counts."""
    assert main(["lint", file("queue.yaml", BAD)]) == 1
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[0].startswith("queue.yaml:4:16: error: invalid-weight: ")
    assert out.splitlines()[-1] == "1 error in 1 file. vqs rule invalid-weight explains"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.yaml"], "missing.yaml: cannot be read: No such file or directory\nerror: 1 error in the input"),
        (["broken.yaml"], "broken.yaml:2:1: not valid YAML"),
        (["list.yaml"], "list.yaml:1:3: $[0]: expected a Kubernetes object"),
        (["bare.yaml"], "if this is the scheduler's configuration, give it with --conf"),
        (["good.yaml", "--conf", "missing.conf"], "missing.conf: cannot be read"),
        (["a.conf", "b.conf"], "there is more than one scheduler configuration: a.conf and b.conf"),
        (["a.conf", "--conf", "b.conf"], "more than one scheduler configuration: a.conf and b.conf"),
        (["good.yaml", "--select", "invalid-wieght"], "no rule 'invalid-wieght' (did you mean 'invalid-weight'?)"),
        (["good.yaml", "--ignore", "x-*"], "--ignore: there is no rule 'x-*'; `vqs rule` lists those there are"),
        (["good.yaml", "--ignore", "*"], "--select and --ignore leave no rule to run"),
        (["good.yaml", "--select", "queue-limit"], "queue-limit is a verdict on tasks, not a lint rule"),
        (["good.yaml", "--fail-on", "eror"], "did you mean 'error'?"),
        (["good.yaml", "--format", "sarf"], "did you mean 'sarif'?"),
        (["good.yaml", "-q", "-v"], "--quiet shows the summary only"),
        (["good.yaml", "-f", "table", "-o", "good.yaml"], "it is one of the files to read"),
        ([], "kubectl get ... -o json | vqs lint"),
    ],
)
def test_what_cannot_be_done(
    file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """What cannot be read, or is asked for wrongly, ends with 2 and says what would do."""
    file("good.yaml", GOOD)
    file("broken.yaml", "a:\n[")
    file("list.yaml", "- 1\n")
    file("bare.yaml", CONF)
    file("a.conf", CONF)
    file("b.conf", CONF)
    assert main(["lint", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


@pytest.mark.parametrize("arguments", [["--conf", "volcano-scheduler.conf"], ["volcano-scheduler.conf"]])
def test_a_configuration_alone(
    file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    """It can be looked at without manifests, named as such or as a file."""
    file("volcano-scheduler.conf", CONF)
    assert main(["lint", *arguments, "--select", "unknown-action"]) == 1
    assert capsys.readouterr().out.startswith("volcano-scheduler.conf:1:29: error: unknown-action: ")


def test_a_configuration_beside_manifests(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """It counts as the one to use."""
    arguments = ["lint", file("queue.yaml", BAD), file("my.conf", CONF), "--select", "unknown-action,invalid-weight"]
    assert main([*arguments, "--format", "json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["configuration"] == "my.conf"
    assert [(each["file"], each["code"]) for each in result["findings"]] == [
        ("my.conf", "unknown-action"),
        ("queue.yaml", "invalid-weight"),
    ]


def test_the_environment(
    file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each option can be set there, and the files."""
    monkeypatch.setenv("VQS_SNAPSHOT", file("queue.yaml", ODD))
    monkeypatch.setenv("VQS_FORMAT", "github")
    monkeypatch.setenv("VQS_FAIL_ON", "warning")
    monkeypatch.setenv("VQS_SELECT", "unknown-kind,wrong-type")
    assert main(["lint"]) == 1
    assert capsys.readouterr().out.startswith("::warning file=queue.yaml,line=6,col=13,title=unknown-kind::")
    monkeypatch.setenv("VQS_EXIT_ZERO", "1")
    assert main(["lint"]) == 0
    monkeypatch.setenv("VQS_SELECT", "nothing")
    assert main(["lint"]) == 2
    assert "(VQS_SELECT is set to 'nothing')" in capsys.readouterr().err


def test_standard_input(tmp_path: Path, pipe_in: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """What is piped in is looked at where no files are named, beside a configuration too."""
    conf = tmp_path / "volcano-scheduler.conf"
    conf.write_text("actions: enqueue, allocate, backfill\n", encoding="utf-8")

    def piped(text: str, *arguments: str) -> tuple[int, str]:
        pipe_in(text)
        return main(["lint", *arguments]), capsys.readouterr().out

    assert piped(BAD)[1].startswith("<stdin>:4:16: error: invalid-weight: ")
    assert piped(BAD, "-")[0] == 1
    assert "invalid-weight" in piped(BAD, "--conf", str(conf))[1]
    assert piped("", "--conf", str(conf))[0] == 0


def test_output_file(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The result goes to a file, its summary and what was left out to stderr."""
    text = f"{GOOD.replace('weight: 1', 'weight: one')}"
    assert main(["lint", file("queue.yaml", text), "-f", "sarif", "-o", "lint.sarif"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "left out, as there are errors in the input\n" in err
    assert err.endswith("1 error in 1 file; written to lint.sarif\n")
    assert json.loads((tmp_path / "lint.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_quiet(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """Only the summary is shown."""
    assert main(["lint", file("queue.yaml", BAD), "-q"]) == 1
    assert capsys.readouterr() == ("1 error in 1 file\n", "")


def test_verbose(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is silenced is shown too, with the reason."""
    text = BAD.replace("weight: -1}", "weight: -1} # vqs: ignore[invalid-weight] a trial")
    assert main(["lint", file("queue.yaml", text), "-v"]) == 0
    out = capsys.readouterr().out
    assert "    - silenced: a trial\n" in out
    assert re.search(r"no findings in 1 file, with 1 Queue; 1 silenced; \d+ rules left out\n$", out)


def test_files_without_findings_are_counted(
    file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The configuration is one of them; a file that is given twice is named."""
    name = file("queue.yaml", BAD)
    main(
        ["lint", name, name, "--conf", file("my.conf", CONF.replace("backfil", "backfill")), "--select", "unknown-kind"]
    )
    out = capsys.readouterr().out
    assert "note: queue.yaml: given more than once; it is read once\n" in out
    assert "1 error in 1 of 2 files" in out


def test_terminal(file: Callable[[str, str], str], on_terminal: Callable[[Sequence[str]], str]) -> None:
    """On a terminal, lines are as wide as it is; colours go off on request."""
    name = file("queue.yaml", BAD)
    text = on_terminal(["lint", name, "--exit-zero", "--no-color"])
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("queue.yaml\n4:16 error invalid-weight: ")
    assert "\x1b[" in on_terminal(["lint", name, "--exit-zero"])


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs schema lint` prints a schema that says what it is."""
    assert main(["schema", "lint"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$id"] == "urn:vqs:schema:lint:v2"
    assert schema["$defs"]["Lint"]["properties"]["schema"] == {"enum": ["vqs/lint/v2"]}


def test_the_codes_in_the_help_exist() -> None:
    """Each code that an example of the help selects or ignores is that of a rule."""
    given = re.findall(r"--(?:select|ignore) '?([\w*-]+)", lint.run.epilog or "")
    assert given
    assert [pattern for pattern in given if not any(fnmatchcase(code, pattern) for code in RULES)] == []


@pytest.mark.parametrize("named", [["package.json", "queue.yaml", "nginx.conf"], ["package.json"], ["nginx.conf"]])
def test_files_that_a_hook_names(
    named: list[str], file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """With --only-manifests, what is no manifest is left out, and it is told where nothing was looked at."""
    for name, text in (("queue.yaml", GOOD), ("package.json", '{"name": "x"}'), ("nginx.conf", "user nginx;\n")):
        file(name, text)

    assert main(["lint", "--only-manifests", *named]) == 0
    said = capsys.readouterr().out
    assert ("no findings in 1 file, with 1 Queue" in said) == ("queue.yaml" in named)
    assert ("nothing was looked at" in said) != ("queue.yaml" in named)


def test_a_folder_of_a_repository(file: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]) -> None:
    """A broken manifest in a folder is a finding, and the others are looked at all the same."""
    file("queue.yaml", BAD)
    file("broken.yaml", "apiVersion: v1\nkind: [\n")
    file("values.yaml", "replicas: 1\n")

    assert main(["lint", "."]) == 1
    out = capsys.readouterr().out
    assert "broken.yaml:3:1: error: invalid-yaml: " in out
    assert "queue.yaml:4:16: error: invalid-weight: " in out
    assert "left out: 1 document without apiVersion and kind" in out
