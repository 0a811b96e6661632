"""What `vqs explain-job` and `vqs fit` propose, made with the options of the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.build import gang, node, queue
from tests.explain.jobs.test_how_to import MANIFESTS
from tests.explain.jobs.test_remedies import SCENARIOS, not_placed
from tests.explain.jobs.test_surroundings import refused_by_range
from vqs.cli.main import main
from vqs.snapshot.reading.reader import read_manifests


def ran(arguments: Sequence[str], capsys: pytest.CaptureFixture[str], status: int = 0) -> Any:
    """Run a command, expect its exit status, and return the JSON that it writes."""
    assert main([*arguments, "--format", "json"]) == status
    return json.loads(capsys.readouterr().out)


def options(edits: Sequence[str], listed: Path) -> list[str]:
    """Return the options that make edits; an object to add is given in a file."""
    found = []
    for edit in edits:
        verb, _, rest = edit.partition(" ")
        if verb == "add":
            listed.write_text(json.dumps([edit]))
            found += ["--edits", str(listed)]
        elif verb in ("clone-node", "scale", "remove"):
            found += [f"--{verb}", rest]
        else:
            found += ["--set", edit]
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("file", SCENARIOS, ids=lambda file: file.stem)
def test_each_remedy_can_be_made(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is proposed for the jobs of a scenario is taken as options, denied by no webhook, and does as promised."""
    for job in not_placed(read_manifests([str(file)])):
        asked = ["explain-job", str(file), "--job", job]
        found = ran([*asked, "--remedies"], capsys)
        for remedy in (found["fixSearch"] or {"fixes": []})["fixes"]:
            made = ran([*asked, "--no-remedies", *options(remedy["edits"], tmp_path / "edits.yaml")], capsys)
            assert made["job"]["decision"] == remedy["decision"], remedy["edits"]


def test_a_fix_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first fix is written as a change of the manifests, another one as patches, and what is wrong is said."""
    manifests = tmp_path / "train.yaml"
    manifests.write_text(MANIFESTS)
    asked = ["explain-job", str(manifests), "--job", "train", "-q"]
    diff, patches = tmp_path / "fix.diff", tmp_path / "fix.yaml"
    assert main([*asked, "--patch", str(diff)]) == 0
    assert "+    cpu: 4\n" in diff.read_text()
    assert main([*asked, "--patch", str(patches), "--fix", "3"]) == 0
    assert "kind: Component" in patches.read_text()
    assert main([*asked, "--patch", str(diff), "--fix", "99"]) == 2
    assert main([*asked, "--patch", str(tmp_path / "fix.txt")]) == 2
    assert main([*asked, "--fix", "1"]) == 2
    assert main(["explain-job", str(manifests), "--patch", str(diff)]) == 2
    said = capsys.readouterr().err
    assert "there is no fix 99 to write" in said
    assert "--patch needs --job" in said


def test_a_fix_of_a_dump_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is written as patches, also of what is created again; why not as a diff is said, and what to do."""
    dump, patches = tmp_path / "dump.json", tmp_path / "fix.yaml"
    objects = [*refused_by_range(max={"cpu": "2"}), queue("default")]
    dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    asked = ["explain-job", str(dump), "--job", "job", "-q", "--patch"]
    assert main([*asked, str(patches), "--fix", "2"]) == 0
    written = patches.read_text()
    assert "# Then delete and create again: Job ns/job" in written
    assert "# In a cluster" not in written
    [change] = yaml.safe_load(written)["patches"]
    assert (change["target"]["kind"], change["target"]["name"]) == ("Job", "job")
    assert "path: /spec/tasks/0/template/spec/containers/0/resources/requests/cpu" in change["patch"]
    assert main([*asked, str(tmp_path / "fix.diff")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "what was read is a dump, and whoever changes that changes nothing in the cluster" in said
    assert "What to do: run kubectl patch limitrange caps" in said


def test_a_fix_without_a_field_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is to be done instead is said."""
    manifests = tmp_path / "train.json"
    objects = [node("n", cpu=1), *gang("train", 2), queue("default")]
    manifests.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    found = ran(["explain-job", str(manifests), "--job", "ns/train"], capsys)
    number = 1 + [each["edits"] for each in found["fixes"]].index(["clone-node n=1"])
    asked = ["explain-job", str(manifests), "--job", "ns/train", "--fix", str(number), "--patch"]
    assert main([*asked, str(tmp_path / "fix.yaml")]) == 2
    assert "as it changes no field of an object: add 1 node like n" in " ".join(capsys.readouterr().err.split())


def test_a_long_line_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a file is one long line, or too large to be written by hand, no line of it is shown or written."""
    objects = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*yaml.safe_load_all(MANIFESTS)]})
    one_line, diff = tmp_path / "train.json", tmp_path / "fix.diff"
    one_line.write_text(objects)
    short = tmp_path / "short.json"
    short.write_text(json.dumps(json.loads(objects), indent=1))
    assert any(each["lines"] for each in ran(["explain-job", str(short), "--job", "train"], capsys)["fixes"])
    assert not any(
        each["lines"] or each["diff"] for each in ran(["explain-job", str(one_line), "--job", "train"], capsys)["fixes"]
    )
    assert main(["explain-job", str(one_line), "--job", "train", "--patch", str(diff)]) == 2
    assert "on lines that a person reads" in capsys.readouterr().err
    assert not diff.exists()
    short.write_text(short.read_text() + " " * 500_000)
    assert not any(each["lines"] for each in ran(["explain-job", str(short), "--job", "train"], capsys)["fixes"])


def test_warnings_of_lint(capsys: pytest.CaptureFixture[str]) -> None:
    """A change that lint warns of is no fix; it is counted, and shown with what lint says of it by --all-fixes."""
    asked = ["explain-job", str(SCENARIOS[0].parent / "capacity-best-effort-queue.yaml"), "--job", "crawl"]
    report = ran(asked, capsys)
    warned = [each["warnings"] for each in report["fixSearch"]["warned"]]
    assert any("deserved-above-cluster" in text for each in warned for text in each)
    assert not any(each["warnings"] for each in report["fixSearch"]["fixes"])
    main(asked)
    assert f"{len(warned)} more change" in (few := capsys.readouterr().out)
    main([*asked, "--all-fixes"])
    assert "vqs lint then warns: deserved-above-cluster" not in few
    assert "vqs lint then warns: deserved-above-cluster" in capsys.readouterr().out
