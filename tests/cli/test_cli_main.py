"""The command line as a whole."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from vqs import __version__
from vqs.cli import environment
from vqs.cli.main import main

VQS = (sys.executable, "-m", "vqs")
FULL = Path("/dev/full")
HEAVY = ("numpy", "yaml", "msgspec", "rich.table", "vqs.engine", "vqs.snapshot")


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


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs schema simulation` prints a schema that says what it is, and knows the tag of the document."""
    assert main(["schema", "simulation"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == "urn:vqs:schema:simulation:v1"
    assert schema["$defs"]["Simulation"]["properties"]["schema"] == {"enum": ["vqs/simulation/v1"]}


@pytest.mark.skipif(not FULL.exists(), reason="there is no such device")
@pytest.mark.parametrize("arguments", [["--help"], ["simulate", "--help"], ["rule"], ["schema", "simulation"]])
def test_output_that_has_no_room(arguments: list[str]) -> None:
    """What cannot be written is an error, told in one line."""
    with FULL.open("wb") as stdout:
        run = subprocess.run([*VQS, *arguments], check=False, stdout=stdout, stderr=subprocess.PIPE, text=True)  # noqa: S603 - this project's own
    assert (run.returncode, run.stderr) == (2, "error: cannot write: No space left on device\n")


def test_help_for_a_reader_who_has_gone() -> None:
    """A reader of the help who has seen enough is no error."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        run = subprocess.run([*VQS, "--help"], check=False, stdout=stdout, stderr=subprocess.PIPE)  # noqa: S603 - as above
    assert (run.returncode, run.stderr) == (0, b"")


def test_help_imports_nothing_heavy() -> None:
    """Help comes at once because it loads nothing that only a session needs."""
    code = (
        f"from vqs.cli.main import main; import sys; main(['--help']); print([n for n in {HEAVY} if n in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)  # noqa: S603
    assert run.stdout.splitlines()[-1] == "[]"


def test_examples_in_docstrings_hold() -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(environment)
    assert outcome.attempted
    assert not outcome.failed
