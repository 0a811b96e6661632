"""Whoever brings bad input is told what is wrong with it and where: on stderr, at once, and without a traceback."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from syrupy.assertion import SnapshotAssertion

from vqs.cli.main import main

HEAD = "apiVersion: vqs/v1\nkind: Scenario\n"
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
POD = "apiVersion: v1\nkind: Pod\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
VCJOB = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: volcano-scheduler-configmap}\ndata:\n"
ACTIONS = "actions: allocate\n"
COMMA = "1:17" if sys.version_info >= (3, 13) else "2:1"
"""Where Python sees that a comma is too many: at the comma itself since 3.13."""
BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40))


class Case(NamedTuple):
    """An input, and what is said of it.

    Attributes:
        content: what is in the file.
        place: ``FILE:LINE:COLUMN`` as far as there is one.
        fragment: what the message says, the place left out.
        options: what follows the name of the file on the command line.
        others: more files, by name.
        name: the name of the file.
    """

    content: str | bytes
    place: str
    fragment: str
    options: tuple[str, ...] = ()
    others: Mapping[str, str] = {}
    name: str = "input.yaml"


TEXTS = {
    "empty": Case("", "input.yaml: ", "this file is empty"),
    "only comments": Case("# nothing\n---\n# here\n", "input.yaml: ", "this file is empty"),
    "empty List": Case("apiVersion: v1\nkind: List\nitems: []\n", "", "there is no object in the input"),
    "binary": Case(b"\x7fELF\x00\x00\x01", "input.yaml: ", "this is a binary file"),
    "Latin-1": Case("name: Gr\xfc\xdfe\n".encode("latin-1"), "input.yaml:1: ", "not UTF-8 text: byte 0xfc at offset 8"),
    "UTF-16 without mark": Case("kind: Queue".encode("utf-16-le"), "input.yaml: ", "UTF-16 without a byte order mark"),
    "half of UTF-16": Case("kind: Queue".encode("utf-16")[:-1], "input.yaml:1: ", "not UTF-16"),
    "control character": Case("metadata: \x07\n", "input.yaml:1:11: ", "control character U+0007"),
    "tab": Case("metadata:\n\tname: x\n", "input.yaml:2:1: ", "a tab cannot indent YAML (use blanks)"),
    "truncated text": Case('kind: "Queue\n', "input.yaml:1:7: ", "the text ends in it"),
    "truncated braces": Case("metadata: {name: x\n", "input.yaml:1:11: ", "the text ends in it"),
    "odd indentation": Case("metadata:\n  a: 1\n b: 2\n", "input.yaml:3:2: ", "not valid YAML"),
    "unknown alias": Case("metadata: *other\n", "input.yaml:1:11: ", "undefined alias"),
    "list as key": Case("? [a]\n: b\n", "input.yaml:1:3: ", "a key must be text"),
    "tag that asks for code": Case(
        "a: !!python/object/apply:os.system [ls]\n", "input.yaml:1:4: ", "!!python/object/apply:os.system is not supp"
    ),
    "tag that does not fit": Case("a: !!int five\n", "input.yaml:1:4: ", "cannot read 'five' as !!int"),
    "alias bomb": Case(BOMB, "input.yaml:1:1: ", "its aliases expand to"),
    "alias of itself": Case("a: &x [*x]\n", "input.yaml:1:4: ", "this value contains itself by an alias"),
    "merged text": Case("a: {<<: b}\n", "input.yaml:1:9: ", "only mappings can be merged with <<"),
    "5,000 brackets": Case("a: " + "[" * 5000 + "]" * 5000, "input.yaml:1:1: ", "nested deeper than 200 levels"),
    "5,000 dashes": Case("- " * 5000 + "x\n", "input.yaml:1:1: ", "nested deeper than 200 levels"),
    "5,000 brackets of JSON": Case('{"a": ' + "[" * 5000 + "]" * 5000 + "}", "input.yaml:1:1: ", "nested too deeply"),
    "brackets after a text in quotes": Case(
        'a: "b" ' + "[" * 1500, "input.yaml:1:1: ", "nested deeper than 200 levels"
    ),
    "deep blocks, and an error": Case(
        "".join(" " * i + "a:\n" for i in range(1100)) + "b: [\n", "input.yaml:201:1: ", "nested deeper than 200 levels"
    ),
    "brackets in what is no structure": Case(
        f"a: '{'[' * 300}'\nb: x{'[' * 300} # {'{' * 300}\nc: |\n  {'[' * 300}\nd: ]\n",
        "input.yaml:5:4: ",
        "no flow sequence is open that this ] could close",
    ),
    "list that is not closed": Case(
        "a: [b, c\nd: e\n", "input.yaml:2:2: ", "in the flow sequence that began on line 1"
    ),
    "two keys on a line": Case("a: b: c\n", "input.yaml:1:5: ", "a colon with a blank after it is not allowed here"),
    "unquoted at sign": Case("a: @b\n", "input.yaml:1:4: ", "a text that begins with @ needs quotes"),
    "unknown escape sequence": Case('a: "\\q"\n', "input.yaml:1:5: ", "an escape sequence that YAML does not know"),
    "list within a mapping": Case("a: 1\n- b\n", "input.yaml:2:1: ", "in the block collection that began on line 1"),
    "NaN in JSON": Case('{"kind": "Queue",\n "a": NaN}', "input.yaml:2:7: ", "NaN is no value in JSON"),
    "deep JSON that is not closed": Case('{"a":' * 300, "input.yaml:1:1: ", "nested too deeply"),
    "long line": Case("kind: Queue\nname: " + "x" * 17_000_000, "input.yaml:2:1: ", "longer than 16 MiB"),
    "duplicate key": Case(
        "apiVersion: v1\nkind: A\nb:\n  c: 1\n  c: 2\n",
        "input.yaml:5:3: ",
        "the key 'c' is given twice, first on line 4",
    ),
    "duplicate key of JSON": Case(
        '{"apiVersion": "v1", "kind": "A",\n "b": {"c": 1, "c": 2}}',
        "input.yaml:2:16: ",
        "'c' is given twice, first on line 2",
    ),
    "truncated JSON": Case('{"kind": "Queue", "metadata": {', "input.yaml:1:32: ", "not valid JSON"),
    "comma in JSON": Case('{"kind": "Queue",\n}', f"input.yaml:{COMMA}: ", "not valid JSON"),
    "JSON, then something else": Case(
        '{"kind": "A", "apiVersion": "v1"}\n{"kind": }', "input.yaml:2:10: ", "not valid JSON"
    ),
    "prose": Case("hello\n", "input.yaml:1:1: ", "expected a Kubernetes object"),
    "web page": Case("<!DOCTYPE html>\n<html>\n", "input.yaml:1:1: ", "expected a Kubernetes object"),
    "list of a number": Case("- 1\n", "input.yaml:1:3: ", "expected a Kubernetes object"),
}

OBJECTS = {
    "no kind": Case("apiVersion: v1\nmetadata: {name: q}\n", "input.yaml:1:1: ", "kind is missing"),
    "no apiVersion": Case("kind: Queue\nmetadata: {name: q}\n", "input.yaml:1:1: ", "apiVersion is missing"),
    "kind is a list": Case("apiVersion: v1\nkind: [Pod]\n", "input.yaml:1:1: ", "kind is missing or not text"),
    "no metadata": Case(POD + "spec: {}\n", "input.yaml:1:1: ", "metadata.name is missing"),
    "number as name": Case(
        QUEUE + "metadata: {name: 5}\n", "input.yaml:3:18: ", "expected text, got 5 (put it in quotes)"
    ),
    "text as number": Case(
        QUEUE + "metadata: {name: q}\nspec: {weight: five}\n", "input.yaml:4:16: ", "expected a whole number"
    ),
    "quoted number": Case(
        QUEUE + 'metadata: {name: q}\nspec: {weight: "5"}\n', "input.yaml:4:16: ", "remove the quotes"
    ),
    "weight out of range": Case(
        QUEUE + "metadata: {name: q}\nspec: {weight: -1}\n", "input.yaml:4:16: ", "expected 1 to 65535"
    ),
    "object as list": Case(
        POD + "metadata: {name: p}\nspec: {containers: {}}\n", "input.yaml:4:20: ", "expected a list"
    ),
    "label": Case(POD + "metadata: {name: p, labels: {a: 1}}\n", "input.yaml:3:33: ", "expected text, got 1"),
    "time": Case(
        POD + "metadata: {name: p, creationTimestamp: yesterday}\n", "input.yaml:3:40: ", "expected a time such as"
    ),
    "negative quantity": Case(NODE + "status: {allocatable: {cpu: -1}}\n", "input.yaml:4:29: ", "-1 is less than zero"),
    "nonsense quantity": Case(
        NODE + "status: {allocatable: {cpu: four}}\n", "input.yaml:4:29: ", "'four' is not a quantity"
    ),
    "quantity with a blank": Case(
        NODE + "status: {allocatable: {memory: 1 Gi}}\n", "input.yaml:4:32: ", "did you mean '1Gi'?"
    ),
    "boolean quantity": Case(NODE + "status: {capacity: {cpu: yes}}\n", "input.yaml:4:26: ", "got true"),
    "infinite quantity": Case(
        NODE + "status: {capacity: {cpu: .inf}}\n", "input.yaml:4:26: ", "is not a number in JSON"
    ),
    "taint": Case(NODE + "spec: {taints: [{key: k, effect: Never}]}\n", "input.yaml:4:34: ", "'Never' is not allowed"),
    "duplicate name": Case(
        QUEUE + "metadata: {name: q}\n---\n" + QUEUE + "metadata: {name: q}\nspec: {weight: 2}\n",
        "input.yaml:5:1: ",
        "Queue q is given twice, first at input.yaml:1",
    ),
    "duplicate name in another file": Case(
        QUEUE + "metadata: {name: q}\n",
        "other.yaml:1:1: ",
        "Queue q is given twice, first at input.yaml:1",
        ("other.yaml",),
        {"other.yaml": QUEUE + "metadata: {name: q}\nspec: {weight: 2}\n"},
    ),
    "duplicate uid": Case(
        f"{POD}metadata: {{name: a, uid: u}}\n---\n{POD}metadata: {{name: b, uid: u}}\n",
        "input.yaml:7:26: ",
        "Pod b has the uid of a, which is at input.yaml:1",
    ),
    "Volcano Job": Case(VCJOB + "spec: {tasks: []}\n", "input.yaml:4:7: ", "Volcano's webhook denies this Job"),
    "item of a typed List": Case(
        "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: 5}\n", "input.yaml:4:20: ", "expected text, got 5"
    ),
    "missing file": Case(NODE, "gone.yaml: ", "cannot be read: No such file or directory", ("gone.yaml",)),
}

SCENARIOS = {
    "unknown key": Case(HEAD + "node: []\n", "input.yaml:3:1: ", "did you mean 'nodes'?"),
    "wrong type": Case(HEAD + "nodes: {cpu: 4}\n", "input.yaml:3:8: ", "expected a list, got an object"),
    "negative count": Case(HEAD + "nodes: [{count: -1}]\n", "input.yaml:3:17: ", "-1 is out of range"),
    "quantity": Case(HEAD + "nodes:\n  - memory: 16GB\n", "input.yaml:4:13: ", "did you mean '16G'?"),
    "negative quantity": Case(HEAD + "nodes: [{cpu: -4}]\n", "input.yaml:3:15: ", "less than zero"),
    "unknown queue": Case(HEAD + "jobs: [{name: j, queue: q}]\n", "input.yaml:3:25: ", "there is no queue 'q'"),
    "unknown priority class": Case(HEAD + "jobs: [{name: j, priorityClass: x}]\n", "input.yaml:3:33: ", "no priority"),
    "job twice": Case(
        HEAD + "jobs: [{name: j}, {name: j}]\n", "input.yaml:3:26: ", "given twice, first at input.yaml:3"
    ),
    "unknown version": Case("apiVersion: vqs/v2\nkind: Scenario\n", "input.yaml:1:13: ", "vqs/v2 is not known"),
    "time without zone": Case(HEAD + "now: 2026-01-01T00:00:00\n", "input.yaml:3:6: ", "expected a time such as"),
    "without beginning": Case("nodes: [{cpu: 3}]\n", "input.yaml:1:1: ", "a scenario begins with apiVersion: vqs/v1"),
    "missing include": Case(HEAD + "include: gone.yaml\n", "input.yaml:3:10: ", "there is no file gone.yaml"),
    "cyclic include": Case(
        HEAD + "include: other.yaml\n",
        "",
        "files include one another: ",
        others={"other.yaml": HEAD + "include: input.yaml\n"},
    ),
    "include of itself": Case(HEAD + "include: input.yaml\n", "input.yaml:3:10: ", "files include one another"),
    "too large": Case(
        HEAD + "jobs: [{name: j, count: 100000, replicas: 100000}]\n", "input.yaml:3:8: ", "more than 100,000 objects"
    ),
    "unknown decision": Case(
        HEAD + "expect: {jobs: {j: commited}}\n", "input.yaml:3:20: ", "did you mean 'committed'?"
    ),
    "unknown action": Case(HEAD + "scheduler: {actions: alocate}\n", "input.yaml:3:22: ", "did you mean 'allocate'?"),
}

CONFIGURATIONS = {
    "unknown action": Case(
        NODE, "x.conf:1:10: ", "failed to find Action 'alocate'", ("--conf", "x.conf"), {"x.conf": "actions: alocate\n"}
    ),
    "broken text": Case(NODE, "x.conf:1:10: ", "not valid YAML", ("--conf", "x.conf"), {"x.conf": 'actions: "a\n'}),
    "wrong type": Case(
        NODE, "x.conf:2:8: ", "expected a list", ("--conf", "x.conf"), {"x.conf": ACTIONS + "tiers: {a: b}\n"}
    ),
    "duplicate key": Case(
        NODE, "x.conf:2:1: ", "the key 'actions' is given twice", ("--conf", "x.conf"), {"x.conf": ACTIONS * 2}
    ),
    "empty file": Case(
        NODE, "x.conf:1:1: ", "the scheduler's configuration is empty", ("--conf", "x.conf"), {"x.conf": ""}
    ),
    "empty text in a ConfigMap": Case(
        CONFIG_MAP + '  volcano-scheduler.conf: ""\n', "input.yaml:5:27: ", "the scheduler's configuration is empty"
    ),
    "empty text in a ConfigMap that is asked for": Case(
        NODE,
        "x.yaml:5:27: ",
        "the scheduler's configuration is empty",
        ("--conf", "x.yaml"),
        {"x.yaml": CONFIG_MAP + '  volcano-scheduler.conf: ""\n'},
    ),
    "unknown action in a ConfigMap": Case(
        CONFIG_MAP + "  volcano-scheduler.conf: |\n    actions: alocate\n",
        "input.yaml:6:14: ",
        "failed to find Action 'alocate'",
    ),
    "manifests without a configuration": Case(
        NODE, "input.yaml: ", "there is no scheduler configuration in it", ("--conf", "input.yaml")
    ),
    "configuration among manifests": Case(ACTIONS, "input.yaml:1:1: ", "give it with --conf"),
    "missing file": Case(NODE, "gone.conf: ", "cannot be read", ("--conf", "gone.conf")),
    "expectation": Case(
        NODE, "x.yaml:1:11: ", "did you mean 'committed'?", ("--expect", "x.yaml"), {"x.yaml": "jobs: {j: commited}\n"}
    ),
    "expects nothing": Case(NODE, "x.yaml: ", "this file is empty", ("--expect", "x.yaml"), {"x.yaml": ""}),
}

CASES = {
    f"{group}: {name}": case
    for group, cases in (
        ("text", TEXTS),
        ("object", OBJECTS),
        ("scenario", SCENARIOS),
        ("configuration", CONFIGURATIONS),
    )
    for name, case in cases.items()
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in an empty folder, so that files have short names."""
    monkeypatch.chdir(tmp_path)


def told(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Write the files, run the command, and return what it says on stderr: errors with their excerpts, then a total."""
    content = case.content
    (folder / case.name).write_bytes(content.encode() if isinstance(content, str) else content)
    for name, text in case.others.items():
        (folder / name).write_text(text, encoding="utf-8")
    code = main(["simulate", case.name, *case.options])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    assert "this is a bug" not in err
    return err.splitlines()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_broken_input(case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Broken input exits with 2; stderr says what is wrong, and where if it is a matter of a place."""
    lines = told(case, tmp_path, capsys)
    assert lines[-1] == "error: 1 error in the input, nothing was done"
    [headline] = [line for line in lines[:-1] if case.fragment in line]
    assert headline.startswith(case.place)


WORDS_OF_PYTHON: Final = {"truncated JSON", "comma in JSON", "JSON, then something else"}
"""What Python's decoder of JSON says; its words and places differ between versions."""


def test_same_words(tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion) -> None:
    """What is said of texts that are no YAML or JSON is the same, byte for byte, whatever parses them."""
    told_of = {name: told(case, tmp_path, capsys) for name, case in TEXTS.items() if name not in WORDS_OF_PYTHON}
    assert told_of == snapshot


def test_all_errors_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Errors of several sorts in several files are told in one run, each once, and then counted."""
    case = Case(
        NODE
        + "spec: {unschedulable: maybe}\nstatus: {allocatable: {cpu: x}}\n---\n"
        + "apiVersion: v1\nkind: A\na: {b: 1, b: 2}\na: 3\n",
        "",
        "",
        ("other.yaml", "gone.yaml", "--conf", "gone.conf"),
        {"other.yaml": HEAD + "nodes: [{cpus: 4}]\nqueues: 3\n"},
    )
    lines = told(case, tmp_path, capsys)
    places = [line.partition(": ")[0] for line in lines if not line.startswith(" ")]
    assert places == [
        "gone.yaml",
        "input.yaml:4:23",
        "input.yaml:5:29",
        "input.yaml:9:11",
        "input.yaml:10:1",
        "other.yaml:3:10",
        "other.yaml:4:9",
        "gone.conf",
        "error",
    ]
    assert lines[-1] == "error: 8 errors in the input, nothing was done"


def test_broken_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is piped in has places too."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a:\n\tb: 1\n")))
    assert main(["simulate", "-"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("<stdin>:2:1: a tab cannot indent YAML")
