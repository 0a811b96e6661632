"""Broken input is refused quickly, with its place and a clear message."""

import time
from pathlib import Path

import pytest

from vqs.snapshot.reading.diagnostics import Diagnostic, Guesser, InputErrors, render
from vqs.snapshot.reading.reader import read_manifests

QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
VCJOB = "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
GT_NONE = "{key: a, operator: Gt, values: []}"


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
    "JSON comma": ('{"kind": "Queue"\n,}', 2, "not valid JSON"),
    "JSON duplicate key": ('{"kind": "Queue",\n "a": {"b": 1, "b": 2}}', 2, "'b' is given twice"),
    "JSON escaped duplicate": ('{"a\\u003a": 1,\n "a:": 2}', 2, "'a:' is given twice"),
    "JSON not a number": ('{"kind": "Queue",\n "a": NaN}', 2, "not valid JSON: invalid character"),
    "JSON huge number": ('{"kind": "Queue",\n "a": 1e999}', 2, "not valid JSON: number out of range"),
    "JSON huge number in a list": (
        '{"apiVersion": "v1", "kind": "List", "items": [\n{"a": 1e999}]}',
        2,
        "out of range",
    ),
    "JSON half a character": ('{"kind": "Queue",\n "a": "\\ud800"}', 2, "not valid JSON"),
    "JSON deep": ('{"a": ' + "[" * 5000 + "]" * 5000 + "}", 1, "nested too deeply"),
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
    "no name": (QUEUE + "metadata:\n  namespace: x\n", 4, 3, "$.metadata.name", "metadata.name is missing"),
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
        + f"  affinity: {{nodeAffinity: {{{REQUIRED}: {{nodeSelectorTerms: [{{matchExpressions: [{GT_NONE}]}}]}}}}}}\n",
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
    "weight": (QUEUE + "metadata: {name: q}\nspec: {weight: -1}\n", 4, 16, "$.spec.weight", "1 to 65535"),
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
    (tmp_path / "b.json").write_text('{"kind": 5, "spec": {}}')

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


@pytest.mark.parametrize(
    ("plugins", "path"),
    [
        ("{svc: [], env: [null]}", "$.spec.plugins.env[0]"),
        ("{env: [], svc: [1]}", "$.spec.plugins.svc[0]"),
        ("{env: [a], svc: [b, 1]}", "$.spec.plugins.svc[1]"),
    ],
)
def test_wrong_item_beside_shorter_lists(tmp_path: Path, plugins: str, path: str) -> None:
    """A wrong item in one list of a map is found where another list has no item of that number."""
    errors = errors_of(tmp_path, f"{VCJOB}spec: {{plugins: {plugins}}}\n")
    assert [error.path for error in errors if error.code == "wrong-type"] == [path]


def test_wrong_types_hide_nothing(tmp_path: Path) -> None:
    """What is wrong with other values of the object, and with its name, is told beside a value of a wrong type."""
    content = (
        "apiVersion: v1\nkind: Node\nspec: {unschedulable: maybe, taints: [{key: k, effect: x}, {key: 5, effect: y}]}\n"
        "status: {capacity: {cpu: x}, allocatable: {cpu: -1, memory: [1]}}\n"
    )

    assert [(error.code, error.path) for error in errors_of(tmp_path, content)] == [
        ("wrong-type", "$.spec.unschedulable"),
        ("wrong-type", "$.spec.taints[1].key"),
        ("wrong-type", "$.status.allocatable.memory"),
        ("missing-name", "$.metadata.name"),
        ("invalid-value", "$.spec.taints[0].effect"),
        ("invalid-value", "$.spec.taints[1].effect"),
        ("negative-quantity", "$.status.allocatable.cpu"),
        ("invalid-quantity", "$.status.capacity.cpu"),
    ]


@pytest.mark.parametrize(
    ("content", "path"),
    [
        (QUEUE + "metadata: {name: 5}\n", "$.metadata.name"),
        (QUEUE + "metadata: q\n", "$.metadata"),
        (POD + "  tolerations: [{operator: 1, value: x}]\n", "$.spec.tolerations[0].operator"),
        (POD + "  tolerations: [7]\n", "$.spec.tolerations[0]"),
        (
            VCJOB + "spec: {minAvailable: 2, tasks: [{replicas: x, template: {spec: {containers: [{name: c}]}}}]}\n",
            "$.spec.tasks[0].replicas",
        ),
    ],
)
def test_nothing_follows_from_a_wrong_type(tmp_path: Path, content: str, path: str) -> None:
    """A value of a wrong type is one error: that it is not there is none, nor is what comes of that."""
    assert [error.path for error in errors_of(tmp_path, content)] == [path]


def test_wrong_type_and_the_name_of_another(tmp_path: Path) -> None:
    """An object with a value of a wrong type has its name nevertheless, and no other can have it."""
    content = f"{QUEUE}metadata: {{name: q}}\n---\n{QUEUE}metadata: {{name: q}}\nspec: {{weight: x}}\n"

    assert [error.code for error in errors_of(tmp_path, content)] == ["wrong-type", "duplicate-object"]


def test_objects_without_names(tmp_path: Path) -> None:
    """Each object without a name is told once; they are not taken for one and the same."""
    content = f"{QUEUE}---\n{QUEUE}spec: {{weight: 2}}\n---\n{QUEUE}metadata: {{labels: {{a: b}}}}\n"
    errors = errors_of(tmp_path, content)

    assert [(error.line, error.message) for error in errors] == [
        (line, "metadata.name is missing") for line in (1, 4, 10)
    ]


def test_generated_names(tmp_path: Path) -> None:
    """An object that has but the beginning of a name gets one, as kubectl create has it named."""
    file = tmp_path / "input.yaml"
    file.write_text(f"{QUEUE}metadata: {{generateName: q-}}\n---\n{QUEUE}metadata: {{generateName: q-}}\n")

    assert [each.metadata.name for each in read_manifests([str(file)]).queues] == ["q-00001", "q-00002"]


@pytest.mark.parametrize(
    "head", ["apiVersion: v1\nkind: Pod\n", "apiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"]
)
def test_uid_given_twice(tmp_path: Path, head: str) -> None:
    """Two pods, or two PodGroups, with one uid are an error that names both places."""
    [error] = errors_of(tmp_path, f"{head}metadata: {{name: a, uid: u}}\n---\n{head}metadata:\n  name: b\n  uid: u\n")

    assert (error.code, error.line, error.column, error.path) == ("duplicate-uid", 9, 8, "$.metadata.uid")
    assert f"b has the uid of a, which is at {tmp_path}/input.yaml:1" in error.message


def test_uid_in_an_object_given_twice(tmp_path: Path) -> None:
    """That one object is given twice is one error, not another one for its uid."""
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: u}\n"

    assert [error.code for error in errors_of(tmp_path, f"{head}---\n{head}spec: {{priority: 2}}\n")] == [
        "duplicate-object"
    ]


def test_uid_of_what_goes_by_its_name(tmp_path: Path) -> None:
    """The uid of a queue does not matter to the scheduler, nor that a pod and a PodGroup have the same."""
    file = tmp_path / "input.yaml"
    kinds = [("Queue", "a"), ("Queue", "b"), ("PodGroup", "c")]
    file.write_text(
        "".join(
            f"apiVersion: scheduling.volcano.sh/v1beta1\nkind: {kind}\nmetadata: {{name: {name}, uid: u}}\n---\n"
            for kind, name in kinds
        )
        + "apiVersion: v1\nkind: Pod\nmetadata: {name: d, uid: u}\n"
    )

    assert read_manifests([str(file)]).notes == []


LIST = "apiVersion: v1\nkind: List\nitems:\n"
ITEM = "- {apiVersion: v1, kind: Node, metadata: {name: n%d}}\n"
ONCE = {
    "key in a value that is given twice": ("a: {b: 1, b: 2}\na: {b: 1, b: 2}\n", 3),
    "key in a mapping with a merge": ("a: &a {b: 1}\nc:\n  <<: *a\n  d: {e: 1, e: 2}\n", 1),
    "key in a mapping that is merged": ("a: &a {b: 1, b: 2}\nc: {<<: *a}\nd: {<<: *a}\n", 1),
    "key in a mapping with aliases": ("a: &a {b: 1, b: 2}\nc: *a\nd: *a\n", 1),
    "tag in a value that is given twice": ("a: 1\na: !!set {b}\n", 2),
    "key in a List that is read again as a whole": (
        LIST + "- {a: 1, a: 2}\n" + "".join(ITEM % index for index in range(150)) + "- {a: !!int x}\n",
        2,
    ),
    "JSON key in an item": ('{"kind": "List", "apiVersion": "v1", "items": [{"a": {"b": 1, "b": 2}}]}', 1),
    "JSON key of a List": ('{"kind": "List", "kind": "List", "apiVersion": "v1", "items": []}', 1),
}


@pytest.mark.parametrize(("content", "count"), ONCE.values(), ids=ONCE)
def test_each_error_once(tmp_path: Path, content: str, count: int) -> None:
    """An error is told once, however often the text that it is in is gone through."""
    found = [
        error
        for error in errors_of(tmp_path, content)
        if error.code in {"duplicate-key", "unsupported-tag", "invalid-yaml"}
    ]

    assert len(found) == len({(error.line, error.column) for error in found}) == count


def test_other_places_are_those_in_the_file(tmp_path: Path) -> None:
    """A second place that a message names is counted from the beginning of the file, not of the document."""
    content = "a: 1\n---\nb: 1\nb: 2\n---\nc: {\n  d: 1\n  e: 2}\n"
    errors = errors_of(tmp_path, content)

    assert [(error.line, error.message.rpartition(" ")[2]) for error in errors if error.code != "not-an-object"] == [
        (4, "3"),
        (8, "6"),
    ]


def test_many_wrong_entries_among_many(tmp_path: Path) -> None:
    """The wrong entries of a large map are found in one go."""
    entries = "".join(f"    k{index}: {'x' if index < 30_000 else 5}\n" for index in range(30_050))
    started = time.process_time()

    assert len(errors_of(tmp_path, f"apiVersion: v1\nkind: Node\nmetadata:\n  name: n\n  labels:\n{entries}")) == 50
    assert time.process_time() - started < 5


def test_duplicate_keys_within_duplicate_keys(tmp_path: Path) -> None:
    """Each level of duplicate keys is read once, so their number does not double with each."""
    nested = "".join(f"{' ' * depth}k: 1\n{' ' * depth}k:\n" for depth in range(100)) + " " * 100 + "x: 1\n"
    content = f"apiVersion: v1\nkind: Any\n{nested}"
    started = time.process_time()

    assert len(errors_of(tmp_path, content)) == 100
    assert time.process_time() - started < 2


def test_long_line_of_yaml(tmp_path: Path) -> None:
    """A line that nobody wrote is refused before it is parsed."""
    started = time.process_time()
    [error] = errors_of(tmp_path, b"kind: Queue\nname: " + b"x" * 20_000_000)

    assert (error.line, error.code) == (2, "line-too-long")
    assert time.process_time() - started < 2


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


def test_rendering_of_names_that_break_lines() -> None:
    """What a name could do to a log is written out in place, message and hint; the excerpt keeps its lines."""
    error = Diagnostic(
        code="c",
        severity="error",
        message="no 'a\nFAKE\n/approve'",
        file="::error::\x1b.yaml",
        line=1,
        help="b\r\u2028c ##[error]",
        excerpt="x\n^",
    )

    assert render(error) == (
        "\\x3a:error::\\x1b.yaml:1: no 'a\\nFAKE\\n/approve' (b\\r\\u2028c \\x23#[error])\n  x\n  ^"
    )


def test_guesses_have_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long words of few letters are slow to compare, so they are compared as long as a budget lasts."""
    compared: list[int] = []

    def get_close_matches(word: str, near: list[str], **_: object) -> list[str]:
        compared.append(len(word) * sum(map(len, near)))
        return near[:1]

    monkeypatch.setattr("difflib.get_close_matches", get_close_matches)
    words = [f"{number:b}".zfill(60) for number in range(950)]
    guesser = Guesser(words[:250])

    hints = [guesser.hint(word) for word in words[250:]]

    assert sum(compared) <= 20_000_000
    assert hints[0].startswith("did you mean")
    assert hints[-1] == ""


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
