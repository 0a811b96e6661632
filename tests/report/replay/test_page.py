"""The tables on replays: for terminals and as markdown."""

from __future__ import annotations

import doctest
from dataclasses import replace
from io import BytesIO
from types import ModuleType

import msgspec
import pytest
from pyarrow import parquet
from syrupy.assertion import SnapshotAssertion

from tests.replay.runs import crowd, job, run, runs
from tests.report.html_pages import HOSTILE
from tests.report.writers import as_json, as_markdown, as_table
from vqs.explain.amounts import lasting
from vqs.replay import figures, statistics, windows
from vqs.replay.compare import compared
from vqs.replay.figures import summed_up
from vqs.replay.outcome import PodRecord, Replay, Replays
from vqs.replay.repeated import typical as typical_of
from vqs.report.formats import Again, Detail, Format, View
from vqs.report.registry import write_data
from vqs.report.replay import page, parts
from vqs.report.replay.page import explained, opened
from vqs.report.saved import read_result

WIDE = View(width=160)


def small() -> Replay:
    """Return a run of two queues: one job waits for long, one never starts."""
    jobs = [
        job("train", times=(0.0, 1.0, 11520.0, 15000.0), waited={"queue-limit": 8520.0, "fragmented": 3000.0}),
        job("etl", "b", (60.0, 61.0, 62.0, 200.0), work=138.0),
        job("huge", "b", (100.0, 101.0, None, None), waited={"no-node-fits": 15000.0}),
    ]
    return summed_up(run(jobs, end=15100.0))


def test_the_most_typical_run_says_how_far_others_are_from_it() -> None:
    """Who compares with a real cluster has to know what is chance."""
    typical = typical_of([summed_up(crowd(60, 4, seed=seed)) for seed in (1, 2, 3)])
    lines = as_table(typical, View(width=400)).splitlines()
    assert (
        "Figures are means over 3 runs, and ± is how far their 95% confidence intervals reach (≤ is where one ends "
        f"that begins at 0); single jobs are those of the most typical run, seed {typical.seed}."
    ) in lines
    wait = typical.estimates["replay.wait.mean"]
    assert f"jobs waited {lasting(wait.mean)} (≤{lasting(wait.high)}) on average" in "\n".join(lines)


def thrashing(queue: str = "b") -> Replay:
    """Return a run in which jobs of queue a and another evict each other's pods every ten seconds, for five minutes."""
    jobs = [job("one", work=400.0, work_lost=160.0, evictions=16), job("two", queue, work=220.0, evictions=15)]
    pods = [
        PodRecord(
            pod="p", job=at % 2, created=0.0, node="n1", bound=at * 10.0, started=at * 10.0, ended=at * 10.0 + 10.0,
            outcome="evicted", evictor_job=1 - at % 2, action="reclaim", work_lost=10.0,
        )
        for at in range(31)
    ]  # fmt: skip
    return summed_up(run(jobs, pods, end=400.0))


def policies(seeds: int) -> Replays:
    """Return runs of two policies."""
    made = [
        summed_up(crowd(60, 4, seed=seed, policy=policy, slow=slow))
        for policy, slow in (("first.conf", 1.0), ("second.conf", 0.8))
        for seed in range(1, seeds + 1)
    ]
    return compared(runs(*made))


def test_a_run_on_a_terminal(snapshot: SnapshotAssertion) -> None:
    """Waits by queue, reasons, jobs that never started, and the answer with the next commands at the end."""
    assert as_table(small(), WIDE) == snapshot


def test_policies_on_a_terminal(snapshot: SnapshotAssertion) -> None:
    """The runs, what differs with intervals, the jobs that change most, and the answer."""
    assert as_table(policies(3), WIDE) == snapshot


def test_a_run_as_markdown(snapshot: SnapshotAssertion) -> None:
    """The answer first, then the tables."""
    assert as_markdown(small(), View()) == snapshot


def test_the_only_job_is_spoken_of_as_one() -> None:
    """A mean of one wait, and all of one job, say nothing."""
    one = run([job("only", times=(0.0, 1.0, 2.0, 9.0))])
    assert "The only job completed in 1m 40s; it waited 2s; no evictions." in as_table(one, WIDE)
    never = run([job("only", times=(0.0, None, None, None))])
    assert "The only job never started in 1m 40s; it waited until the end; no evictions." in as_table(never, WIDE)


def test_what_fits_no_node_is_said_first() -> None:
    """With no nodes at all, and where jobs request more than any node has; a job that only waits is not one of them."""
    never = (0.0, 1.0, None, None)
    large = [job("large", times=never, request={"cpu": 22.0}, pods=2), job("judged", times=never)]
    large[1].waited = {"larger-than-any-node": 9.0}
    jobs = [*large, job("waits", times=never, request={"cpu": 20.0}, pods=2)]
    said = "2 jobs never started: a pod requests more than any node has: ns/large and ns/judged (larger-than-any-node)"
    assert said in as_table(run(jobs), WIDE)
    assert said in as_markdown(run(jobs), View())
    assert "Nothing can be placed: the workload has no nodes" in as_table(run(jobs, nodes=()), WIDE)
    assert "Nothing can be placed" not in as_table(run(jobs), WIDE)


def test_thrashing_is_in_the_answer() -> None:
    """Which queues, for how long, what it costs, and what helps."""
    text = as_table(thrashing(), WIDE)
    assert "What helps: the plugin cdp" in text
    assert "What helps" not in as_table(small(), WIDE)
    said = "for 5m, from 10s to 5m 10s: 31 evictions, 5m 10s of work lost (50% of all work)."
    assert f"Queues a and b take from each other {said}" in text
    assert "What helps inside a queue" not in text
    inside = as_table(thrashing("a"), WIDE)
    assert f"In queue a, reclaim evicts the same pods again and again {said}" in inside
    assert "What helps inside a queue" in inside
    assert "What helps: the plugin cdp" not in inside


def test_thrashing_is_said_for_each_policy() -> None:
    """Once for each policy, however many seeds it is run with."""
    one, other = thrashing(), thrashing()
    other.policy = "second.conf"
    text = as_table(compared(runs(one, msgspec.structs.replace(one, seed=2), other)), WIDE)
    assert text.count("take from each other") == 4  # at the beginning and at the end
    assert text.count("What helps") == 2
    assert "second.conf: Queues a and b" in text


def test_everything_is_shown_on_request() -> None:
    """Admission, completion and slowdowns have tables of their own with -v."""
    usual, everything = (
        as_table(small(), replace(WIDE, detail=detail)) for detail in (Detail.USUAL, Detail.EVERYTHING)
    )
    assert "Time until admission" not in usual
    assert "Time until admission" in everything


def test_too_few_seeds_are_said_to_be() -> None:
    """With one seed there is no interval, and the page says how many it takes."""
    text = as_table(policies(1), WIDE)
    assert "One seed: too few for an interval" in text
    assert "could be chance" not in text


def test_the_next_command_opens_a_moment() -> None:
    """When half of the longest wait is over, on the files that were read."""
    again = Again(files=("week.yaml",), options=(("--conf", "first.conf"),))
    text = as_table(small(), replace(WIDE, width=None, again=again))
    assert "vqs replay week.yaml --conf first.conf --seed 1 --at 2h6m40s --output moment.json" in text
    assert "vqs explain-job moment.json --job ns/huge" in text


def test_a_run_without_jobs() -> None:
    """Nothing is said of waits that there are none of."""
    text = as_table(summed_up(run([], end=0.0)), WIDE)
    assert "Nothing to replay: no job arrives, and none waits or runs at the start." in text


@pytest.mark.parametrize("made", [small(), policies(2)])
def test_results_are_read_back(made: Replay | Replays) -> None:
    """What was saved is written the same way later."""
    text = as_json(made, View())
    kept = read_result(text.encode())
    assert kept == made
    assert as_table(kept, WIDE) == as_table(made, WIDE)


def test_names_are_no_commands() -> None:
    """Names by strangers neither colour a terminal nor act as markup."""
    made = small()
    for each, name in zip(made.jobs, HOSTILE[-3:], strict=True):
        each.name = each.queue = name
    made.policy = HOSTILE[-1]
    again = summed_up(made)
    assert "\x1b" not in as_table(again, WIDE)
    assert "\u202e" not in as_markdown(again, View())
    other = compared(runs(again, msgspec.structs.replace(again, policy=HOSTILE[-3])))
    assert "\x1b" not in as_table(other, WIDE)
    assert "\u202e" not in as_markdown(other, View())


def test_jobs_as_parquet() -> None:
    """A row for each job of each run, with null where something did not happen, and the lives of its pods."""
    result = compared(runs(thrashing(), msgspec.structs.replace(small(), policy="second.conf")))
    rows = parquet.read_table(BytesIO(write_data(result, Format.PARQUET, View()))).to_pylist()
    assert [(row["policy"], row["name"], row["wait"]) for row in rows] == [
        ("first.conf", "one", 1.0),
        ("first.conf", "two", 1.0),
        ("second.conf", "train", 11520.0),
        ("second.conf", "etl", 2.0),
        ("second.conf", "huge", None),
    ]
    assert rows[2]["waited"] == [("queue-limit", 8520.0), ("fragmented", 3000.0)]
    assert len(rows[0]["lives"]) == 16
    assert (rows[0]["lives"][0]["evictedFor"], rows[0]["lives"][0]["lost"]) == ("ns/two", 10.0)


@pytest.mark.parametrize("module", [page, parts, statistics, windows, figures])
def test_examples_in_docstrings_hold(module: ModuleType) -> None:
    """What a docstring shows is what comes out."""
    outcome = doctest.testmod(module)
    assert outcome.attempted
    assert not outcome.failed


@pytest.mark.parametrize(
    ("policy", "options", "command"),
    [
        ("", (("--conf", "a.conf"), ("--period", "5")), "--conf a.conf --period 5 --seed 2"),
        ("b.conf", (("--conf", "a.conf"), ("--conf", "b.conf")), "--conf b.conf --seed 2"),
        ("as it is", (("--conf", "a.conf"), ("--edits", "more.yaml")), "--conf a.conf --seed 2"),
        ("more.yaml", (("--edits", "more.yaml"), ("--edits", "less.yaml")), "--edits more.yaml --seed 2"),
        (
            "b.conf with more.yaml",
            (("--conf", "a.conf"), ("--conf", "b.conf"), ("--edits", "more.yaml"), ("--edits", "less.yaml")),
            "--conf b.conf --edits more.yaml --seed 2",
        ),
        ("b.conf", (("--conf", "a.conf"), ("--conf", "b.conf"), ("--edits", "more.yaml")), "--conf b.conf --seed 2"),
        ("", (("--seeds", "3"),), "--seed 2"),
        ("", (("--seed", "2"),), "--seed 2"),
        ("", (("--seed", "1"), ("--runs", "9"), ("--precision", "5%")), "--seed 2"),
    ],
)
def test_a_moment_is_that_of_one_run(policy: str, options: tuple[tuple[str, str], ...], command: str) -> None:
    """Of several configurations, edits and seeds, the command has those of the run."""
    again = Again(files=("week.yaml",), options=options)
    step = opened(run([], policy=policy, seed=2), again, "3h12m", "")
    assert step.command == f"vqs replay week.yaml {command} --at 3h12m --output moment.json"


@pytest.mark.parametrize(("seed", "drawn"), [(0, ""), (3, " --seed 3")])
def test_the_most_typical_of_several_runs_is_repeated_with_its_seed(seed: int, drawn: str) -> None:
    """The command without a seed would open a moment of the run without one."""
    typical = run([], seed=seed)
    typical.seeds = [1, 2, 3]
    step = opened(typical, Again(files=("week.yaml",)), "3h12m", "")
    assert step.command == f"vqs replay week.yaml{drawn} --at 3h12m --output moment.json"


def test_a_job_is_explained_in_the_moment() -> None:
    """The snapshot is what the next command reads, by the program that was called."""
    again = Again("kubectl vqs", ("week.yaml",), (("--conf", "a.conf"),))
    assert explained(again, "ns/one", "").command == "kubectl vqs explain-job moment.json --job ns/one"
