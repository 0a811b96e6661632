"""Jobs of dumps by the names that people know them by, in every command."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.kubectl_dumps import cluster, group_of, item, pod_group, uid_of, volcano_job, write_dump
from vqs.cli.main import main

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}")
RAY_JOB = item(("ray.io/v1", "RayJob"), "tune", namespace="training", spec={})
RAY_CLUSTER = item(("ray.io/v1", "RayCluster"), "tune-x7k2p", namespace="training", owner=RAY_JOB, spec={})
RAY_GROUP = f"podgroup-{uid_of('ray')}"
WAITS = volcano_job("mpi-allreduce", namespace="training", cpu=6, pods=4)
GROUP = WAITS[1]["metadata"]["name"]


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """Return a dump with a Volcano Job that waits, and one of Ray that runs."""
    return write_dump(tmp_path / "dump.json", cluster(WAITS, [RAY_CLUSTER], group_of(RAY_CLUSTER, RAY_GROUP, cpu=1)))


@pytest.mark.parametrize("name", ["mpi-allreduce", "training/mpi-allreduce", GROUP, f"training/{GROUP}"])
def test_a_job_is_explained_by_any_of_its_names(dump: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The name of the Volcano Job and that of the PodGroup do; the answer has the one that people know."""
    assert main(["explain-job", dump, "--job", name, "--no-remedies"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("training/mpi-allreduce can never start: ")
    assert not UID.search(out)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mpi-alreduce", "there is no job 'mpi-alreduce' (did you mean 'mpi-allreduce'?)"),
        ("default/mpi-allreduce", "'default/mpi-allreduce' (it is in another namespace: training/mpi-allreduce)"),
    ],
)
def test_a_name_that_is_nearly_there(dump: str, name: str, hint: str, refused: Callable[[Sequence[str]], str]) -> None:
    """A near miss gets a suggestion, and a job that is elsewhere its namespace."""
    assert hint in refused(["explain-job", dump, "--job", name])


@pytest.mark.parametrize(
    "command",
    [
        ["simulate"],
        ["simulate", "--format", "markdown"],
        ["simulate", "--quiet"],
        ["simulate", "--decisions"],
        ["simulate", "--cycles", "3"],
        ["explain-queue", "--queue", "default"],
        ["explain-job", "--job", "training/tune"],
        ["lint"],
    ],
    ids=" ".join,
)
def test_no_page_shows_uids(dump: str, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Tables, findings and sentences name jobs after their controllers."""
    main([command[0], dump, *command[1:], "--verbose"] if "--quiet" not in command else [command[0], dump, "--quiet"])
    out, err = capsys.readouterr()
    assert not UID.search(out + err), out + err


def test_globs_take_the_name(dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--job` of simulate shows the jobs and tasks that a pattern matches; the owner's name counts."""
    assert main(["simulate", dump, "--job", "mpi-*"]) == 0
    out = capsys.readouterr().out
    assert "Jobs: 1 of 2" in out
    assert "Tasks: 4 of 5" in out


def test_json_has_both_names(dump: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The PodGroup's name stays, and the display name and the owner stand beside it."""
    assert main(["simulate", dump, "--format", "json"]) == 0
    jobs = {job["name"]: job for job in json.loads(capsys.readouterr().out)["jobs"]}
    assert jobs[GROUP]["displayName"] == "training/mpi-allreduce"
    assert jobs[GROUP]["owner"] == {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "mpi-allreduce"}
    assert jobs[RAY_GROUP]["displayName"] == "training/tune"
    assert jobs[RAY_GROUP]["owner"] == {"apiVersion": "ray.io/v1", "kind": "RayJob", "name": "tune"}


@pytest.mark.parametrize(
    ("name", "met"),
    [("mpi-allreduce", True), ("training/mpi-*", True), (GROUP, True), ("default/mpi-allreduce", False)],
)
def test_what_is_expected(dump: str, tmp_path: Path, name: str, met: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """A scenario expects something of a job by the name that people know."""
    scenario = tmp_path / "expect.yaml"
    scenario.write_text(
        f"apiVersion: vqs/v1\nkind: Scenario\nexpect: {{jobs: {{'{name}': {{counts: {{Pending: 4}}}}}}}}\n"
    )
    assert main(["simulate", dump, str(scenario)]) == (0 if met else 1)
    out = capsys.readouterr().out
    assert ("it is in another namespace: training/mpi-allreduce" in out) is not met


@pytest.mark.parametrize("job", ["training/mpi-allreduce", f"training/{GROUP}"])
def test_edits_take_the_name(dump: str, job: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A job can be removed by any of its names."""
    main(["simulate", dump, "--remove", f"job/{job}"])
    assert "1 job in 1 queue" in capsys.readouterr().out


def test_a_controller_of_a_kind_that_is_not_used_is_edited_by_its_pod_group(
    dump: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What vqs does not know of has a PodGroup, which is removed, scaled and changed in its place."""
    assert main(["simulate", dump, "--scale", "job/training/tune=3"]) == 0
    assert "3 tasks placed" in capsys.readouterr().out
    assert main(["simulate", dump, "--set", "podgroup/training/tune.spec.minMember=2"]) == 0
    assert "its gang needs 2 tasks" in " ".join(capsys.readouterr().out.split())


# --- two snapshots ----------------------------------------------------------------------------------------------------


@pytest.fixture
def anew(tmp_path: Path) -> str:
    """Return a later dump, in which the job was deleted and made again with smaller pods."""
    job = volcano_job("mpi-allreduce", namespace="training", cpu=3, pods=4, uid=uid_of("made anew"))
    items = cluster(job, [RAY_CLUSTER], group_of(RAY_CLUSTER, RAY_GROUP, cpu=1))
    return write_dump(tmp_path / "anew.json", items)


def difference(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return what differs."""
    main(["diff-configs", *arguments, "--format", "json"])
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_a_job_made_anew_is_the_same_job(dump: str, anew: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is neither gone nor new though its uid, and so its PodGroup, is another."""
    [job] = difference(capsys, dump, anew)["jobs"]
    assert (job["name"], job["displayName"]) == (GROUP, "training/mpi-allreduce")
    assert (job["before"]["podGroup"], job["after"]["podGroup"]) == (GROUP, f"mpi-allreduce-{uid_of('made anew')}")
    assert job["changes"] == ["placed"]


def test_a_job_made_anew_is_not_denied(
    dump: str, anew: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dumps from which the uids were taken tell by the time of creation that it is another object."""
    stripped = json.loads(Path(anew).read_text(encoding="utf-8"))
    for each in stripped["items"]:
        del each["metadata"]["uid"]
        each["metadata"]["creationTimestamp"] = "2026-03-02T09:00:00Z"
    without = write_dump(tmp_path / "stripped.json", stripped["items"])
    [job] = difference(capsys, dump, without)["jobs"]
    assert job["changes"] == ["placed"]


def test_a_change_that_is_denied_names_the_job(
    dump: str, tmp_path: Path, refused: Callable[[Sequence[str]], str]
) -> None:
    """Of a job that is the same object, the error says which it is."""
    changed = [
        json.loads(json.dumps(each).replace('"cpu": "6"', '"cpu": "3"')) if each["kind"] == "Job" else each
        for each in cluster(WAITS)
    ]
    error = refused(["diff-configs", dump, write_dump(tmp_path / "changed.json", changed)])
    assert "Volcano's webhook denies this change: Job training/mpi-allreduce: spec.tasks[0]" in error


@pytest.mark.parametrize("name", ["mpi-allreduce", "training/mpi-allreduce", f"training/{GROUP}"])
def test_conditions_take_the_name(dump: str, anew: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A condition of `--fail-on` names a job as people do, also one that was made anew."""
    result = difference(capsys, dump, anew, "--fail-on", f"job:{name}.placed>1")
    assert [each["text"] for each in result["failures"]] == [f"job:{name}.placed is 4 (it was 0), and must not be > 1"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mpi-alreduce", "there is no job 'mpi-alreduce' (did you mean 'mpi-allreduce'?)"),
        ("default/mpi-allreduce", "(it is in another namespace: training/mpi-allreduce)"),
    ],
)
def test_conditions_on_jobs_that_there_are_not(
    dump: str, anew: str, name: str, hint: str, refused: Callable[[Sequence[str]], str]
) -> None:
    """They are refused with what was probably meant."""
    assert hint in refused(["diff-configs", dump, anew, "--fail-on", f"job:{name}.placed>1"])


def test_a_comparison_shows_no_uids(dump: str, anew: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its table, its findings and the first decision that differs name the job after its controller."""
    assert main(["diff-configs", dump, anew]) == 1
    out = capsys.readouterr().out
    assert "training/mpi-allreduce" in out
    assert not UID.search(out)


def test_two_jobs_of_one_name_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Controllers of two kinds that are called the same have their kinds added."""
    deployment = item(("apps/v1", "StatefulSet"), "mpi-allreduce", namespace="training")
    both = cluster(WAITS, pod_group("podgroup-1", deployment, namespace="training"))
    assert main(["simulate", write_dump(tmp_path / "both.json", both)]) == 0
    out = capsys.readouterr().out
    assert "training/mpi-allreduce (Job)" in out
    assert "training/mpi-allreduce (StatefulSet)" in out


def test_an_ambiguous_name(tmp_path: Path, refused: Callable[[Sequence[str]], str]) -> None:
    """Each name that it may stand for is written as a shell takes it, in edits and in conditions."""
    deployment = item(("apps/v1", "StatefulSet"), "mpi-allreduce", namespace="training")
    group = pod_group("podgroup-1", deployment, namespace="training")
    both = write_dump(tmp_path / "both.json", cluster(WAITS, group))
    name = "training/mpi-allreduce"
    said = refused(["diff-configs", both, both, "--fail-on", f"job:{name}.placed>1"])
    assert f"write one of 'job:{name} (Job).placed>1', 'job:{name} (StatefulSet).placed>1'" in said
    groups = [each for each in json.loads(Path(both).read_text(encoding="utf-8"))["items"] if each["kind"] != "Job"]
    said = refused(["simulate", write_dump(tmp_path / "groups.json", groups), "--remove", f"job/{name}"])
    assert f"write one of '{name} (Job)', '{name} (StatefulSet)'" in said


def test_verify_takes_a_job_made_anew_for_the_same(dump: str, anew: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It says that the job was made again, and not only that it is gone."""
    main(["verify", dump, anew])
    out = capsys.readouterr().out
    assert "job training/mpi-allreduce (it was deleted and created again)" in " ".join(out.split())
    assert not UID.search(out)
