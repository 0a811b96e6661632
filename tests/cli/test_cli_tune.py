"""`vqs tune`: the cheapest change that reaches a goal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest
import yaml

from tests.build import gang, node, queue
from vqs.cli.commands import tune
from vqs.cli.main import main
from vqs.report import schema

PLAN = "scenarios/lowest-weight.plan.yaml"


def _edited(folder: Path, *lines: str) -> str:
    """Write the plan of the scenarios, with more lines, beside its snapshot, and return where it is."""
    (folder / "first-look.yaml").write_bytes(Path("scenarios/first-look.yaml").read_bytes())
    plan = folder / "plan.yaml"
    plan.write_text("\n".join([Path(PLAN).read_text(encoding="utf-8"), *lines]), encoding="utf-8")
    return str(plan)


def test_the_answer_can_be_worked_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Queue research leaves 104 cores; w of w + 2 of them have to be the 64 of nightly-etl, so that w is above 3."""
    assert main(["tune", PLAN, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema.result("tune"))
    assert found["change"]["parameters"] == {"weight": 4}
    assert [each["parameters"] for each in found["cheaper"]] == [{"weight": 3}]
    deserved = [each["rows"][0]["figures"]["queue:default.deserved.cpu"] for each in found["tried"]]
    assert deserved == pytest.approx([min(64, 104 * weight / (weight + 2)) for weight in range(1, 9)])


@pytest.mark.parametrize(
    ("scenario", "job", "said"),
    [
        ("first-look", "nightly-etl", "The least that places batch/nightly-etl: kubectl patch queue default"),
        ("first-look", "llama-finetune", "No change is needed: research/llama-finetune"),
    ],
)
def test_what_places_a_job(scenario: str, job: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a plan, it is what is found for a job that costs others least."""
    asked = [f"scenarios/{scenario}.yaml", "--job", job]
    assert main(["tune", *asked, "-q"]) == 0
    assert capsys.readouterr().out.startswith(said)
    main(["tune", *asked, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, schema.result("job"))
    main(["explain-job", *asked, "--all-fixes", "--budget", "1h", "--format", "json"])
    explained = json.loads(capsys.readouterr().out)
    assert {**found, "answer": ""} == {**explained, "answer": ""}


def test_nothing_places_a_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no change does, nor two together, that is said, and is the exit status; also where the search was cut."""
    snapshot = tmp_path / "snapshot.yaml"
    objects = [node("n", cpu=300), queue("default"), *gang("job", 1, requests={"cpu": 1100, "example.com/x": 1})]
    snapshot.write_text(yaml.safe_dump_all(objects))
    assert main(["tune", str(snapshot), "--job", "job", "-q"]) == 1
    assert main(["tune", str(snapshot), "--job", "job", "-q", "--sessions", "1"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("Nothing was found that places ns/job: no change does it, nor do two together. ")
    assert "\nNothing was found that places ns/job: the search was not run to its end. " in said


def test_a_plan_or_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    """What belongs to a plan is refused with a job."""
    assert main(["tune", "scenarios/first-look.yaml", "--job", "nightly-etl", "--on", "other.yaml"]) == 2
    assert main(["tune", "scenarios/first-look.yaml", "--job", "nightly"]) == 2
    said = capsys.readouterr().err
    assert "--on is for plans" in said
    assert "there is no job 'nightly'" in said


def test_the_answer_is_that_of_a_sweep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cheapest change is the first point of a sweep over the same space that reaches the goal."""
    value = yaml.safe_load(Path(PLAN).read_text(encoding="utf-8"))
    for key in ("goal", "cost"):
        del value[key]
    value |= {"kind": "Sweep", "figures": ["job:batch/nightly-etl.pending", "evicted"]}
    plan = tmp_path / "plan.yaml"
    plan.write_text(yaml.safe_dump(value), encoding="utf-8")
    assert main(["sweep", str(plan), "--on", "scenarios/first-look.yaml", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    reaching = [row["parameters"]["weight"] for row in rows if not any(row["figures"].values())]
    assert main(["tune", PLAN, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["change"]["parameters"] == {"weight": min(reaching)}


def test_the_goal_has_to_be_reached_on_each_snapshot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a change lacks names the snapshot, and the table has the figures of each."""
    plan = Path(_edited(tmp_path))
    text = plan.read_text(encoding="utf-8").replace(
        "base: first-look.yaml", "base: {one: first-look.yaml, two: large.yaml}"
    )
    plan.write_text(text, encoding="utf-8")
    snapshot = (tmp_path / "first-look.yaml").read_text(encoding="utf-8")
    (tmp_path / "large.yaml").write_text(snapshot.replace('cpu: "32"', 'cpu: "64"'), encoding="utf-8")
    assert main(["tune", str(plan), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["change"]["parameters"] == {"weight": 4}
    assert found["cheaper"][0]["unmet"] == ["on one: job:batch/nightly-etl.pending is 1, and has to be 0"]
    assert main(["tune", str(plan), "--no-color"]) == 0
    assert "1 / 0" in capsys.readouterr().out


def test_no_change_reaches_the_goal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no change reaches the goal, that is the answer, and the exit status is 1."""
    plan = _edited(tmp_path, "constraints: weight <= 3")
    assert main(["tune", plan, "-q"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "No change within these bounds reaches the goal. The nearest is weight=2 at a cost of 2.",
        "What it lacks: job:batch/nightly-etl.pending is 1, and has to be 0",
        "Every change was run, and none reaches the goal.",
    ]


def test_no_change_is_needed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the snapshot reaches the goal as it is, that is said first, whether or not a change reaches it, too."""
    plan = Path(_edited(tmp_path))
    text = plan.read_text(encoding="utf-8").replace("batch/nightly-etl.pending=0", "batch/nightly-etl.pending<=1")
    plan.write_text(text, encoding="utf-8")
    assert main(["tune", str(plan), "-q"]) == 0
    said = "No change is needed: the goal is reached without one. "
    answer = f"{said}The cheapest change that reaches the goal is weight=2 at a cost of 2."
    assert answer in " ".join(capsys.readouterr().out.split())
    plan.write_text(f"{text}\nconstraints: weight < 2", encoding="utf-8")
    assert main(["tune", str(plan), "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["change"], found["baselineReachesGoal"]) == (None, True)
    assert found["answer"].startswith(said)
    assert main(["tune", PLAN, "-f", "json"]) == 0
    assert not json.loads(capsys.readouterr().out)["baselineReachesGoal"]


def test_the_page(on_terminal: Callable[..., str]) -> None:
    """People see the answer, what shows it, all that was run, and the command to go on with."""
    shown = on_terminal(["tune", PLAN, "--no-color"])
    assert "▸ 4" in shown
    assert shown.splitlines()[-7:] == [
        "The cheapest change that reaches the goal is weight=4 at a cost of 4.",
        "Its edits: queue/default.spec.weight=4",
        "Cheaper is weight=3 at a cost of 3: job:batch/nightly-etl.pending is 1, and has",
        "to be 0.",
        "Every cheaper change was run, and none reaches the goal.",
        "Next: vqs diff-configs scenarios/first-look.yaml --set \\",
        "queue/default.spec.weight=4 shows this change job by job",
    ]


def test_the_next_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The command that a report names shows what the change does."""
    assert main(["tune", PLAN]) == 0
    _, _, command = capsys.readouterr().out.partition("Next: vqs ")
    words = command.partition(" shows ")[0].split()
    assert words == ["diff-configs", "scenarios/first-look.yaml", "--set", "queue/default.spec.weight=4"]
    assert main(words) == 1
    assert "nightly-etl" in capsys.readouterr().out


def test_the_next_command_is_for_the_same_sessions(capsys: pytest.CaptureFixture[str]) -> None:
    """The command has the release, the seed and the other options that the change was run with."""
    options = ["--seed", "3", "--volcano", "1.13", "--now", "2026-01-01T00:00:00Z", "--node-sample", "default"]
    assert main(["tune", PLAN, *options]) == 0
    _, _, command = capsys.readouterr().out.partition("Next: vqs ")
    words = command.partition(" shows ")[0].split()
    assert words[:2] == ["diff-configs", "scenarios/first-look.yaml"]
    assert {*zip(options[::2], options[1::2], strict=True)} < {*zip(words[2::2], words[3::2], strict=True)}


def test_a_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A search that was interrupted goes on where it was, and ends with the very same result, on any engine."""
    journal = tmp_path / "journal"
    command = ["tune", PLAN, "--format", "json"]
    assert main([*command, "--jobs", "1"]) == 0
    expected = capsys.readouterr().out
    assert main([*command, "--jobs", "2", "--journal", str(journal)]) == 0
    assert capsys.readouterr().out == expected
    lines = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    journal.write_text("".join(lines[:4]) + lines[4][:9], encoding="utf-8")
    assert main([*command, "--jobs", "1", "--journal", str(journal)]) == 0
    assert capsys.readouterr().out == expected
    assert main([*command, "--seed", "1", "--journal", str(journal)]) == 2
    assert "is the journal of another run: options of the command are others" in capsys.readouterr().err


def test_names_in_a_goal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A goal about a job that does not exist would be reached by nothing at all: it is refused, with its place."""
    plan = _edited(tmp_path)
    text = Path(plan).read_text(encoding="utf-8").replace("batch/nightly-etl.pending", "batch/nightly.pending")
    Path(plan).write_text(text, encoding="utf-8")
    assert main(["tune", plan]) == 2
    assert "plan.yaml:15:5: $.goal[0]: there is no job 'batch/nightly'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("constraints: weight > 20", "$.constraints: no change is left: constraints exclude all of them"),
        (
            "constraints: weight != 5\nmonotone: [weight]\nmethod: bisection",
            "$.method: bisection needs costs that rise",
        ),
        ("method: bisection", "$.method: bisection rests on a claim: add monotone: [weight] if it holds"),
        ("seed: -1", "$.seed: -1 is out of range; expected 0 to 4294967295"),
        ("monoton: [weight]", "monoton"),
    ],
)
def test_what_cannot_be_searched(line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be searched as the plan says is refused, with its place in the plan."""
    assert main(["tune", _edited(tmp_path, line)]) == 2
    assert message in capsys.readouterr().err


def test_a_cost_without_a_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cost that is no number for some values is refused, with its place."""
    plan = Path(_edited(tmp_path))
    plan.write_text(
        plan.read_text(encoding="utf-8").replace("cost: weight", "cost: 1 / (weight - 3)"), encoding="utf-8"
    )
    assert main(["tune", str(plan)]) == 2
    assert "plan.yaml:17:7: $.cost: 1 / (weight - 3) has no value" in capsys.readouterr().err


def test_a_sweep_is_no_plan_to_tune(capsys: pytest.CaptureFixture[str]) -> None:
    """The plan of a sweep is refused with the command that runs it, and with nothing else."""
    assert main(["tune", "scenarios/queue-weight.plan.yaml"]) == 2
    said = capsys.readouterr().err
    assert "this is a plan for vqs sweep, not for vqs tune (run vqs sweep scenarios/queue-weight.plan.yaml)" in said
    assert "error: 1 error in the input" in said


def test_a_faulty_parameter_is_one_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What else names the parameter, such as the cost, is not wrong for that."""
    plan = Path(_edited(tmp_path, "constraints: weight < 9", "monotone: [weight]"))
    plan.write_text(plan.read_text(encoding="utf-8").replace("step: 1", "stop: 1"), encoding="utf-8")
    assert main(["tune", str(plan)]) == 2
    assert "error: 1 error in the input" in capsys.readouterr().err
    plan.write_text(plan.read_text(encoding="utf-8").replace("    stop: 1\n", ""), encoding="utf-8")
    assert main(["tune", str(plan)]) == 2
    said = capsys.readouterr().err
    assert "$.parameters.weight: it does not say which of the numbers between from and to (add step" in said
    assert "error: 1 error in the input" in said


def test_optuna_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without Optuna, it is said how it is installed, and what would do without it."""
    monkeypatch.setattr(tune, "find_spec", lambda _: None)
    assert main(["tune", _edited(tmp_path), "--sessions", "19"]) == 2
    error = capsys.readouterr().err
    assert "there are 20 changes, too many to run all of them with --sessions 19" in error
    assert "pip install 'vqs[tune]'" in error


def test_too_few_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A change that has more points than may be run is refused."""
    assert main(["tune", _edited(tmp_path, "seeds: 5"), "--sessions", "4"]) == 2
    assert "each change is 5 points, one for each snapshot, release and seed, and at most 4 are run" in (
        capsys.readouterr().err
    )


def test_a_saved_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A saved answer is shown again without a session."""
    saved = tmp_path / "answer.json"
    assert main(["tune", PLAN, "-o", str(saved)]) == 0
    assert f"weight=4 at a cost of 4. Written to {saved}" in capsys.readouterr().err
    assert main(["tune", PLAN]) == 0
    expected = capsys.readouterr().out
    assert main(["render", str(saved)]) == 0
    assert capsys.readouterr().out == expected


def test_the_schema_of_plans(capsys: pytest.CaptureFixture[str]) -> None:
    """The schema of plans to tune takes the plan of the scenarios, and not that of a sweep."""
    assert main(["schema", "tune-plan"]) == 0
    validator = jsonschema.Draft7Validator(json.loads(capsys.readouterr().out))
    assert validator.is_valid(yaml.safe_load(Path(PLAN).read_text(encoding="utf-8")))
    assert not validator.is_valid(yaml.safe_load(Path("scenarios/queue-weight.plan.yaml").read_text(encoding="utf-8")))


def test_a_goal_without_conditions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every change would reach it: in a pipeline, that would be a gate that is always open."""
    plan = _edited(tmp_path)
    text = Path(plan).read_text(encoding="utf-8")
    Path(plan).write_text(text[: text.index("goal:")] + "goal: []\ncost: weight\n", encoding="utf-8")
    assert main(["tune", plan]) == 2
    assert "$.goal: the goal has no condition" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("least", "status", "answer"),
    [
        (65_530, 1, "15 of 20 changes could not be run, and count as not reaching the goal: "),
        (65_535, 2, "20 of 20 changes could not be run, and count as not reaching the goal: "),
    ],
)
def test_changes_that_cannot_be_run(
    least: int, status: int, answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are said with the answer; where there are no others, the plan is wrong, not the goal out of reach."""
    plan = _edited(tmp_path, f"constraints: weight > {least}")
    text = Path(plan).read_text(encoding="utf-8").replace("evicted=0", "evicted=9")
    text = text.replace("from: 1\n", f"from: {least}\n").replace("to: 20\n", f"to: {least + 20}\n")
    Path(plan).write_text(text, encoding="utf-8")
    assert main(["tune", plan, "--quiet"]) == status
    assert answer in " ".join(capsys.readouterr().out.split())
