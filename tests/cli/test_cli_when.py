"""`vqs when`, as a user meets it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.kubectl_dumps import Item, cluster, group_of, item, running, volcano_job, write_dump
from vqs.cli.main import main
from vqs.report.registry import formats_of

NOW = "2026-03-02T09:00:00Z"
MORE = """apiVersion: vqs/v1
kind: Scenario
nodes: [{name: more, cpu: 8, memory: 64Gi}]
"""


def started(items: list[Item], node: str, *, limit: int | None = None) -> list[Item]:
    """Have pods run on a node for an hour, and have them end after a number of seconds."""
    for each in running(items, node):
        if each["kind"] == "Pod":
            each["status"]["startTime"] = "2026-03-02T08:00:00Z"
            if limit is not None:
                each["spec"]["activeDeadlineSeconds"] = limit
    return items


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Return a function that asks of a dump when its jobs start, and returns the document."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))

    def ask(items: list[Item], *options: str) -> Any:
        write_dump(tmp_path / "dump.json", items)
        assert main(["when", "dump.json", "--now", NOW, "--format", "json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    return ask


def limited(limit: int | None = 2 * 3600) -> list[Item]:
    """Return a cluster that is full until one job reaches its limit, and a job that waits for its room."""
    full = [
        *started(volcano_job("old", namespace="ml", cpu=8), "node-1", limit=limit),
        *started(volcano_job("older", namespace="ml", cpu=8), "node-2", limit=4 * 3600 if limit else None),
    ]
    return cluster(full, volcano_job("new", namespace="ml", cpu=8))


def test_a_limit_forces_the_time(asked: Callable[..., Any]) -> None:
    """A job that waits for one with an hour left of its activeDeadlineSeconds starts then, in all runs."""
    found = asked(limited())
    [job] = found["jobs"]
    assert (job["displayName"], job["fate"], job["started"], found["runs"]) == ("ml/new", "starts", 9, 9)
    assert 3600 <= job["earliest"] <= job["median"] <= job["latest"] < 3605
    assert job["earliestAt"].startswith("2026-03-02T10:00:0")
    assert found["now"] == NOW
    texts = {each["source"]: each["text"] for each in found["assumptions"]}
    assert texts["limit"] == "2 pods run until their limit, activeDeadlineSeconds"
    assert texts["default"].startswith("1 pod runs for 1h as a median, four of five of them")
    assert texts["clock"] == "2 pods began to run at any moment of the second that the snapshot has for that"
    assert "no job arrives" in texts["workload"]


def test_durations_of_jobs(asked: Callable[..., Any], tmp_path: Path) -> None:
    """The first pattern that matches counts, its time began with the pod, and a limit is not exceeded."""
    (tmp_path / "d.yaml").write_text("ml/older: 90m\nml/*: 10h\n", encoding="utf-8")
    [job] = asked(limited(limit=None), "--durations", "d.yaml", "--runs", "3")["jobs"]
    assert len(job["starts"]) == 3
    assert 1800 <= job["earliest"] <= job["latest"] < 1805
    [job] = asked(limited(), "--durations", "d.yaml")["jobs"]
    assert 1800 <= job["earliest"] <= job["latest"] < 1805
    (tmp_path / "d.yaml").write_text("ml/*: 10h\n", encoding="utf-8")
    [job] = asked(limited(), "--durations", "d.yaml")["jobs"]
    assert 3600 <= job["earliest"] <= job["latest"] < 3605


def test_the_default_is_drawn(asked: Callable[..., Any]) -> None:
    """Where nothing is known, runs differ, the same seeds give the same document, and the default can be set."""
    found = asked(limited(limit=None))
    assert found == asked(limited(limit=None), "--jobs", "1")
    [job] = found["jobs"]
    assert job["earliest"] < job["median"] < job["latest"]
    assert found["seeds"] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert found["jobs"] != asked(limited(limit=None), "--seed", "10")["jobs"]
    fixed = asked(limited(limit=None), "--default-duration", "2h")
    assert 3600 <= fixed["jobs"][0]["earliest"] <= fixed["jobs"][0]["latest"] < 3605
    [assumed] = [each for each in fixed["assumptions"] if each["source"] == "default"]
    assert "3 pods run for 2h, as nothing says how long" in assumed["text"]


def test_longer_than_said(asked: Callable[..., Any]) -> None:
    """Pods that have run longer than they are said to are taken to end now, and it is said of how many."""
    found = asked(limited(limit=None), "--default-duration", "30m")
    assert found["jobs"][0]["latest"] < 10
    [assumed] = [each for each in found["assumptions"] if each["source"] == "default"]
    assert assumed["overdue"] == 2
    assert "2 of them longer than that already, and taken to end now" in assumed["text"]


def test_never(asked: Callable[..., Any]) -> None:
    """A job that is larger than any node never starts, as it is; the cause is named, and a larger node is an answer."""
    items = [*limited(), *volcano_job("huge", namespace="ml", cpu=9)]
    [job] = asked(items, "--job", "ml/huge")["jobs"]
    assert (job["fate"], job["started"], job["earliest"], job["code"]) == ("never", 0, None, "larger-than-any-node")
    [job] = asked(items, "--job", "huge", "--set", "node/node-1.status.allocatable.cpu=9")["jobs"]
    assert job["fate"] == "starts"


def test_not_within(asked: Callable[..., Any]) -> None:
    """A job whose room is free only after the horizon is not said to start never."""
    found = asked(limited(), "--within", "30m")
    assert (found["jobs"][0]["fate"], found["jobs"][0]["median"]) == ("not-within", None)
    assert found["answer"].startswith("ml/new does not start within 30m in any of 9 runs: ")


def test_an_edit(asked: Callable[..., Any], tmp_path: Path) -> None:
    """With one more node, the job starts at once."""
    (tmp_path / "more.yaml").write_text(MORE, encoding="utf-8")
    assert asked(limited(), "--add", "more.yaml")["jobs"][0]["latest"] < 10


def test_a_job_without_pods(asked: Callable[..., Any]) -> None:
    """A Volcano Job of which nothing is made yet is found in the replays under its PodGroup's name or its own."""
    items = [each for each in limited() if not (each["kind"] == "Pod" and each["metadata"]["name"].startswith("new"))]
    [job] = asked(items)["jobs"]
    assert (job["displayName"], job["fate"], job["started"]) == ("ml/new", "starts", 9)
    assert 3600 <= job["earliest"] < 3605


def test_a_job_that_runs(asked: Callable[..., Any]) -> None:
    """One that does not wait is no error, and one that there is not is guessed at."""
    found = asked(limited(), "--job", "ml/old")
    assert (found["answer"], found["jobs"], found["runs"]) == ("ml/old does not wait.", [], 0)


def test_a_job_with_fewer_pods(asked: Callable[..., Any]) -> None:
    """A job whose minimum runs has started, though one of its pods waits."""
    elastic = volcano_job("elastic", namespace="ml", cpu=8, pods=2, minimum=1)
    one = [each for each in elastic if each["metadata"]["name"] == "elastic-worker-0"]
    items = cluster(elastic, started(volcano_job("old", namespace="ml", cpu=8), "node-1"))
    started(one, "node-2")
    assert asked(items)["answer"] == "ml/elastic runs already, with fewer pods than it asks for."


def test_several_jobs(asked: Callable[..., Any]) -> None:
    """The answer counts the jobs by what becomes of them."""
    items = [*limited(), *volcano_job("huge", namespace="ml", cpu=9)]
    assert asked(items)["answer"] == (
        "Of 2 jobs that wait, 1 starts within 7d in some or all of 9 runs; 1 never, as it is."
    )


def test_an_unknown_job(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is misspelt is guessed at."""
    asked(limited())
    assert main(["when", "dump.json", "--job", "ml/nwe"]) == 2
    assert "there is no job 'ml/nwe' (did you mean 'ml/new'?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ml/*: 6 parsecs\n", "d.yaml:1:7: $[\"ml/*\"]: '6 parsecs' is no duration"),
        ("a: 1h\nml/*:\n  lognormel: {median: 1h, sigma: 1}\n", "did you mean 'lognormal'?"),
        ("a: 1h\nml/*:\n  lognormel: {median: 1h, sigma: 1}\n", "d.yaml:3:"),
        ("- 1h\n", "d.yaml:1:1: expected one mapping from jobs to durations"),
        ("a: [\n", "d.yaml:"),
        ("", "this file is empty"),
        ("a: 1h\n---\nb: 1h\n", "expected one mapping from jobs to durations"),
    ],
)
def test_bad_durations(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """What is wrong in the file is told with its place, and what was probably meant."""
    asked(limited())
    Path("d.yaml").write_text(text, encoding="utf-8")
    assert main(["when", "dump.json", "--durations", "d.yaml"]) == 2
    assert said in capsys.readouterr().err


def test_a_pattern_of_no_job(asked: Callable[..., Any], tmp_path: Path) -> None:
    """A name that matches no job would change nothing in silence: it is noted, with what was probably meant."""
    (tmp_path / "d.yaml").write_text("ml/odl: 1h\n", encoding="utf-8")
    [note] = [each for each in asked(limited(), "--durations", "d.yaml")["diagnostics"] if each.get("file") == "d.yaml"]
    assert (note["code"], note["severity"], note["line"], note["column"]) == ("unused-duration", "note", 1, 1)
    assert note["help"] == "did you mean 'ml/old'?"


@pytest.mark.parametrize("given", ["soon", "{lognormel: 1h}", "[", "1h\n---\n2h"])
def test_a_bad_default(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str], given: str) -> None:
    """A default that is no duration is refused, by the name of its option."""
    asked(limited())
    assert main(["when", "dump.json", "--default-duration", given]) == 2
    assert "error: --default-duration: " in capsys.readouterr().err


@pytest.mark.parametrize("chosen", formats_of("When"))
def test_formats(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str], chosen: str) -> None:
    """Each format has the job, its time and the assumptions."""
    asked(limited())
    assert main(["when", "dump.json", "--now", NOW, "--format", chosen]) == 0
    out = capsys.readouterr().out
    assert all(
        text in out for text in ("ml/new", "activeDeadlineSeconds", "9 of 9" if chosen != "json" else '"runs": 9')
    )


def test_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nothing says when a snapshot was taken, there is no clock time."""
    path = tmp_path / "s.yaml"
    path.write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {allocatable: {cpu: 1, memory: 1Gi, pods: 9}}\n---\n"
        "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: default}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\n"
        "spec: {schedulerName: volcano, containers: [{name: c, resources: {requests: {cpu: 5}}}]}\n",
        encoding="utf-8",
    )
    assert main(["when", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["now"], found["jobs"][0]["earliestAt"]) == (None, None)
    main(["when", str(path)])
    assert "CLOCK TIME" not in capsys.readouterr().out


def test_the_limit_of_a_kubernetes_job(asked: Callable[..., Any]) -> None:
    """It counts from the start of the Job, which was an hour before that of its pod."""
    job = item(
        ("batch/v1", "Job"),
        "old",
        namespace="ml",
        spec={
            "activeDeadlineSeconds": 3 * 3600,
            "template": {"spec": {"schedulerName": "volcano", "containers": [{"name": "main"}]}},
        },
        status={"startTime": "2026-03-02T07:00:00Z"},
    )
    full = [job, *started(group_of(job, "old", cpu=8), "node-1")]
    keeps = started(volcano_job("older", namespace="ml", cpu=8), "node-2", limit=9 * 3600)
    [found] = asked(cluster(full, keeps, volcano_job("new", namespace="ml", cpu=8)))["jobs"]
    assert 3600 <= found["earliest"] <= found["latest"] < 3605


def test_services_and_history(asked: Callable[..., Any]) -> None:
    """A service keeps its node for good, and a pod whose like ran for 90 minutes has half an hour left."""
    owner = item(("apps/v1", "ReplicaSet"), "web", namespace="ml")
    service = started(group_of(owner, "web", cpu=8)[1:], "node-1")
    old = volcano_job("old", namespace="ml", cpu=8, pods=2, minimum=1)
    done, runs = [each for each in old if each["kind"] == "Pod"]
    started([done, runs], "node-2")
    ended = {"state": {"terminated": {"finishedAt": "2026-03-02T08:30:00Z"}}, "name": "main"}
    done["status"] = {"phase": "Succeeded", "startTime": "2026-03-02T07:00:00Z", "containerStatuses": [ended]}
    found = asked(cluster(service, old, volcano_job("new", namespace="ml", cpu=8)), "--job", "ml/new")
    assert 1800 <= found["jobs"][0]["earliest"] <= found["jobs"][0]["latest"] < 1805
    texts = {each["source"]: each["text"] for each in found["assumptions"]}
    assert texts["service"] == "1 pod of services runs without end"
    assert texts["history"] == "1 pod runs as long as others of their job that have ended"


def started_at(items: list[Item], time: str, node: str = "node-1") -> list[Item]:
    """Have the pods among some objects run on a node since some time."""
    for each in running(items, node):
        if each["kind"] == "Pod":
            each["status"]["startTime"] = f"2026-03-02T{time}Z"
    return items


@pytest.mark.parametrize(
    ("time", "verdict", "coverage"),
    [("10:00:01", "inside", 1.0), ("09:59:00", "earlier", 0.0), ("10:01:00", "later", 0.0)],
)
def test_later_dumps_say_how_good_the_range_was(
    asked: Callable[..., Any], capsys: pytest.CaptureFixture[str], time: str, verdict: str, coverage: float
) -> None:
    """A job that waits for an hour is compared with when its pods began to run, whichever dump shows that."""
    Path("when.json").write_text(json.dumps(asked(limited())), encoding="utf-8")
    write_dump(Path("before.json"), limited())
    write_dump(Path("after.json"), cluster(started_at(volcano_job("new", namespace="ml", cpu=8), time)))
    assert main(["verify", "when.json", "before.json", "after.json", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    [job] = found["jobs"]
    assert (job["displayName"], job["verdict"], found["coverage"]) == ("ml/new", verdict, coverage)
    assert (found["schema"], found["expected"], found["runs"]) == ("vqs/starts/v1", 0.8, 9)
    assert main(["verify", "when.json", "before.json", "after.json"]) == 0
    shown = capsys.readouterr().out
    assert verdict in shown
    assert f"{coverage:.0%}, where ranges of 9 runs should hold 80%" in shown


def test_a_start_that_is_still_to_come_is_open(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    """It counts for nothing, unless a dump is from after the end of the range."""
    Path("when.json").write_text(json.dumps(asked(limited())), encoding="utf-8")
    for time, verdict in (("09:30:00", "open"), ("10:30:00", "later")):
        other = started_at(volcano_job("other", namespace="ml", cpu=8), time)
        write_dump(Path("after.json"), cluster(other, volcano_job("new", namespace="ml", cpu=8)))
        assert main(["verify", "when.json", "after.json", "--format", "json"]) == 0
        [job] = json.loads(capsys.readouterr().out)["jobs"]
        assert (job["verdict"], job["started"]) == (verdict, None)


def test_ranges_that_cannot_be_compared(asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    """A dump from before them, ranges without a time, and what is for two dumps are refused."""
    document = asked(limited())
    Path("when.json").write_text(json.dumps(document), encoding="utf-8")
    write_dump(Path("before.json"), limited())
    assert main(["verify", "when.json", "before.json"]) == 2
    assert "no dump was taken after the ranges were made" in capsys.readouterr().err
    assert main(["verify", "when.json", "before.json", "--sessions", "2"]) == 2
    assert "are for two dumps" in capsys.readouterr().err
    Path("when.json").write_text(json.dumps({**document, "now": None}), encoding="utf-8")
    assert main(["verify", "when.json", "before.json"]) == 2
    assert "nothing says at what time the ranges were made" in capsys.readouterr().err
    Path("when.json").write_text('{"schema":"vqs/when/v1"}', encoding="utf-8")
    assert main(["verify", "when.json", "before.json"]) == 2
    assert "when.json" in capsys.readouterr().err


def test_earlier_dumps_tell_how_long_pods_ran(
    asked: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pod that is gone ended half-way between the dumps; those of its job that run now take as long."""
    before = started_at(volcano_job("old", namespace="ml", cpu=8, uid="u-1"), "06:00:00")
    for name, seen in (("dawn.json", "07:00:00"), ("morning.json", "07:30:00")):
        for each in before:
            each["metadata"]["creationTimestamp"] = f"2026-03-02T{seen}Z"
        write_dump(tmp_path / name, before)
    now = [
        *started_at(volcano_job("old", namespace="ml", cpu=8, uid="u-2"), "08:30:00"),
        *started_at(volcano_job("older", namespace="ml", cpu=8), "08:30:00", "node-2"),
    ]
    # The pod ran from 6:00 until 8:15, so that of its job has 1h45 left at 9:00.
    history = ("--history", "morning.json", "--history", "dawn.json", "--default-duration", "10h")
    found = asked(cluster(now, volcano_job("new", namespace="ml", cpu=8)), *history)
    [job] = found["jobs"]
    assert 6300 <= job["earliest"] <= job["latest"] < 6305
    texts = {each["source"]: each["text"] for each in found["assumptions"]}
    assert texts["history"] == "1 pod runs as long as others of their job that have ended"
    assert main(["when", "dump.json", "--history", "none.json"]) == 2
    assert "none.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("time", "refusal"),
    [
        ("2026-03-02T09:30:00Z", "it was taken at 2026-03-02T09:30:00Z, after the snapshot (2026-03-02T09:00:00Z)"),
        (None, "nothing in it says when it was taken"),
    ],
)
def test_a_history_that_is_not_earlier(
    time: str | None, refusal: str, asked: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """A dump from after the snapshot, and one of unknown time, tell nothing of what was before; both are refused."""
    asked(limited())
    items = limited()
    for each in items:
        each["metadata"].pop("creationTimestamp", None)
        for written in [each.get("status", {}), *each.get("status", {}).get("conditions", [])]:
            for name in [key for key in written if key.endswith("Time")]:
                del written[name]
    if time is not None:
        items[0]["metadata"]["creationTimestamp"] = time
    write_dump(Path("other.json"), items)
    assert main(["when", "dump.json", "--now", NOW, "--history", "other.json"]) == 2
    assert f"--history other.json: {refusal}" in capsys.readouterr().err
