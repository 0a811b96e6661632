"""The command line as a whole."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests.forked import ran
from vqs import __version__
from vqs.cli import command, process
from vqs.cli.app import COMMANDS
from vqs.cli.commands.schema import Document
from vqs.cli.main import main
from vqs.report.saved import RESULTS
from vqs.report.schema import INPUTS

VQS = (sys.executable, "-m", "vqs")
FULL = Path("/dev/full")
HEAVY = ("numpy", "yaml", "msgspec", "rich.table", "vqs.engine", "vqs.snapshot.cluster", "vqs.snapshot.reading.reader")
UNUSED = (
    "importlib.metadata",
    "jsonschema",
    "numpy.ma",
    "prometheus_client",
    "pydantic",
    "rich.console",
    "vqs.engine.actions.shuffle",
    "vqs.engine.cel",
    "vqs.engine.plugins.deviceshare",
    "vqs.explain.cycles",
)
"""What a session with the usual plugins, which is shown as a table, has no use for."""
COMMAND_MODULES = "vqs.cli.commands."
SCENARIO = str(Path(__file__).parents[2] / "scenarios" / "real-capability.yaml")


def test_help_is_printed_without_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs` alone says what there is, as `vqs --help` does."""
    assert main([]) == 0
    alone = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == alone
    assert re.search(r"simulate +Run one scheduling session on a snapshot\.", alone)


@pytest.mark.parametrize("command", ["simulate", "explain-queue", "lint", "expand", "init", "rule", "schema"])
def test_every_command_has_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of a command shows how it is used."""
    assert main([command, "--help"]) == 0
    assert f"Examples:\n    vqs {command}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints the version."""
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"vqs {__version__}\n"


def test_every_result_has_a_schema() -> None:
    """What commands write, and what people write, are the documents of `vqs schema`."""
    assert {each.value for each in Document} == {*RESULTS, *INPUTS}


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs schema simulation` prints a schema that says what it is, and knows the tag of the document."""
    assert main(["schema", "simulation"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == "urn:vqs:schema:simulation:v2"
    assert schema["$defs"]["Simulation"]["properties"]["schema"] == {"enum": ["vqs/simulation/v2"]}


@pytest.mark.skipif(not FULL.exists(), reason="there is no such device")
@pytest.mark.parametrize("arguments", [["--help"], ["simulate", "--help"], ["rule"], ["schema", "simulation"]])
def test_output_that_has_no_room(arguments: list[str]) -> None:
    """What cannot be written is an error, told in one line."""
    with FULL.open("wb") as stdout:
        run = ran(arguments, stdout=stdout.fileno())
    assert (run.code, run.err) == (2, b"error: cannot write: No space left on device\n")


def test_help_for_a_reader_who_has_gone() -> None:
    """A reader of the help who has seen enough is no error."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        run = subprocess.run([*VQS, "--help"], check=False, stdout=stdout, stderr=subprocess.PIPE)  # noqa: S603 - this project's own
    assert (run.returncode, run.stderr) == (0, b"")


QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: default}\n"
IMPORTS = """
import json, sys
from vqs.cli.main import main
for arguments in json.loads(sys.argv[1]):
    main(arguments)
    print("imported:", *sys.modules)
"""


def test_commands_import_what_they_need(tmp_path: Path) -> None:
    """Help and what is said of misuse load nothing that only a session needs, and a session nothing that others need.

    The list of commands imports none of them, and one command no other. A snapshot without a scenario needs no schema.
    """
    helps = [["simulate", "--help"], ["explain-job", "--help"], ["explain-queue", "--help"]]
    misuses = [["diff-configs", "--nonsense"], ["nonsense"]]
    (tmp_path / "queue.yaml").write_text(QUEUE, encoding="utf-8")
    snapshot = ["simulate", str(tmp_path / "queue.yaml")]
    commands = [["--help"], ["lint", "--help"], *helps, *misuses, snapshot, ["simulate", SCENARIO]]
    run = subprocess.run([sys.executable, "-c", IMPORTS, json.dumps(commands)], check=True, capture_output=True)  # noqa: S603 - this project's own
    lines = [line for line in run.stdout.decode().splitlines() if line.startswith("imported: ")]
    by_list, by_lint, *_, by_misuse, by_snapshot, by_session = ({*line.split()} for line in lines)
    assert len(lines) == len(commands)
    assert not [name for name in by_list if name.startswith(COMMAND_MODULES)]
    assert {name for name in by_lint if name.startswith(COMMAND_MODULES)} == {f"{COMMAND_MODULES}lint"}
    assert by_misuse.isdisjoint(HEAVY)
    assert by_snapshot.isdisjoint({"vqs.snapshot.scenario.schema", "vqs.snapshot.scenario.validation"})
    assert by_session.issuperset({"numpy", "msgspec", "vqs.engine", "vqs.snapshot"})
    by_numpy = subprocess.check_output([sys.executable, "-c", "import sys, numpy; print(*sys.modules)"], text=True)
    assert by_session.isdisjoint({*UNUSED} - {*by_numpy.split()})  # numpy 1 imports numpy.ma itself


def test_every_command_has_a_module() -> None:
    """What the list of commands names is declared in a module of that name."""
    modules = {path.stem for path in (Path(command.__file__).parent / "commands").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in COMMANDS} == modules
    for module in modules:
        assert import_module(f"{COMMAND_MODULES}{module}").run.name == module.replace("_", "-")


def test_a_module_that_is_missing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What fails while a command imports what it runs with is reported like what fails while it runs."""
    monkeypatch.setitem(sys.modules, "vqs.report.as_json", None)
    monkeypatch.delattr("vqs.report.as_json", raising=False)
    assert main(["schema", "simulation"]) == 2
    assert "this is a bug: ModuleNotFoundError" in capsys.readouterr().err


def test_examples_in_docstrings_hold() -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(process)
    assert outcome.attempted
    assert not outcome.failed
