"""Points that are replayed: their figures are those of `vqs replay` with the same edits, whatever runs them."""

from __future__ import annotations

import io
import json
import math
import pickle
import shlex
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.build import gang, node, queue
from tests.replay.runs import job, run, sample
from vqs.cli.main import main
from vqs.explain.simulate import SimulateOptions
from vqs.model.job import JobName
from vqs.replay.figures import summed_up
from vqs.replay.outcome import Replay
from vqs.report.sweep.commands import Commands
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.sweep.evaluate import Evaluator, Task
from vqs.sweep.figures import PLANS, REPLAY, Run, conditions_of, figure_of
from vqs.sweep.mistakes import check_names
from vqs.sweep.outcome import Sweep
from vqs.sweep.read import read_plan
from vqs.sweep.space import Space

EXAMPLE = Path(__file__).parents[2] / "docs" / "example"
WRITTEN = {"": "{}", "resource": "{}.cpu", "queue": "queue:a.{}", "job": "job:default/first.{}"}
FIGURES = [WRITTEN[each.of].format(each.name) for each in PLANS.values() if each.run == REPLAY and each.of in WRITTEN]


def said(document: dict[str, Any], figure: str) -> Any:
    """Return a figure as the document of a replay says it; None where it says that there is none."""
    figures = document["figures"]
    if figure.startswith("job:"):
        [record] = [each for each in document["jobs"] if each["name"] == "first"]
        at = record["started" if figure.endswith("wait") else "completed"]
        return at and at - record["arrival"]
    of_queue = figure.startswith("queue:a.")
    name = figure.removeprefix("queue:a.").removeprefix("replay.")
    if name == "missed":
        parts = [each["fraction"] for each in figures["deficits"] if each["queue"] == "a" and each["dominant"]]
        return parts[0] if parts else 0.0 if figures["deficits"] else None
    if name.endswith(".cpu"):
        [usage] = [each for each in figures["usage"] if each["resource"] == "cpu"]
        return usage[name.removesuffix(".cpu")]
    if name in ("makespan", "drain", "throughput"):
        return document["makespan"] if name == "makespan" else figures[name]
    if name == "cost":
        return next((each["spent"] for each in document["cost"]["queues"] if each["queue"] == "a"), 0.0)
    if name.startswith(("cost.", "energy.")):
        kind, _, part = name.partition(".")
        return document["cost"]["money" if kind == "cost" else kind][part]
    if name == "fairness":
        return figures["fairness"]["mean"]
    queue = "a" if of_queue else None
    [group] = [each for each in figures["groups"] if each["queue"] == queue and each["priority"] is None]
    if name == "neverStarted":
        return group["jobs"] - group["started"]
    of, _, statistic = name.replace("pods-lost", "podsLost").partition(".")
    return group[of] if not statistic else group[of] and group[of][statistic]


jobs = st.lists(
    st.fixed_dictionaries(
        {
            "replicas": st.integers(1, 3),
            "cpu": st.integers(1, 4),
            "queue": st.sampled_from(["a", "b"]),
            "arrival": st.integers(0, 20) | st.none(),
            "duration": st.sampled_from([0.5, 7, 30, {"uniform": [5, 40]}]),
        }
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=5)
@given(jobs, st.integers(1, 5), st.sampled_from([None, "1m"]))
def test_figures_are_those_of_a_replay(entries: list[dict[str, Any]], weight: int, until: str | None) -> None:
    """Whatever the workload, a point's figures are what `vqs replay` says with the point's edits and its seed.

    Points leave what they have prepared to those after them.
    """
    named = ({"name": f"j{number}", **each} for number, each in enumerate(entries))
    arriving = [{key: value for key, value in each.items() if value is not None} for each in named]
    arriving.append({"name": "first", "queue": "a", "cpu": 1, "arrival": 0, "duration": 5})
    queues = [{"name": "a", "weight": 1}, {"name": "b", "weight": 2}]
    workload = {
        "apiVersion": "vqs/v1",
        "kind": "Scenario",
        "nodes": [{"name": "n", "cpu": 4, "memory": "8Gi"}],
        "queues": queues,
        "prices": {"nodes": [{"perHour": 2, "watts": {"busy": 300}}]},
        "jobs": arriving,
    }
    plan = {
        "apiVersion": "vqs/v1",
        "kind": "Sweep",
        "base": "workload.yaml",
        "parameters": {"weight": {"edit": "queue/a.spec.weight={}", "values": [weight, 2, 1]}},
        "seeds": [3],
        "figures": FIGURES,
        **({"replay": {"until": until}} if until else {}),
    }
    with TemporaryDirectory() as name:
        folder = Path(name)
        edits = {f"{at}.yaml": [f"queue/a.spec.weight={each}"] for at, each in enumerate((weight, 2, 1))}
        for file, content in {"workload.yaml": workload, "plan.yaml": plan, **edits}.items():
            (folder / file).write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        swept, replayed = folder / "sweep.json", folder / "replay.json"
        assert main(["sweep", str(folder / "plan.yaml"), "--jobs", "1", "-o", str(swept), "-q"]) == 0
        options = [option for file in edits for option in ("--edits", str(folder / file))]
        options += ["--seed", "3", *(["--until", until] if until else [])]
        assert main(["replay", str(folder / "workload.yaml"), *options, "-o", str(replayed), "-q"]) == 0
        found, runs = json.loads(swept.read_text()), json.loads(replayed.read_text())["runs"]
    for row, document in zip([*found["baseline"], *found["rows"]], runs, strict=True):
        assert row["figures"] == {figure: said(document, figure) for figure in FIGURES}


def measured(made: Replay, text: str) -> float | str | None:
    """Return a figure of a replay."""
    figure = figure_of(text)
    named = [JobName(uid, uid) for uid in (f"{each.namespace}/{each.name}" for each in made.jobs)]
    return figure.of_point(Run(summed_up(made), lambda: named, {"high": 9}))


def test_figures_worked_out_by_hand() -> None:
    """Waits of 1, 21 and never; a queue that held 3 of the 6 cores that it was entitled to for half of the time."""
    held = [sample(0, 50, {"a": (3, 6, 8), "b": (4, 4, 4)}), sample(50, 50, {"a": (6, 6, 6), "b": (4, 4, 4)})]
    last = job("z", "b", times=(5, None, None, None), priority=9)
    made = run([job("x"), job("y", times=(0, 0, 21, 61)), last], samples=held)
    expected = {
        "queue:a.wait.p95": 21,
        "queue:a.wait.mean": 11,
        "replay.started": 2,
        "replay.neverStarted": 1,
        "queue:b.neverStarted": 1,
        "queue:a.missed": 0.25,
        "queue:b.missed": 0,
        "replay.throughput": 72,
        "queue:none.started": 0,
        "priority:0.wait.max": 21,
        "priority:high.neverStarted": 1,
        "priority:high.wait.max": math.inf,
        "priority:none.started": 0,
        "job:ns/y.wait": 21,
        "job:y.completion": 61,
        "job:ns/z.wait": math.inf,
        "job:ns/none.wait": math.inf,
    }
    assert {text: measured(made, text) for text in expected} == expected


def test_jobs_of_one_priority_are_all_jobs() -> None:
    """Then there are no groups by priority, and those of another priority have no jobs."""
    made = run([job("x", priority=9), job("y", times=(0, 0, 21, 61), priority=9)])
    assert [measured(made, f"priority:{name}.wait.max") for name in ("high", "9", "0")] == [21, 21, math.inf]


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("queue:b.wait.p95>1h", math.inf, True),
        ("queue:b.wait.p95<1h", math.inf, False),
        ("queue:none.slowdown.max>100", math.inf, True),
        ("replay.makespan>1d", math.inf, True),
        ("replay.fairness<0.5", math.nan, True),
        ("queue:b.missed>50%", math.nan, True),
    ],
)
def test_what_never_happens_is_not_good_enough(text: str, value: float, holds: bool) -> None:
    """A wait without an end is longer than any, and what is not known is what must not be."""
    made = run([job("x"), job("z", "b", times=(5, None, None, None))])
    [condition] = conditions_of(text)
    found = measured(made, condition.figure.text)
    assert found == value or (isinstance(found, float) and math.isnan(found) and math.isnan(value))
    assert (condition.failure({condition.figure.text: found}, {}) is not None) is holds


@pytest.mark.parametrize(
    ("text", "seconds"), [("600", 600), ("10m", 600), ("1h30m", 5400), ("1d12h", 129_600), ("0.5", 0.5)]
)
def test_times_in_conditions(text: str, seconds: float) -> None:
    """A limit is a number of seconds or has units, and what is said of it names times in full."""
    [condition] = conditions_of(f"queue:a.wait.p95>{text}")
    assert condition.value == seconds
    failure = condition.failure({"queue:a.wait.p95": seconds + 0.01}, {})
    assert failure is not None
    assert failure.text.startswith("queue:a.wait.p95 is ")
    assert condition.failure({"queue:a.wait.p95": seconds}, {}) is None


def test_what_a_failed_condition_says() -> None:
    """Times are written so that the difference can be seen."""
    [condition] = conditions_of("replay.wait.p95>10m")
    failure = condition.failure({"replay.wait.p95": 600.25}, {})
    assert failure is not None
    assert failure.text == "replay.wait.p95 is 10m0.25s, and must not be > 10m"


@pytest.fixture
def plan_of(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes the sweep of the docs with fewer jobs and other keys, and returns its file."""

    def write(**changed: Any) -> str:
        workload = (EXAMPLE / "teams.yaml").read_text(encoding="utf-8")
        small = workload.replace("count: 12", "count: 3").replace("count: 8", "count: 2")
        (tmp_path / "teams.yaml").write_text(small, encoding="utf-8")
        plan = {**yaml.safe_load((EXAMPLE / "waits.plan.yaml").read_text(encoding="utf-8")), **changed}
        (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False), encoding="utf-8")
        return str(tmp_path / "plan.yaml")

    return write


def test_the_example(tmp_path: Path) -> None:
    """With the weight w, team-a runs 8 w / (w + 1) of its 12 jobs at a time, rounded down, for ten minutes each."""
    saved = tmp_path / "sweep.json"
    assert main(["sweep", str(EXAMPLE / "waits.plan.yaml"), "--jobs", "1", "-o", str(saved), "-q"]) == 0
    for row in json.loads(saved.read_text())["rows"]:
        weight = row["parameters"]["weight"]
        rounds = math.ceil(12 / (8 * weight // (weight + 1)))
        assert row["figures"]["queue:team-a.wait.p95"] == pytest.approx((rounds - 1) * 600, abs=5)
        assert row["seed"] is None


def test_the_lowest_weight(tmp_path: Path) -> None:
    """6 of the 8 cores are what two rounds need, and 3 is the lowest weight that deserves them."""
    saved = tmp_path / "tune.json"
    assert main(["tune", str(EXAMPLE / "shorter-waits.plan.yaml"), "--jobs", "1", "-o", str(saved), "-q"]) == 0
    found = json.loads(saved.read_text())
    assert found["change"]["parameters"] == {"weight": 3}
    assert [each["parameters"] for each in found["cheaper"]] == [{"weight": 2}]
    assert found["cheaper"][0]["unmet"][0].startswith("queue:team-a.wait.p95 is 20m")


def test_what_a_goal_lacks(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A time that is infinite is said to lack a goal in the same words as one that is too long."""
    path = Path(plan_of())
    goal = ["replay.makespan<10h", "queue:team-a.wait.p95<1ms"]
    weights = {"weight": {"edit": "queue/team-a.spec.weight={}", "values": [1, 3]}}
    given = {"base": "teams.yaml", "parameters": weights, "goal": goal, "cost": "weight", "replay": {"until": "5m"}}
    plan = {"apiVersion": "vqs/v1", "kind": "Tune", **given}
    path.write_text(yaml.safe_dump(plan), encoding="utf-8")
    saved = tmp_path / "tune.json"
    assert main(["tune", str(path), "--jobs", "1", "-o", str(saved), "-q"]) == 1
    unmet = json.loads(saved.read_text())["nearest"]["unmet"]
    assert unmet[0] == "replay.makespan is never, and has to be less than 10h"
    assert all("has to be less than" in each for each in unmet)


def test_processes_and_journals(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """The document is the same in one process, in several, and going on from a journal that was cut off."""
    weights = {"weight": {"edit": "queue/team-a.spec.weight={}", "values": [1, 3]}}
    command = ["sweep", plan_of(parameters=weights), "-q", "-o"]
    documents = [tmp_path / name for name in ("one.json", "two.json", "again.json")]
    journal = tmp_path / "journal"
    assert main([*command, str(documents[0]), "--jobs", "1"]) == 0
    assert main([*command, str(documents[1]), "--jobs", "2", "--journal", str(journal)]) == 0
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    assert main([*command, str(documents[2]), "--jobs", "1", "--journal", str(journal)]) == 0
    assert len({each.read_bytes() for each in documents}) == 1


def test_other_processes_replay_the_same(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """What a worker of a cluster gets has the whole workload: jobs that arrive at a rate, and what happens to nodes."""
    (tmp_path / "workload.yaml").write_bytes((EXAMPLE / "workload.yaml").read_bytes())
    weights = {"weight": {"edit": "queue/research.spec.weight={}", "values": [5]}}
    figures = ["replay.started", "replay.wait.mean", "replay.used.cpu"]
    how = {"until": "7h"}
    plan = read_plan(plan_of(base="workload.yaml", parameters=weights, figures=figures, seeds=[1], replay=how))
    task = Task.of(plan, SimulateOptions())
    rows = []
    for each in (task, pickle.loads(pickle.dumps(task))):  # noqa: S301 - it was made here
        with each.evaluator() as evaluator:
            rows.append(evaluator.evaluate(Space(plan).point(1)))
    assert rows[0].error is None
    assert rows[0] == rows[1]


def test_another_workload_is_another_run(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A journal of a workload with other durations is refused."""
    weights = {"weight": {"edit": "queue/team-a.spec.weight={}", "values": [1]}}
    plan, journal = plan_of(parameters=weights), str(tmp_path / "journal")
    assert main(["sweep", plan, "--journal", journal, "-q", "-o", str(tmp_path / "a.csv"), "--jobs", "1"]) == 0
    workload = tmp_path / "teams.yaml"
    workload.write_text(workload.read_text().replace("duration: 10m", "duration: 9m"))
    assert main(["sweep", plan, "--journal", journal, "-q", "-o", str(tmp_path / "b.csv")]) == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"figures": ["placed"], "replay": {}}, "$.replay: no figure is one of a replay"),
        ({"replay": {"until": "soon"}}, "$.replay.until: 'soon' is no duration"),
        ({"replay": {"period": 0}}, "$.replay.period: expected more than 0 seconds"),
        ({"replay": {"until": 0}}, "$.replay.until: expected more than 0 seconds"),
        ({"replay": {"periods": 1}}, "did you mean 'period'?"),
        ({"replay": {"format": "scenarios"}}, "$.replay.format"),
        ({"figures": ["queue:team-c.wait.p95"]}, "$.figures[0]: there is no queue 'team-c' (did you mean"),
        (
            {"figures": ["job:default/a0.wait"]},
            "$.figures[0]: there is no job 'default/a0' (did you mean 'default/a-0'?)",
        ),
        ({"figures": ["job:team/a.wait"]}, "$.figures[0]: there is no job 'team/a'"),
        ({"figures": ["priority:high.started"]}, "$.figures[0]: there is no priority class 'high'"),
        ({"figures": ["job:a-0.startCycle"]}, "$.figures[0]: the job 'a-0' arrives later, and no session has it"),
        (
            {"parameters": {"size": {"edit": "scale a-0={}", "values": [1, 2]}}},
            "$.parameters.size.edit: scale a-0=1: the job 'a-0' arrives later, and cannot be edited",
        ),
        (
            {"parameters": {"size": {"edit": "job/default/a-1.spec.minAvailable={}", "values": [1]}}},
            "the job 'default/a-1' arrives later, and cannot be edited",
        ),
        ({"parameters": {"size": {"edit": "scale a-9={}", "values": [1]}}}, "there is no job 'a-9'"),
        ({"figures": ["job:a.wait"]}, "$.figures[0]: there is no job 'a'"),
        ({"figures": ["replay.used.gpu"]}, "$.figures[0]: there is no resource 'gpu'"),
        ({"figures": ["queue:team-a.wait.p59"]}, "did you mean 'wait.p99'?"),
        ({"failOn": "replay.makespan>10x"}, "'10x' is no time (a number of seconds, a time such as 10m or 1h30m"),
        ({"failOn": "replay.fairness<90%"}, "is a number (write it without %)"),
    ],
)
def test_plans_that_are_refused(
    plan_of: Callable[..., str], capsys: pytest.CaptureFixture[str], changed: dict[str, Any], message: str
) -> None:
    """What is wrong with how points are to be replayed is said with its place, before any is."""
    assert main(["sweep", plan_of(**changed)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_options_of_sessions_are_refused(plan_of: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    """A replay has a time of its own."""
    assert main(["sweep", plan_of(), "--now", "2026-01-01T00:00:00Z"]) == 2
    assert "--now: the plan has figures of a replay" in capsys.readouterr().err


def test_the_next_command_replays_the_point(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command that a report names replays the workload as it is and with the edits of the point."""
    monkeypatch.chdir(EXAMPLE)
    assert main(["sweep", "waits.plan.yaml", "--fail-on", "queue:team-a.wait.p95<11m"]) == 1
    _, _, command = capsys.readouterr().out.partition("Next: ")
    echo, sign, edits, pipe, *words = shlex.split(command.partition(" replays the workload")[0])
    assert [echo, sign, pipe] == ["printf", "%s", "|"]
    assert json.loads(edits) == ["queue/team-a.spec.weight=3"]
    assert words == ["vqs", "replay", "teams.yaml", "--edits", "-"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(edits.encode())))
    assert main(words[1:]) == 0
    assert "10m 2s" in capsys.readouterr().out


def test_the_next_command_says_how_points_are_replayed(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """Periods and ends of the plan are options of the command."""
    saved = tmp_path / "sweep.json"
    how = {"period": "2s", "startDelay": 0.5, "until": "15m", "runs": 2}
    assert main(["sweep", plan_of(replay=how), "-q", "-o", str(saved)]) == 0
    result = msgspec.json.decode(saved.read_bytes(), type=Sweep)
    command = Commands(result, None).diff(result.rows[0])
    assert "--period 2 --start-delay 0.5 --until 900 --runs 2 --edits -" in command


def test_a_goal_asks_for_replays_too(plan_of: Callable[..., str]) -> None:
    """A plan is one of replays whether a figure, a condition or the goal names a figure of a replay."""
    of_sessions = read_plan(plan_of(figures=["placed"]))
    assert (of_sessions.replaying, of_sessions.bases[0].workload) == (None, None)
    of_condition = read_plan(plan_of(figures=[]), fail_on=conditions_of("replay.makespan>1h"))
    assert of_condition.replaying is not None
    assert of_condition.seeds == (None,)


@pytest.mark.parametrize(
    ("changed", "place"),
    [
        ({"figures": ["placed", "replay.makespan"]}, "$.figures[1]"),
        ({"figures": ["replay.makespan"], "failOn": ["evictions<1,placed<3"]}, "$.failOn[0]"),
        ({"figures": ["queue:team-a.wait.p95", "job:a-0.startCycle"]}, "$.figures[1]"),
    ],
)
def test_figures_of_sessions_and_replays(plan_of: Callable[..., str], changed: dict[str, Any], place: str) -> None:
    """Figures of both kinds would change one another's points: they need two plans."""
    with pytest.raises(InputErrors) as errors:
        read_plan(plan_of(**changed))
    [problem] = errors.value.diagnostics
    assert (problem.code, problem.path) == ("mixed-figures", place)
    assert problem.help.startswith("write two plans")


def test_a_condition_of_the_other_kind_beside_a_journal(
    plan_of: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A condition of the command line that asks for replays is refused as such, not as another run."""
    weights = {"weight": {"edit": "queue/team-a.spec.weight={}", "values": [1]}}
    command = ["sweep", plan_of(parameters=weights, figures=["placed"]), "--journal", str(tmp_path / "j"), "-q"]
    assert main([*command, "-o", str(tmp_path / "a.csv"), "--jobs", "1"]) == 0
    assert main([*command, "-o", str(tmp_path / "b.csv"), "--fail-on", "replay.makespan>1h"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "--fail-on: replay.makespan is a figure of a replay, and placed is one of a session (write two plans" in said


def test_a_recording_is_a_workload(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A log in SWF is replayed, too, on as many processors per pod as the plan says."""
    log = "; MaxNodes: 2\n; MaxProcs: 4\n1 0 -1 60 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n"
    (tmp_path / "log.swf").write_text(log)
    parameters = {"weight": {"edit": "queue/default.spec.weight={}", "values": [1]}}
    plan = plan_of(
        base="log.swf",
        parameters=parameters,
        figures=["replay.completed"],
        replay={"processorsPerPod": 1, "queueBy": "none"},
    )
    saved = tmp_path / "sweep.json"
    assert main(["sweep", plan, "-q", "-o", str(saved)]) == 0
    found = json.loads(saved.read_text())
    assert found["rows"][0]["figures"] == {"replay.completed": 1}
    assert found["replay"]["processorsPerPod"] == 1


def test_the_jobs_of_a_workload_have_figures(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A job that arrives is known by its name, and its wait is that of its queue at the most."""
    saved = tmp_path / "sweep.json"
    figures = ["job:default/a-0.wait", "job:a-2.completion", "queue:team-a.wait.max", "queue:team-a.completion.max"]
    assert main(["sweep", plan_of(figures=figures), "--jobs", "1", "-q", "-o", str(saved)]) == 0
    for row in json.loads(saved.read_text())["rows"]:
        assert 0 < row["figures"]["job:default/a-0.wait"] <= row["figures"]["queue:team-a.wait.max"]
        assert 600 < row["figures"]["job:a-2.completion"] <= row["figures"]["queue:team-a.completion.max"]


def test_jobs_are_called_after_their_controllers(
    plan_of: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A job whose PodGroup has a uid in its name has figures under both names; one of two jobs needs its namespace."""
    owner = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "train", "controller": True}
    objects = [node("n1", cpu=2), queue("default")]
    for namespace in ("x", "y"):
        for each in gang(f"train-5f0c-{namespace}", 1, queue="default", cpu=1):
            each["metadata"] |= {"namespace": namespace, "ownerReferences": [{**owner, "uid": f"5f0c-{namespace}"}]}
            objects.append(each)
    (tmp_path / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    figures = ["job:x/train.wait", "job:y/train-5f0c-y.wait"]
    weights = {"weight": {"edit": "queue/default.spec.weight={}", "values": [2]}}
    saved = tmp_path / "sweep.json"
    given = {"base": "dump.json", "parameters": weights, "replay": {"until": "1m"}}
    assert main(["sweep", plan_of(**given, figures=figures), "-q", "--jobs", "1", "-o", str(saved)]) == 0
    [row] = json.loads(saved.read_text())["rows"]
    assert all(isinstance(row["figures"][each], float) for each in figures)
    assert main(["sweep", plan_of(**given, figures=["job:train.wait"]), "-q"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "$.figures[0]: there are 2 jobs 'train' (write one of x/train, y/train)" in said


@pytest.mark.parametrize(
    ("name", "is_known"), [("score-15", True), ("score-16", False), ("default/train-0", True), ("score", False)]
)
def test_jobs_of_templates(plan_of: Callable[..., str], tmp_path: Path, name: str, *, is_known: bool) -> None:
    """Of the jobs that arrive again and again, those are known that arrive with the seeds of the plan."""
    (tmp_path / "workload.yaml").write_bytes((EXAMPLE / "workload.yaml").read_bytes())
    weights = {"weight": {"edit": "queue/research.spec.weight={}", "values": [5]}}
    plan = read_plan(plan_of(base="workload.yaml", parameters=weights, figures=[f"job:{name}.wait"]))
    with nullcontext() if is_known else pytest.raises(InputErrors, match="there is no job"):
        check_names(plan, Evaluator(plan, SimulateOptions()))


def test_resources_of_nodes_that_join(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A resource that the first node with it brings while a replay runs has figures."""
    plan = plan_of(figures=["replay.used.nvidia.com/gpu"])
    workload = tmp_path / "teams.yaml"
    joins = "nodeEvents:\n- {at: 1m, join: {name: late, cpu: 1, gpu: 2}}\n"
    workload.write_text(workload.read_text() + joins)
    read = read_plan(plan)
    check_names(read, Evaluator(read, SimulateOptions()))


def test_an_edit_that_cannot_be_made(plan_of: Callable[..., str], tmp_path: Path) -> None:
    """A point that cannot be replayed is a row with its error."""
    weights = {"weight": {"edit": "queue/team-a.spec.weight={}", "values": [1, -1]}}
    saved = tmp_path / "sweep.json"
    assert main(["sweep", plan_of(parameters=weights), "-q", "-o", str(saved)]) == 0
    assert [row["error"] is None for row in json.loads(saved.read_text())["rows"]] == [True, False]


def test_plans_are_read_with_their_faults_together(plan_of: Callable[..., str]) -> None:
    """All that is wrong with how points are replayed is said at once."""
    with pytest.raises(InputErrors) as errors:
        read_plan(plan_of(replay={"until": "soon", "startDelay": -1}))
    assert [each.path for each in errors.value.diagnostics] == ["$.replay.startDelay", "$.replay.until"]
