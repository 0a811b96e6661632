"""`vqs render`, as a user meets it."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from vqs.cli.main import main
from vqs.report.formats import Format
from vqs.report.registry import formats_of

ROOT = Path(__file__).parents[2]
SCENARIO = str(ROOT / "scenarios" / "first-look.yaml")
EDIT = ["--set", "queue/research.spec.weight=9"]


def texts_of(kind: str) -> tuple[Format, ...]:
    """Return the formats of a kind that are text."""
    return tuple(each for each in formats_of(kind) if each is not Format.PARQUET)


KINDS: dict[str, tuple[list[str], tuple[Format, ...], int]] = {
    "simulation": (["simulate", SCENARIO], formats_of("Simulation"), 0),
    "cycles": (["simulate", SCENARIO, "--cycles", "2"], formats_of("Cycles"), 0),
    "queues": (["explain-queue", SCENARIO, "--queue", "research"], formats_of("QueueReport"), 0),
    "job": (["explain-job", SCENARIO, "--job", "product/genome-assembly", "--no-remedies"], formats_of("JobReport"), 0),
    "lint": (["lint", SCENARIO], formats_of("Lint"), 0),
    "diff": (["diff-configs", "--on", SCENARIO, *EDIT], formats_of("Diff"), 1),
    "fit": (["fit", "job.yaml", "--on", SCENARIO], formats_of("Fit"), 0),
    "verification": (["verify", SCENARIO, "later.yaml"], formats_of("Verification"), 1),
    "when": (["when", SCENARIO], formats_of("When"), 0),
    "replay": (["replay", "week.yaml"], texts_of("Replay"), 0),
    "replays": (["replay", "week.yaml", "--conf", "a.conf", "--conf", "b.conf"], texts_of("Replays"), 0),
}
MORE_AT_ONCE = {
    ("simulation", "html"),  # asks for the nodes, which a saved result has only with --nodes
    *(("replays", chosen) for chosen in ("table", "markdown", "html")),  # name the files of policies
}
CASES = [(kind, str(chosen)) for kind, (_, known, _) in KINDS.items() for chosen in known]
CONF = "actions: enqueue, allocate, backfill\ntiers:\n- plugins:\n  - name: gang\n  - name: proportion\n"
WEEK = """
apiVersion: vqs/v1
kind: Scenario
nodes: [{name: n1, cpu: 4, memory: 8Gi}]
queues: [{name: a}, {name: b}]
jobs:
  - {name: first, queue: a, replicas: 2, cpu: 2, memory: 1Gi, arrival: 0, duration: 60}
  - {name: second, queue: b, cpu: 4, memory: 1Gi, arrival: 5, duration: 30}
  - {name: huge, queue: b, cpu: 8, memory: 1Gi, arrival: 10, duration: 30}
"""
JOB = (
    "apiVersion: vqs/v1\nkind: Scenario\njobs:\n  - {name: tiny, namespace: ml, queue: research, cpu: 1, memory: 1Gi}\n"
)


def write_workload(folder: Path) -> None:
    """Write a workload, and two configurations to replay it under."""
    (folder / "week.yaml").write_text(WEEK, encoding="utf-8")
    for name in ("a.conf", "b.conf"):
        (folder / name).write_text(CONF, encoding="utf-8")


@pytest.fixture(autouse=True)
def _nothing_piped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    (tmp_path / "job.yaml").write_text(JOB, encoding="utf-8")
    write_workload(tmp_path)
    shutil.copy(SCENARIO, tmp_path / "later.yaml")


@pytest.fixture(scope="module")
def saved() -> dict[str, bytes]:
    """Return the saved results by their kind, each written by the first test that wants it."""
    return {}


@pytest.mark.parametrize(("kind", "chosen"), CASES)
def test_what_is_rendered_later_is_what_is_written_at_once(
    kind: str, chosen: str, saved: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """A saved result has all that a format needs."""
    arguments, _, status = KINDS[kind]
    assert main([*arguments, "--format", chosen]) == status
    at_once = capsys.readouterr().out
    if kind not in saved:
        assert main([*arguments, "--format", "json", "--output", "saved.json"]) == status
        saved[kind] = Path("saved.json").read_bytes()
        capsys.readouterr()
    Path("saved.json").write_bytes(saved[kind])
    assert main(["render", "saved.json", "--format", chosen]) == 0
    if (kind, chosen) not in MORE_AT_ONCE:
        assert capsys.readouterr().out == at_once


def test_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A result can be piped in, and written to a file."""
    assert main(["simulate", SCENARIO, "--format", "json"]) == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(capsys.readouterr().out.encode())))
    assert main(["render", "-", "--format", "markdown", "--output", "report.md"]) == 0
    assert Path("report.md").read_text(encoding="utf-8").startswith("**6 tasks placed")
    assert "written to report.md" in capsys.readouterr().err


def test_a_compressed_result(capsys: pytest.CaptureFixture[str]) -> None:
    """A saved result may have been compressed since; one that is damaged is refused."""
    assert main(["simulate", SCENARIO, "--format", "json", "--output", "saved.json"]) == 0
    packed = gzip.compress(Path("saved.json").read_bytes())
    Path("saved.json.gz").write_bytes(packed)
    assert main(["render", "saved.json.gz", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("**6 tasks placed")
    Path("saved.json.gz").write_bytes(packed[:-9])
    assert main(["render", "saved.json.gz"]) == 2
    assert "cannot read saved.json.gz: this gzip file ends too early" in capsys.readouterr().err


def test_what_is_otherwise_than_in_an_earlier_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    """It is said in each format, of comparisons only."""
    compared = ["diff-configs", "--on", SCENARIO, "--format", "json", "-q", "--output"]
    for name, weight in (("earlier.json", 1), ("later.json", 4)):
        assert main([*compared, name, "--set", f"queue/default.spec.weight={weight}"]) in (0, 1)
    assert main(["render", "later.json", "--since", "earlier.json", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["since"]
    assert found["jobs"]
    assert main(["render", "later.json", "--since", "earlier.json"]) == 0
    assert f"Since the comparison before: {found['jobs'][0]['name']}: " in capsys.readouterr().out
    assert main(["simulate", SCENARIO, "--format", "json", "--output", "session.json", "-q"]) == 0
    for result, earlier, named in (("session.json", "earlier.json", "FILE"), ("later.json", "session.json", "--since")):
        assert main(["render", result, "--since", earlier]) == 2
        assert f"error: {named}: --since compares results of diff-configs" in capsys.readouterr().err


def test_github_summary(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A saved result can be added to the summary of a job."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert main(["diff-configs", "--on", SCENARIO, *EDIT, "--format", "json", "--output", "saved.json"]) == 1
    assert main(["render", "saved.json", "--format", "github", "--github-summary", "-q"]) == 0
    assert capsys.readouterr().out.startswith("::notice ")
    assert Path("summary.md").read_text(encoding="utf-8").startswith("**1 queue")


DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000
DEEP_OF_ANOTHER = f'{{"schema": "vqs/simulation/v0", "x": {DEEP}}}'
"""JSON with more levels than any result has, and than a decoder takes."""


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "it is not JSON"),
        ("PAR1...", [], "it is a table in Parquet: only results that were saved as JSON can be rendered"),
        ("<!doctype html>", [], "it is a page in HTML"),
        ("{}", [], "it is no result of vqs"),
        ('{"schema": "vqs/other/v1"}', [], "it is no result of vqs"),
        ('{"schema": "vqs/job/v1"}', [], "an earlier vqs has written it, as vqs/job/v1, and this one reads vqs/job/v2"),
        (
            '{"schema": "vqs/diff/v99"}',
            [],
            "a later vqs has written it, as vqs/diff/v99, and this one reads vqs/diff/v2",
        ),
        ('{"schema": "vqs/job/v"}', [], "it is no result of vqs"),
        ('{"schema": 1}', [], "it is no result of vqs"),
        pytest.param(DEEP, [], "it is no result of vqs: it is nested too deeply", id="deep"),
        pytest.param(DEEP_OF_ANOTHER, [], "it is no result of vqs: it is nested too deeply", id="deep, of another"),
        (None, [], "cannot read saved.json: No such file"),
        ("{}", ["-q", "-v"], "give one of them"),
        ("{}", ["--format", "pdf"], "'pdf' is not supported"),
        ("{}", ["--output", "saved.json"], "it is one of the files to read"),
        ("{}", ["--github-summary"], "GITHUB_STEP_SUMMARY is not set"),
    ],
)
def test_misuse(
    text: str | None,
    options: Sequence[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What cannot be rendered is refused."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    if text is not None:
        Path("saved.json").write_text(text, encoding="utf-8")
    assert main(["render", "saved.json", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_format_that_is_not_for_this_kind(capsys: pytest.CaptureFixture[str]) -> None:
    """The formats that there are for a result are named."""
    assert main(["simulate", SCENARIO, "--format", "json", "--output", "saved.json", "-q"]) == 0
    assert main(["render", "saved.json", "--format", "sarif"]) == 2
    assert "sarif is no format for this result; supported: table, json, markdown" in capsys.readouterr().err
