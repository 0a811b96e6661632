"""`vqs sweep`, from the command line to the file."""

from __future__ import annotations

import csv
import io
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyarrow import parquet
from syrupy.assertion import SnapshotAssertion

from tests.forked import Forked
from tests.runners import commands
from vqs.cli.main import main
from vqs.sweep.evaluate import Evaluator
from vqs.sweep.outcome import Row
from vqs.sweep.space import Point

ROOT = Path(__file__).parents[2]
PLAN = "scenarios/queue-weight.plan.yaml"


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture
def plan_with(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes the bundled plan with some keys changed, and returns its file."""
    (tmp_path / "first-look.yaml").write_bytes((ROOT / "scenarios" / "first-look.yaml").read_bytes())

    def write(**changed: Any) -> str:
        plan = {**yaml.safe_load((ROOT / PLAN).read_text(encoding="utf-8")), **changed}
        file = tmp_path / "plan.yaml"
        file.write_text(
            yaml.safe_dump({key: value for key, value in plan.items() if value is not None}, sort_keys=False),
            encoding="utf-8",
        )
        return str(file)

    return write


def swept(capsys: pytest.CaptureFixture[str], *arguments: str, status: int = 0) -> Any:
    """Run the command, and return the result."""
    assert main(["sweep", *arguments, "--jobs", "1", "-f", "json"]) == status
    return json.loads(capsys.readouterr().out)


def test_the_bundled_plan(capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    """A weight of 4 lets nightly-etl run all of its pods, as the scenario says."""
    assert main(["sweep", PLAN]) == 0
    shown = capsys.readouterr().out
    assert shown == snapshot
    pending = {row["parameters"]["weight"]: row["figures"] for row in swept(capsys, PLAN)["rows"]}
    assert [weight for weight, figures in pending.items() if figures["job:batch/nightly-etl.pending"] == 0] == [4, 5, 6]


def test_on_a_terminal(on_terminal: Callable[..., str], snapshot: SnapshotAssertion) -> None:
    """The table fits a terminal, and -q leaves the answer."""
    assert on_terminal(["sweep", PLAN, "--no-color"]) == snapshot
    first, best, *_ = on_terminal(["sweep", PLAN, "-q", "--no-color"]).splitlines()
    assert first == "6 points run: no condition of --fail-on is met."
    assert best.startswith("#4 (weight=4) and 2 other points are best in every figure")


@pytest.mark.parametrize(
    ("conditions", "status", "points"),
    [("job:batch/nightly-etl.pending>1", 1, [1]), ("placed<base", 1, [1]), ("queue:product.evicted>0", 0, [])],
)
def test_fail_on(capsys: pytest.CaptureFixture[str], conditions: str, status: int, points: list[int]) -> None:
    """A condition that holds for any point fails the command; the points are named."""
    result = swept(capsys, PLAN, "--fail-on", conditions, status=status)
    met = {"condition": conditions, "points": len(points), "first": points}
    assert result["failOn"][-1] == {**met, "known": 6, "unknown": 0}
    assert result["failed"] is bool(status)
    assert main(["sweep", PLAN, "--fail-on", conditions, "--exit-zero", "-q"]) == 0
    shown = capsys.readouterr().out
    assert (f"{conditions} at 1 of 6 points: #1 (weight=1)" in shown) is bool(status)


def test_csv_and_parquet_have_the_same_rows(tmp_path: Path) -> None:
    """Both files have a line for each point, with the same columns and values."""
    texts, table = tmp_path / "points.csv", tmp_path / "points.parquet"
    assert main(["sweep", PLAN, "-o", str(texts), "-q"]) == 0
    assert main(["sweep", PLAN, "-o", str(table), "-q"]) == 0
    lines = [*csv.DictReader(io.StringIO(texts.read_text(encoding="utf-8")))]
    rows = parquet.read_table(table).to_pylist()
    assert [each["weight"] for each in rows] == [1, 2, 3, 4, 5, 6]
    assert [[*each] for each in lines] == [[*each] for each in rows]
    for line, row in zip(lines, rows, strict=True):
        assert {name: str(value) if value is not None else "" for name, value in row.items()} == {
            name: text if not isinstance(row[name], float) else str(float(text)) for name, text in line.items()
        }


def test_no_text_in_csv_is_a_formula(plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """A spreadsheet that opens the rows of a stranger's plan computes nothing of it."""
    plan = plan_with(parameters={"mode": {"options": {"=1+1": [], "@x": []}}}, constraints=None)
    assert main(["sweep", plan, "--format", "csv"]) == 0
    rows = [*csv.DictReader(io.StringIO(capsys.readouterr().out))]
    assert [row["mode"] for row in rows] == ["'=1+1", "'@x"]


def test_a_saved_result_is_rendered(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """What was saved as JSON is written in the other formats as the command writes it."""
    saved = tmp_path / "sweep.json"
    assert main(["sweep", PLAN, "-o", str(saved), "-q"]) == 0
    for name in ("table", "markdown", "csv"):
        main(["sweep", PLAN, "-f", name, "-q"])
        wanted = capsys.readouterr().out
        assert main(["render", str(saved), "-f", name, "-q"]) == 0
        assert capsys.readouterr().out == wanted
    assert main(["render", str(saved), "-o", str(tmp_path / "sweep.parquet")]) == 0
    assert len(parquet.read_table(tmp_path / "sweep.parquet")) == 6


def test_processes_have_the_same_result(capsys: pytest.CaptureFixture[str]) -> None:
    """The document does not depend on how many processes run the points."""
    documents = []
    for jobs in ("1", "3"):
        assert main(["sweep", PLAN, "--jobs", jobs, "-f", "json"]) == 0
        documents.append(capsys.readouterr().out)
    assert documents[0] == documents[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"figures": ["queue:defualt.placed"]}, "there is no queue 'defualt' (did you mean 'default'?)"),
        ({"figures": ["job:nightly-elt.placed"]}, "there is no job 'nightly-elt' (did you mean 'nightly-etl'?)"),
        ({"figures": ["utilisation.gpu"]}, "there is no resource 'gpu'"),
        ({"failOn": "queue:none.evicted>0"}, "plan.yaml:17:9: $.failOn: there is no queue 'none'"),
        ({"parameters": {"n": {"edit": "queue/default.spec.weight={}", "from": 1, "to": 10**9, "step": 1}}},
         "the plan has 1,000,000,000 points, and at most 10,000 are run (choose some of them"),
        ({"constraints": "weight > 9"}, "no point is left"),
        ({"base": "../first-look.yaml"}, "outside of what may be read"),
        ({"parameters": {"weight": {"edit": "queue/default.spec.weigth={}", "values": [1, 2, 3]}}},
         "plan.yaml:7:11: $.parameters.weight.edit: queue/default.spec.weigth=1: spec has no field 'weigth'"),
        ({"parameters": {"n": {"edit": "queue/default.spec.weight={}", "from": 1, "to": 10**6, "step": 1}},
          "constraints": "n > 1"},
         "the parameters have 1,000,000 combinations, and constraints are checked for at most 250,000 of them (choose"),
    ],
)  # fmt: skip
def test_plans_that_are_refused(
    plan_with: Callable[..., str], refused: Callable[[Sequence[str]], str], changed: dict[str, Any], said: str
) -> None:
    """What cannot be run is said before anything is."""
    assert said in " ".join(refused(["sweep", plan_with(**changed)]).split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fail-on", "queue:none.evicted>0"], "--fail-on: there is no queue 'none'"),
        (["--fail-on", "evictons"], "--fail-on: there is no figure 'evictons' (did you mean 'evictions'?)"),
        (["--jobs", "0"], "'0' is less than 1"),
        (["--max-points", "5"], "the plan has 6 points, and at most 5 are run"),
        (["--journal", "scenarios"], "is a folder"),
        (["--journal", PLAN], "it is one of the files to read"),
        (["--journal", "LICENSE"], "LICENSE is no journal of a sweep"),
        (["--on", "none.json"], "none.json"),
    ],
)
def test_options_that_are_refused(refused: Callable[[Sequence[str]], str], options: list[str], said: str) -> None:
    """What is wrong with the command line is said before anything is run."""
    assert said in refused(["sweep", PLAN, *options])


def test_seeds_and_releases_are_said_once(
    plan_with: Callable[..., str], refused: Callable[[Sequence[str]], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What a plan says itself is not said on the command line as well; else the command line decides."""
    assert "--seed: the plan has seeds of its own" in refused(["sweep", plan_with(seeds=2), "--seed", "1"])
    assert "--volcano: the plan has releases" in refused(["sweep", plan_with(releases=["1.13"]), "--volcano", "1.15"])
    rows = swept(capsys, PLAN, "--seed", "4", "--volcano", "1.13")["rows"]
    assert {(row["seed"], row["release"]) for row in rows} == {(4, "1.13")}


def test_a_point_that_fails_is_a_row(plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """The other points are run; where none can be, the command fails."""
    values = {"edit": "queue/default.spec.weight={}", "values": [1, "heavy"]}
    result = swept(capsys, plan_with(parameters={"weight": values}, failOn=None))
    assert [row["error"] and row["error"]["code"] for row in result["rows"]] == [None, "wrong-type"]
    result = swept(capsys, plan_with(parameters={"weight": values}), status=1)
    not_met = {"condition": "queue:product.evicted>0", "points": 0, "first": []}
    assert result["failOn"] == [{**not_met, "known": 1, "unknown": 1}]
    assert result["failed"]
    assert main(["sweep", plan_with(parameters={"weight": values}, constraints="weight != 1"), "-f", "csv"]) == 2
    assert "expected a whole number" in capsys.readouterr().out


def test_conditions_of_points_that_could_not_be_run(
    plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A condition fails the command where it is not known, and is not said to be met there; one point has no equal."""
    values = {"edit": "queue/default.spec.weight={}", "values": [1, "heavy"]}
    assert main(["sweep", plan_with(parameters={"weight": values}, failOn="placed>100,placed<50"), "-q"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "1 point run, 1 with an error: 1 of 2 conditions of --fail-on met." in said
    assert "placed>100 unknown at 1 point, which could not be run: #2 (weight=heavy)" in said
    assert "placed<50 at 1 of 1 point: #1 (weight=1); unknown at 1 other point, which could not be run: #2" in said
    assert "No figure differs" not in said


def test_why_points_failed_is_said(plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """The summary has the first error of each kind, and at how many points there is one of it."""
    values = {"edit": "queue/default.spec.weight={}", "values": [1, "heavy", -1, -2, "light"]}
    assert main(["sweep", plan_with(parameters={"weight": values}, failOn=None), "-q"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "1 point run, 4 with an error."
    assert said[1].startswith("#2 (weight=heavy) could not be run: queue/default.spec.weight=heavy: ")
    assert said[1].endswith("got the text 'heavy'; wrong-type at 1 other point, too.")
    assert said[2].startswith("#3 (weight=-1) could not be run: queue/default.spec.weight=-1: ")


def test_other_conditions_are_no_other_run(
    plan_with: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal goes on with other conditions; only where its rows lack a figure of theirs, these are run again."""
    journal = tmp_path / "journal"
    figures = ["placed", "queue:default.capability.cpu"]
    plan = plan_with(figures=figures, failOn=None)
    swept(capsys, plan, "--journal", str(journal))
    size = journal.stat().st_size
    for conditions, grows in (
        ("placed<base", False),
        ("placed<7, placed>100", False),
        ("queue:default.capability.cpu>5", True),
        ("evictions", True),
    ):
        asked = [plan, "--fail-on", conditions]
        status = int(conditions != "evictions")
        wanted = swept(capsys, *asked, status=status)
        assert swept(capsys, *asked, "--journal", str(journal), status=status) == wanted
        assert (journal.stat().st_size > size) is grows
        size = journal.stat().st_size
    plan = plan_with(figures=figures, failOn="placed<7")
    assert swept(capsys, plan, "--journal", str(journal), status=1) == swept(capsys, plan, status=1)


HOSTILE = "::error::done\n##[error]x\x1b[31m section_start:1:a\u202e"


@pytest.mark.parametrize("name", ["table", "markdown", "csv", "json"])
def test_nothing_in_a_plan_is_a_command_to_a_runner(
    plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Names, options, figures and conditions of a plan write no lines of their own into a log."""
    job = f"job:ns/{HOSTILE.replace(' ', '')}.placed"
    plan = plan_with(
        name=HOSTILE,
        base={HOSTILE: "first-look.yaml"},
        parameters={"mode": {"options": {HOSTILE: [f"queue/default.spec.weight={json.dumps(HOSTILE)}"], "ok": []}}},
        figures=["placed"],
        failOn=["placed>1"],
    )
    assert main(["sweep", plan, "-f", name]) == 1
    shown = capsys.readouterr()
    assert "done" in shown.out
    assert commands(shown.out) == commands(shown.err) == []
    removed = {"mode": {"options": {HOSTILE: [f"remove pod/{HOSTILE}"]}}}
    assert main(["sweep", plan_with(parameters=removed, name=HOSTILE), "-f", name]) == 2
    assert main(["sweep", plan_with(figures=[job], failOn=job, name=HOSTILE), "-f", name]) == 2
    assert commands(capsys.readouterr().err) == []


def test_an_edit_creates_no_more_than_is_allowed(
    plan_with: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The limits of the command line hold at each point, in each process."""
    template = {"spec": {"schedulerName": "volcano", "containers": [{"name": "c", "image": "i"}]}}
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "many", "namespace": "batch"},
        "spec": {"parallelism": 500, "completions": 500, "template": template},
    }
    plan = plan_with(parameters={"size": {"options": {"none": [], "many": [job]}}}, failOn=None, figures=["pending"])
    for jobs in ("1", "2"):
        assert main(["sweep", plan, "-f", "json", "--jobs", jobs, "--max-pods", "100"]) == 0
        rows = json.loads(capsys.readouterr().out)["rows"]
        assert [row["error"] and row["error"]["code"] for row in rows] == [None, "too-many-pods"]


def test_the_same_journal_has_the_same_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A journal of all points is all that the result is made of; that of another plan is refused."""
    journal = str(tmp_path / "journal")
    first = swept(capsys, PLAN, "--journal", journal)
    size = Path(journal).stat().st_size
    assert swept(capsys, PLAN, "--journal", journal) == first
    assert Path(journal).stat().st_size == size
    assert main(["sweep", PLAN, "--journal", journal, "--now", "2026-01-01T00:00:00Z"]) == 2
    assert "is the journal of another run: options of the command are others" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--journal", "JOURNAL"], "interrupted; finished points are in JOURNAL: the same command goes on from there"),
        ([], "interrupted; no point is kept; with --journal FILE, the same command would go on where it was"),
        (["-q"], ""),
    ],
)
def test_an_interruption(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    said: str,
) -> None:
    """Whoever interrupts a sweep reads how to go on; what is finished is kept."""
    journal = str(tmp_path / "journal")
    options = [each.replace("JOURNAL", journal) for each in options]
    evaluate = Evaluator.evaluate

    def interrupted(self: Evaluator, point: Point) -> Row:
        if point.number == 3:
            raise KeyboardInterrupt
        return evaluate(self, point)

    with monkeypatch.context() as patch:
        patch.setattr(Evaluator, "evaluate", interrupted)
        assert main(["sweep", PLAN, *options, "--jobs", "1"]) == 130
    assert capsys.readouterr().err.strip() == said.replace("JOURNAL", journal)
    assert lines(Path(journal)) == (4 if "--journal" in options else 0)


KILLS = 10
POINTS = 120
MANY = {"n": {"edit": "queue/default.spec.weight={}", "from": 1, "to": POINTS, "step": 1}}


def test_a_sweep_that_is_killed_goes_on_where_it_was(plan_with: Callable[..., str], tmp_path: Path) -> None:
    """Killed at ten random moments and resumed, a sweep has the very bytes of one that was not."""
    plan = plan_with(parameters=MANY, figures=["placed", "evictions", "spread"], failOn=None)
    whole, resumed, journal = (tmp_path / name for name in ("whole.csv", "resumed.csv", "journal"))
    assert main(["sweep", plan, "-o", str(whole), "-q"]) == 0
    command = ["sweep", plan, "-o", str(resumed), "--journal", str(journal), "-q"]
    chance = random.Random(19)
    kept = []
    for _ in range(KILLS):
        process = Forked([*command, "--jobs", "2"])
        begun, enough = lines(journal), chance.randrange(1, 6)
        while process.is_alive() and lines(journal) < begun + enough:
            time.sleep(chance.random() / 100)
        process.kill()
        process.wait()
        kept.append(lines(journal))
        assert not resumed.exists()
    assert kept == sorted(kept)
    assert kept[-1] > KILLS
    assert kept[-1] < POINTS
    assert main([*command, "--jobs", "1"]) == 0
    assert resumed.read_bytes() == whole.read_bytes()


def lines(file: Path) -> int:
    """Count the whole lines of a file that may not be there yet."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


def test_a_journal_is_of_one_set_of_session_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever says how sessions are run may decide the rows."""
    command = ["sweep", PLAN, "--jobs", "1", "-q", "--journal", str(tmp_path / "journal")]
    assert main(command) == 0
    assert main([*command, "--csi-storage"]) == 2
    assert "is the journal of another run: options of the command are others" in capsys.readouterr().err
