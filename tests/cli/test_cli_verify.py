"""`vqs verify`, as a user meets it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import jsonschema
import pytest

from tests.build import CONF, Object, scheduler_conf
from tests.verify.pairs import PREEMPT, Later, cluster, lucky, obedient
from vqs.cli.main import main


def dump(path: Path, objects: Sequence[Object], conf: str) -> None:
    """Write objects as kubectl does."""
    items = [scheduler_conf(conf), *objects]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}), encoding="utf-8")


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes before.json and after.json into a folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))

    def write(before: Sequence[Object], after: Later, conf: str = PREEMPT) -> None:
        dump(tmp_path / "before.json", before, conf)
        dump(tmp_path / "after.json", after.objects, conf)

    return write


def test_a_cluster_that_does_what_vqs_says(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """The agreement is the first thing said, and the status is 0."""
    pair(cluster(), obedient(cluster(), PREEMPT))
    assert main(["verify", "before.json", "after.json"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Agreement 100%: 4 of 4 pods bound as predicted, 2 of 2 phases, 1 of 1 conditions")
    assert "1 session, compared with after.json, 8 seconds later" in out
    assert "anonymize" not in out


def test_a_difference(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """It is told with its job, the status is 1, and the next step is how to send the pair."""
    pair(cluster(), obedient(cluster(), PREEMPT).group("large", "Pending"))
    assert main(["verify", "before.json", "after.json"]) == 1
    out = capsys.readouterr().out
    assert "1 difference: 1 not explained" in out.splitlines()[0]
    assert "\nns/large  phase  Pending  Inqueue  not explained\n" in out
    assert out.splitlines()[-1].startswith("Next: vqs anonymize before.json after.json -o pair/ --key key.json")


def test_luck_is_no_failure(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """Where luck explains everything, the status is 0."""
    seed = next(seed for seed in range(1, 20) if obedient(lucky(), seed=seed).objects != obedient(lucky()).objects)
    pair(lucky(), obedient(lucky(), seed=seed), CONF)
    assert main(["verify", "before.json", "after.json", "--seeds", str(seed)]) == 0
    out = capsys.readouterr().out
    assert "explained by tie-breaking" in out.splitlines()[0]
    assert f"of {seed} other seeds" in out


def test_json_keeps_to_its_schema(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is what `vqs schema verification` describes, and the same on every run."""
    pair(cluster(), obedient(cluster(), PREEMPT).group("large", "Pending"))
    assert main(["schema", "verification"]) == 0
    schema = json.loads(capsys.readouterr().out)
    texts = []
    for _ in range(2):
        assert main(["verify", "before.json", "after.json", "--format", "json"]) == 1
        texts.append(capsys.readouterr().out)
    jsonschema.validate(json.loads(texts[0]), schema)
    assert json.loads(texts[0])["schema"] == "vqs/verification/v2"
    assert texts[0] == texts[1]


def test_markdown(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """It has the same in tables, and can be short."""
    pair(cluster(), obedient(cluster(), PREEMPT).group("large", "Pending"))
    assert main(["verify", "before.json", "after.json", "--format", "markdown"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("**Agreement ")
    assert "| **ns/large** | **phase** | **Pending** | **Inqueue** | **not explained** |" in out
    assert main(["verify", "before.json", "after.json", "--format", "markdown", "--quiet"]) == 1
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_the_number_of_sessions_and_a_file(pair: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    """Options are heeded, and what a file says is told on stderr."""
    pair(cluster(), obedient(cluster(), PREEMPT))
    arguments = ["verify", "before.json", "after.json", "--sessions", "1", "--format", "json", "--output", "v.json"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "Agreement 100%" in err
    assert "written to v.json" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["before.json"], "verify compares two dumps, an earlier and a later one: vqs verify BEFORE AFTER"),
        (["before.json", "before.json"], "BEFORE and AFTER are the same file, before.json"),
        (["-", "-"], "standard input can be read only once"),
        (["before.json", ""], "one of the files to read has an empty name"),
        (["after.json", "before.json"], "AFTER is older than BEFORE: swap them"),
        (["before.json", "after.json", "--sessions", "0"], "'0' is less than 1"),
        (["before.json", "after.json", "--seeds", "-1"], "'-1' is less than 1"),
        (["before.json", "missing.json"], "missing.json"),
        (["before.json", "after.json", "-q", "-v"], "--quiet shows the summary only"),
    ],
)
def test_what_is_refused(
    arguments: list[str], said: str, pair: Callable[..., None], refused: Callable[[Sequence[str]], str]
) -> None:
    """It is said what would do, the status is 2, and nothing is written."""
    pair(cluster(), obedient(cluster(), PREEMPT))
    assert said in refused(["verify", *arguments])
