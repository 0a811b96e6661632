"""What runs the points of a plan: the options that choose it, and what they refuse."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from vqs.cli import plans
from vqs.cli.main import main

PLAN = "scenarios/queue-weight.plan.yaml"

REFUSED = {
    "--scheduler tcp://h:8786": "--scheduler is for a cluster of Dask: add --engine dask",
    "--engine dask --tls-ca README.md": "--tls-ca is for the scheduler of a cluster: name it with --scheduler tls://",
    "--engine dask --scheduler tcp://h:8786 --jobs 2": "--jobs is for processes of this machine, and --scheduler names",
    "--engine dask --scheduler tcp://h:8786 --tls-key README.md": "--tls-key is for a scheduler that is reached by tls",
    "--engine dask --scheduler tls://h:8786": "--scheduler tls://h:8786 needs --tls-ca and --tls-cert, too",
    "--engine dask --scheduler tls://h:8786 --tls-ca a.pem --tls-cert b.pem": "there is no file a.pem",
    "--engine dask --scheduler h:8786": "'h:8786' is not an address, such as tcp://HOST:8786 or tls://HOST:8786",
    "--engine spark": "'spark' is not supported; supported: local, dask",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_does_not_fit_together(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Options that contradict one another are refused before anything is read."""
    assert main(["sweep", PLAN, *options.split()]) == 2
    assert REFUSED[options] in capsys.readouterr().err


def test_dask_is_not_installed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the packages of Dask, it is said how they are installed."""
    monkeypatch.setattr(plans, "find_spec", lambda name: None if name == "distributed" else find_spec(name))
    assert main(["sweep", PLAN, "--engine", "dask"]) == 2
    assert "--engine dask needs distributed: pip install 'vqs[dask]'" in capsys.readouterr().err


def test_the_result_does_not_depend_on_the_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sweep on a cluster of Dask has the very bytes of one in this process; so has one that goes on elsewhere."""
    journal = tmp_path / "journal"
    assert main(["sweep", PLAN, "--jobs", "1", "--format", "json"]) == 0
    expected = capsys.readouterr().out
    assert main(["sweep", PLAN, "--engine", "dask", "--jobs", "1", "--format", "json", "--journal", str(journal)]) == 0
    assert capsys.readouterr().out == expected
    *finished, _ = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(finished), encoding="utf-8")
    assert main(["sweep", PLAN, "--jobs", "1", "--format", "json", "--journal", str(journal)]) == 0
    assert capsys.readouterr().out == expected


def test_a_scheduler_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a cluster fails, it is said how to go on."""
    monkeypatch.setattr("vqs.sweep.engines.dask._CONNECTS", 0.2)
    command = ["sweep", PLAN, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"]
    assert main(command) == 2
    assert (
        "\nno point is kept; with --journal FILE, the same command would go on where it was" in capsys.readouterr().err
    )
    assert main([*command, "--journal", str(tmp_path / "journal")]) == 2
    assert f"\nfinished points are in {tmp_path / 'journal'}: the same command goes on" in capsys.readouterr().err
