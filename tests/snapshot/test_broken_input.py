"""Broken input is refused quickly, with its place and a clear message."""

import time
from pathlib import Path

import pytest

from vqs.snapshot.diagnostics import Diagnostic, InputErrors, render
from vqs.snapshot.manifests import read_manifests

QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
GT_X = "{key: a, operator: Gt, values: [x]}"


def errors_of(folder: Path, content: str | bytes, name: str = "input.yaml") -> list[Diagnostic]:
    """Write a file, read it, and return the errors."""
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(file)])
    return [each for each in caught.value.diagnostics if each.severity == "error"]


SYNTAX = {
    "empty file": ("", 0, "empty"),
    "only comments": ("# nothing\n---\n# here\n", 0, "empty"),
    "tab": ("metadata:\n\tname: x\n", 2, "tab"),
    "truncated quote": ('kind: "Queue\n', 1, "quoted scalar"),
    "truncated flow": ("metadata: {name: x\n", 1, "flow mapping"),
    "odd indentation": ("metadata:\n  a: 1\n b: 2\n", 3, "not valid YAML"),
    "unknown alias": ("metadata: *other\n", 1, "undefined alias"),
    "control character": ("metadata: \x07\n", 1, "U+0007"),
    "invalid UTF-8": (b"kind: Queue\nname: \xff\n", 2, "0xff at offset 18"),
    "latin-1": ("name: Gr\xfc\xdfe\n".encode("latin-1"), 1, "not UTF-8"),
    "binary": (b"\x7fELF\x00\x00\x01", 0, "binary"),
    "UTF-16 without mark": ("kind: Queue".encode("utf-16-le"), 0, "byte order mark"),
    "truncated UTF-16": ("kind: Queue".encode("utf-16")[:-1], 1, "not UTF-16"),
    "code tag": ("a: !!python/object/apply:os.system [ls]\n", 1, "!!python/object/apply:os.system is not supported"),
    "wrong tag on a key": ("!!int five: a\n", 1, "key must be text"),
    "wrong tag": ("a: !!int five\n", 1, "cannot read 'five' as !!int"),
    "mapping tag on text": ("a: !!map five\n", 1, "!!map"),
    "self reference": ("a: &x [*x]\n", 1, "contains itself"),
    "alias bomb": (
        "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)),
        1,
        "expand",
    ),
    "deep aliases": ("a0: &a0 x\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 1200)), 1, "nested deeper"),
    "deep JSON object": (
        '{"apiVersion": "v1", "kind": "Pod", "metadata": null, "x": ' + "[" * 950 + "]" * 950 + "}",
        1,
        "nested too deeply",
    ),
    "deep brackets": ("a: " + "[" * 5000 + "]" * 5000, 1, "nested deeper"),
    "deep dashes": ("- " * 5000 + "x\n", 1, "nested deeper"),
    "deep indentation": ("".join(" " * i + "a:\n" for i in range(300)), 201, "nested deeper"),
    "very deep brackets": ("a: " + "[" * 300_000, 1, "nested deeper"),
    "duplicate key": ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "'c' is given twice, first on line 3"),
    "list as key": ("? [a]\n: b\n", 1, "key must be text"),
    "text": ("hello\n", 1, "expected a Kubernetes object"),
    "list of texts": ("- a\n- b\n", 1, "expected a Kubernetes object"),
    "JSON truncated": ('{"kind": "Queue", "metadata": {', 1, "not valid JSON"),
    "JSON comma": ('{"kind": "Queue",\n}', 2, "not valid JSON"),
    "JSON duplicate key": ('{"kind": "Queue",\n "a": {"b": 1, "b": 2}}', 2, "'b' is given twice"),
    "JSON escaped duplicate": ('{"a\\u003a": 1,\n "a:": 2}', 2, "'a:' is given twice"),
    "JSON deep": ('{"a": ' + "[" * 5000, 1, "nested too deeply"),
    "JSON second document": ('{"kind": "Status", "apiVersion": "v1"}\n{"kind": }', 2, "not valid JSON"),
    "no apiVersion": ("kind: Queue\nmetadata: {name: q}\n", 1, "apiVersion is missing"),
    "no kind": ("apiVersion: v1\nmetadata: {name: q}\n", 1, "kind is missing"),
    "scenario": ("apiVersion: vqs/v1\nkind: Scenario\nnode: []\n", 3, "unknown key 'node'"),
}


@pytest.mark.parametrize(("content", "line", "fragment"), SYNTAX.values(), ids=SYNTAX)
def test_unreadable(tmp_path: Path, content: str | bytes, line: int, fragment: str) -> None:
    """What cannot be read is refused with its line and a message that says what is wrong."""
    [error, *_] = errors_of(tmp_path, content)

    assert fragment in error.message
    assert error.line == line


OBJECTS = {
    "number as text": (QUEUE + "metadata: {name: q}\nspec:\n  weight: five\n", 5, 11, "$.spec.weight", "whole number"),
    "quoted number": (
        QUEUE + 'metadata: {name: q}\nspec: {weight: "5"}\n',
        4,
        16,
        "$.spec.weight",
        "remove the quotes",
    ),
    "number for text": (QUEUE + "metadata: {name: 5}\n", 3, 18, "$.metadata.name", "put it in quotes"),
    "object for list": (POD + "  containers: {}\n", 5, 15, "$.spec.containers", "expected a list, got an object"),
    "label": (QUEUE + "metadata:\n  name: q\n  labels: {a: b, c/d: 1}\n", 5, 23, '$.metadata.labels["c/d"]', "got 1"),
    "too large": (QUEUE + "metadata: {name: q}\nspec: {weight: 3000000000}\n", 4, 16, "$.spec.weight", "2147483647"),
    "time": (
        QUEUE + "metadata: {name: q, creationTimestamp: yesterday}\n",
        3,
        40,
        "$.metadata.creationTimestamp",
        "expected a time",
    ),
    "time without zone": (
        QUEUE + "metadata: {name: q, creationTimestamp: 2026-01-01T00:00:00}\n",
        3,
        40,
        "$.metadata.creationTimestamp",
        "expected a time",
    ),
    "no name": (QUEUE + "metadata:\n  namespace: x\n", 4, 3, "$.metadata.name", "no name"),
    "quantity": (
        QUEUE + "metadata: {name: q}\nspec:\n  capability:\n    memory: 1 Gi\n",
        6,
        13,
        "$.spec.capability.memory",
        "did you mean '1Gi'?",
    ),
    "negative quantity": (
        NODE + "status: {allocatable: {cpu: -1}}\n",
        4,
        29,
        "$.status.allocatable.cpu",
        "less than zero",
    ),
    "boolean quantity": (NODE + "status: {capacity: {cpu: yes}}\n", 4, 26, "$.status.capacity.cpu", "got true"),
    "taint effect": (
        NODE + "spec: {taints: [{key: k, effect: Noschedule}]}\n",
        4,
        34,
        "$.spec.taints[0].effect",
        "did you mean 'NoSchedule'?",
    ),
    "toleration": (
        POD + "  tolerations: [{operator: exists}]\n",
        5,
        28,
        "$.spec.tolerations[0].operator",
        "did you mean 'Exists'?",
    ),
    "keyless toleration": (
        POD + "  tolerations: [{operator: Equal}]\n",
        5,
        17,
        "$.spec.tolerations[0]",
        "needs operator Exists",
    ),
    "spread": (
        POD + "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: z}]\n",
        5,
        31,
        "$.spec.topologySpreadConstraints[0].whenUnsatisfiable",
        "is missing; expected DoNotSchedule or ScheduleAnyway",
    ),
    "node selector": (
        POD
        + f"  affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{{matchExpressions: [{GT_X}]}}]}}}}}}\n",
        5,
        149,
        f"$.spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values",
        "needs one whole number",
    ),
    "init container": (
        POD + "  initContainers: [{name: i, restartPolicy: always}]\n",
        5,
        45,
        "$.spec.initContainers[0].restartPolicy",
        "did you mean 'Always'?",
    ),
    "weight": (QUEUE + "metadata: {name: q}\nspec: {weight: 0}\n", 4, 16, "$.spec.weight", "1 to 65535"),
    "queue state": (
        QUEUE + "metadata: {name: q}\nstatus: {state: open}\n",
        4,
        17,
        "$.status.state",
        "did you mean 'Open'?",
    ),
}


@pytest.mark.parametrize(("content", "line", "column", "path", "fragment"), OBJECTS.values(), ids=OBJECTS)
def test_wrong_object(  # noqa: PLR0917 - one argument for each column of the table
    tmp_path: Path, content: str, line: int, column: int, path: str, fragment: str
) -> None:
    """What the API server would refuse is refused, with line, column and path of the value."""
    [error] = errors_of(tmp_path, content)

    assert (error.line, error.column, error.path) == (line, column, path)
    assert fragment in f"{error.message} ({error.help})"


def test_every_error_at_once(tmp_path: Path) -> None:
    """Errors of all files, documents, objects and fields are reported together."""
    (tmp_path / "a.yaml").write_text("a: [\n---\n" + QUEUE + "metadata: {name: q}\nspec: {weight: x, priority: y}\n")
    (tmp_path / "b.json").write_text('{"kind": 5}')

    with pytest.raises(InputErrors) as caught:
        read_manifests([str(tmp_path), "missing.yaml"])

    assert [(Path(each.file).name, each.line, each.path) for each in caught.value.diagnostics] == [
        ("missing.yaml", 0, ""),
        ("a.yaml", 2, ""),
        ("a.yaml", 6, "$.spec.weight"),
        ("a.yaml", 6, "$.spec.priority"),
        ("b.json", 1, ""),
    ]


def test_several_wrong_values_in_one_object(tmp_path: Path) -> None:
    """Wrong entries of maps and lists are all found, and right ones beside them are not blamed."""
    content = POD + "  nodeSelector: {a: x, b: 1, c: y, d: 2}\n  containers:\n  - 7\n  - name: c\n  - name: [c]\n"

    assert [error.path for error in errors_of(tmp_path, content)] == [
        "$.spec.nodeSelector.b",
        "$.spec.nodeSelector.d",
        "$.spec.containers[0]",
        "$.spec.containers[2].name",
    ]


def test_long_line_of_yaml(tmp_path: Path) -> None:
    """A line that nobody wrote is refused before it is parsed."""
    started = time.perf_counter()
    [error] = errors_of(tmp_path, b"kind: Queue\nname: " + b"x" * 20_000_000)

    assert (error.line, error.code) == (2, "line-too-long")
    assert time.perf_counter() - started < 2


def test_unreadable_path(tmp_path: Path) -> None:
    """A missing file and a folder without manifests are errors."""
    with pytest.raises(InputErrors) as caught:
        read_manifests([str(tmp_path / "none.yaml"), str(tmp_path)])

    assert [each.code for each in caught.value.diagnostics] == ["unreadable-file", "empty-input"]


def test_rendering(tmp_path: Path) -> None:
    """An error shows place, path, message and hint, and the line with a caret below the value."""
    [error] = errors_of(tmp_path, QUEUE + "metadata: {name: q}\nspec:\n  weight: five\n")

    assert render(error) == (
        f"{tmp_path}/input.yaml:5:11: $.spec.weight: expected a whole number, got the text 'five'\n"
        "    weight: five\n"
        "            ^"
    )


def test_rendering_of_a_long_line(tmp_path: Path) -> None:
    """Of a long line, only the part around the value is shown."""
    padding = "x" * 1000
    content = (
        f'{{"apiVersion": "v1", "kind": "Node", "pad": "{padding}", "metadata": {{"name": 5}}, "after": "{padding}"}}'
    )
    headline, line, caret = render(errors_of(tmp_path, content, "n.json")[0]).splitlines()

    assert "$.metadata.name" in headline
    assert len(line) < 180
    assert line[caret.index("^")] == "5"
