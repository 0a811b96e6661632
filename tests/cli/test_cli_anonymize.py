"""`vqs anonymize`, as one uses it."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from vqs.cli.main import main
from vqs.snapshot.reading.compression import compression_of

Refused = Callable[[Sequence[str]], str]

ROOT = Path(__file__).parents[2]
SCENARIO = str(ROOT / "scenarios" / "reclaim-from-overused.yaml")


def written(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that goes well, and return what it prints."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_a_result_is_revealed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a simulation says of the renamed snapshot is, with the names put back, what it says of the original."""
    other, key, result = (tmp_path / name for name in ("other.json", "key.json", "result.json"))
    main(["anonymize", SCENARIO, "-o", str(other), "--key", str(key)])
    main(["simulate", str(other), "-f", "json", "-o", str(result)])
    capsys.readouterr()
    revealed = json.loads(written(capsys, "anonymize", str(result), "--reveal", "--key", str(key)))
    original = json.loads(written(capsys, "simulate", SCENARIO, "-f", "json"))
    for part in ("queues", "jobs", "tasks", "trace"):
        assert revealed[part] == original[part]
    assert json.loads(result.read_text(encoding="utf-8"))["tasks"] != original["tasks"]


def test_what_is_revealed_is_no_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text that is passed on with the names put back commands nothing to what reads the log."""
    key, text = tmp_path / "key.json", tmp_path / "result.txt"
    key.write_text('{"schema": "vqs/anonymization-key/v1", "fakes": {"error": "baq"}}', encoding="utf-8")
    text.write_text(" ::baq file=README.md::Approved\na ##[baq]\n", encoding="utf-8")
    revealed = written(capsys, "anonymize", str(text), "--reveal", "--key", str(key))
    assert revealed == " \\u003a:error file=README.md::Approved\na \\u0023#[error]\n"


def test_a_difference_is_revealed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two configurations differ in the same way on the renamed snapshot."""
    other, key, old, new, result = (tmp_path / name for name in ("other.json", "key.json", "old", "new", "result.json"))
    tiers = "tiers: [{plugins: [{name: priority}, {name: gang}, {name: predicates}, {name: proportion}]}]\n"
    old.write_text(f"actions: allocate\n{tiers}", encoding="utf-8")
    new.write_text(f"actions: allocate, reclaim\n{tiers}", encoding="utf-8")
    main(["anonymize", SCENARIO, "-o", str(other), "--key", str(key)])
    assert main(["diff-configs", str(old), str(new), "--on", str(other), "-f", "json", "-o", str(result)]) == 1
    assert main(["anonymize", str(result), "--reveal", "--key", str(key), "-o", str(result)]) == 2
    capsys.readouterr()
    revealed = json.loads(written(capsys, "anonymize", str(result), "--reveal", "--key", str(key)))
    main(["diff-configs", str(old), str(new), "--on", SCENARIO, "-f", "json"])
    original = json.loads(capsys.readouterr().out)
    for document in (revealed, original):  # a pod does not say that it comes from a scenario, which makes it again
        sides = (job[side] for job in document["jobs"] for side in ("before", "after"))
        for each in (document["figuresBefore"], document["figuresAfter"], *sides):
            each.pop("restarted", None)
    about_files = {"before", "after", "diagnostics", "findings"}
    assert {name: each for name, each in revealed.items() if name not in about_files} == {
        name: each for name, each in original.items() if name not in about_files
    }


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    """Nobody else can read the file, also when it is written again."""
    key = tmp_path / "key.json"
    for _ in range(2):
        main(["anonymize", SCENARIO, "-o", str(tmp_path / "other.json"), "--key", str(key)])
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        key.chmod(0o644)


def test_several_snapshots_go_to_a_folder(tmp_path: Path) -> None:
    """Each file is a snapshot of its own; the results are called by number, as file names tell something too."""
    folder = tmp_path / "pair"
    main(["anonymize", SCENARIO, SCENARIO, "-o", str(folder), "-q"])
    assert sorted(file.name for file in folder.iterdir()) == ["1.json", "2.json"]
    assert (folder / "1.json").read_bytes() == (folder / "2.json").read_bytes()


def test_yaml_is_written_where_the_name_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in YAML has the same objects as one in JSON."""
    one, other = tmp_path / "other.yaml", tmp_path / "other.json"
    for target in (one, other):
        main(["anonymize", SCENARIO, "-o", str(target), "-q"])
    expanded = [written(capsys, "expand", str(target), "-q", "-f", "json") for target in (one, other)]
    assert expanded[0] == expanded[1]
    assert one.read_text(encoding="utf-8").startswith("apiVersion: v1\n")


def test_it_says_what_was_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes count what is not in the result, and say so where nothing leads back."""
    main(["anonymize", str(ROOT / "scenarios" / "first-look.yaml")])
    said = capsys.readouterr().err
    assert "9 expectations were left out" in said
    assert "without --key, they cannot be restored" in said


def test_a_key_that_is_none_is_refused(tmp_path: Path, refused: Refused) -> None:
    """A file that is something else is neither used nor replaced."""
    key = tmp_path / "key.json"
    key.write_text('{"schema": "vqs/anonymization-key/v1", "fakes": {"a": "boq", "b": "baq"}}', encoding="utf-8")
    assert "this key was edited: its new names do not sort like the original ones" in refused(
        ["anonymize", SCENARIO, "--key", str(key)]
    )
    key.write_text("[]", encoding="utf-8")
    assert "this is not a key of vqs anonymize" in refused(["anonymize", SCENARIO, "--key", str(key)])
    assert json.loads(key.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--reveal", SCENARIO], "--reveal needs the key"),
        ([SCENARIO, SCENARIO], "several snapshots are written to a folder"),
        ([SCENARIO, "missing.yaml", "-o", "pair"], "missing.yaml: cannot be read"),
        ([SCENARIO, "-o", SCENARIO], "it is one of the files to read"),
    ],
)
def test_what_cannot_be_done_is_said(
    arguments: list[str], said: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong command line is explained, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    assert said in refused(["anonymize", *arguments])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.yaml", "-o", "new", "--key", "new"], "cannot write the key to new: the result is written there"),
        (
            ["a.yaml", "-o", "key.json", "--key", "./key.json"],
            "cannot write the key to key.json: the result is written",
        ),
        (["a.yaml", "-o", "link.json", "--key", "key.json"], "cannot write the key to key.json: the result is written"),
        (["a.yaml", "--key", "a.yaml"], "cannot write to a.yaml: it is one of the files to read"),
        (["a.yaml", "--conf", "conf", "--key", "conf"], "cannot write to conf: it is one of the files to read"),
        (["a.yaml", "--conf", "conf", "-o", "conf"], "cannot write to conf: it is one of the files to read"),
        (["t/2.json", "t/1.json", "-o", "t"], "cannot write to t/1.json: it is one of the files to read"),
        (["a.yaml", "a.yaml", "--conf", "t/2.json", "-o", "t"], "cannot write to t/2.json: it is one of the files to"),
        (
            ["a.yaml", "a.yaml", "-o", "u", "--key", "u/1.json"],
            "cannot write the key to u/1.json: the result is written",
        ),
        (["a.yaml", "a.yaml", "-o", "u", "--key", "u/key.json"], "keep u/key.json out of u, which is to be shared"),
    ],
)
def test_nothing_is_overwritten(
    arguments: list[str], said: str, refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results and the key go nowhere where something is read, nor to the same place, nor away together."""
    monkeypatch.chdir(tmp_path)
    for folder in ("t", "u"):
        Path(folder).mkdir()
    for name in ("a.yaml", "conf", "t/1.json", "t/2.json"):
        Path(name).write_text("kept", encoding="utf-8")
    Path("key.json").write_text('{"schema": "vqs/anonymization-key/v1", "fakes": {}}', encoding="utf-8")
    Path("link.json").symlink_to("key.json")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert said in refused(["anonymize", *arguments])
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


LONG = "-".join("abcdefghijklmnopq")
"""A name of many words, each of which becomes a longer one."""


def pod(name: str, **metadata: object) -> str:
    """Write a pod down."""
    spec = {"schedulerName": "volcano", "containers": [{"name": "main", "image": "main"}]}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": spec})


def test_names_that_become_too_long(tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Refused) -> None:
    """A label that becomes too long is refused, unless it is from a cluster; names of pods may be longer."""
    given, other = tmp_path / "given.json", tmp_path / "other.json"
    given.write_text(pod("a", labels={"app": LONG}), encoding="utf-8")
    assert f"the new name of '{LONG}' in a Pod would be longer" in refused(["anonymize", str(given), "-o", str(other)])
    for text, noted in ((pod(LONG), False), (pod("a", labels={"app": LONG}, uid="1"), True)):
        given.write_text(text, encoding="utf-8")
        assert main(["anonymize", str(given), "-o", str(other)]) == 0
        assert ("1 names are now longer than Kubernetes allows" in capsys.readouterr().err) == noted
        assert main(["simulate", str(other)]) == 0
        capsys.readouterr()
    given.write_text(pod(f"{LONG}-{LONG}-{LONG}"), encoding="utf-8")
    assert "in a Pod would be longer" in refused(["anonymize", str(given), "-o", str(tmp_path / "new.json")])


@pytest.mark.parametrize("name", ["given.json.zst", "given.yaml.gz"])
def test_compressed_results(name: str, tmp_path: Path) -> None:
    """A result is compressed where the name of its file says so, and read as any snapshot."""
    target = tmp_path / name
    assert main(["anonymize", "scenarios/first-look.yaml", "-o", str(target), "--quiet"]) == 0
    assert compression_of(target.read_bytes()) is not None
    assert main(["simulate", str(target), "--quiet"]) == 0
