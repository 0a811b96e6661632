"""Files in all their shapes become the same objects."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from vqs.snapshot.reading import json_text, yaml_text
from vqs.snapshot.reading.diagnostics import InputErrors, Position
from vqs.snapshot.reading.documents import JsonDocument
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.reader import read_manifests
from vqs.snapshot.reading.sources import Source


def queue(name: str, weight: int = 1) -> dict[str, Any]:
    """Make a queue."""
    return {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "metadata": {"name": name},
        "spec": {"weight": weight},
    }


def list_of(*items: dict[str, Any], kind: str = "List") -> dict[str, Any]:
    """Make a List."""
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def read_text(text: str | bytes) -> Manifests:
    """Read a text as standard input."""
    return read_manifests(["-"], stdin=io.BytesIO(text.encode() if isinstance(text, str) else text))


def names(manifests: Manifests) -> list[str]:
    """Return the names of the queues, in order."""
    return [each.metadata.name for each in manifests.queues]


A_B = [queue("a"), queue("b")]

SHAPES: dict[str, str | bytes] = {
    "YAML documents": yaml.safe_dump_all(A_B),
    "YAML documents without first marker": "\n---\n".join(map(yaml.safe_dump, A_B)),
    "YAML documents with end markers": "...\n".join(map(yaml.safe_dump, A_B)),
    "YAML directive": "%YAML 1.1\n---\n" + yaml.safe_dump(A_B[0]) + "...\n%YAML 1.1\n---\n" + yaml.safe_dump(A_B[1]),
    "YAML with empty documents": "---\n# a comment\n---\n" + "\n---\n---\n".join(map(yaml.safe_dump, A_B)) + "\n---\n",
    "YAML with Windows line ends": yaml.safe_dump_all(A_B).replace("\n", "\r\n"),
    "YAML List": yaml.safe_dump(list_of(*A_B)),
    "YAML List with Windows line ends": yaml.safe_dump(list_of(*A_B)).replace("\n", "\r\n"),
    "YAML List of a kind": yaml.safe_dump(list_of(*A_B, kind="QueueList")),
    "YAML List, items indented": "kind: List\napiVersion: v1\nitems:\n"
    + "".join(f"  - {json.dumps(each)}\n" for each in A_B)
    + "metadata: {}\n",
    "YAML flow style": yaml.safe_dump_all(A_B, default_flow_style=True, explicit_start=True),
    "YAML sequence": yaml.safe_dump(A_B),
    "YAML anchors": "- &q {apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: a}}\n"
    "- {<<: *q, metadata: {name: b}}\n",
    "nested Lists": json.dumps(list_of(list_of(A_B[0]), list_of(list_of(A_B[1])))),
    "nested Lists in YAML": yaml.safe_dump(list_of(list_of(A_B[0]), list_of(list_of(A_B[1])))),
    "JSON List": json.dumps(list_of(*A_B)),
    "JSON List, indented": json.dumps(list_of(*A_B), indent=2),
    "JSON lines": "\n".join(map(json.dumps, A_B)) + "\n",
    "JSON without separator": "".join(map(json.dumps, A_B)),
    "JSON array": json.dumps(A_B),
    "JSON between markers": f"---\n{json.dumps(A_B[0])}\n---\n{yaml.safe_dump(A_B[1])}",
    "UTF-8 with mark": yaml.safe_dump_all(A_B).encode("utf-8-sig"),
    "UTF-16": yaml.safe_dump_all(A_B).encode("utf-16"),
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_shapes(text: str | bytes) -> None:
    """However two queues are written down, they are read in order."""
    assert names(read_text(text)) == ["a", "b"]


def test_folders_and_repetition(tmp_path: Path) -> None:
    """A folder is read in the order of names, hidden files are left out, and a file named twice is read once."""
    for name, each in (
        ("b.yml", "b"),
        ("a.json", "a"),
        ("sub/c.yaml", "c"),
        (".hidden.yaml", "h"),
        (".git/d.yaml", "d"),
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(queue(each)))
    (tmp_path / "notes.txt").write_text("not read")

    manifests = read_manifests([str(tmp_path), str(tmp_path / "sub" / ".." / "b.yml")])

    assert names(manifests) == ["a", "b", "c"]
    assert sorted(note.code for note in manifests.notes) == ["hidden-file", "read-once"]


def test_hidden_files_are_named(tmp_path: Path) -> None:
    """Hidden files that kubectl would apply are named, but neither other hidden files nor hidden folders."""
    for name in (".b.yaml", "a.json", ".gitignore", "sub/.c.json", ".git/d.yaml", ".yaml", "...json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(queue("a")))
    [note] = read_manifests([str(tmp_path)]).notes
    assert (note.code, note.severity, note.file) == ("hidden-file", "warning", str(tmp_path))
    assert note.message == (
        "4 hidden files are skipped, though kubectl apply reads such files: ...json, .b.yaml, .yaml and sub/.c.json"
    )


def test_nulls_are_not_given() -> None:
    """Null stands for a field that is not given; in maps of text it is an empty text."""
    [pod] = read_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {a: }, creationTimestamp: null, annotations: null}\n"
        "spec: {containers: null, priority: null, tolerations: ~}\nstatus: null\n"
    ).pods

    assert pod.metadata.labels == {"a": ""}
    assert pod.metadata.annotations == {}
    assert pod.spec.containers == []
    assert pod.status.phase == ""


def test_selectors_given_and_not_given() -> None:
    """A selector that is not given differs from an empty one."""
    terms = [{"topologyKey": "z"}, {"topologyKey": "z", "labelSelector": {}, "namespaceSelector": {}}]
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"affinity": affinity}}
    read = read_text(json.dumps(pod)).pods[0].spec.affinity

    assert read is not None
    assert read.pod_affinity is not None
    absent, empty = read.pod_affinity.required
    assert (absent.label_selector, absent.namespace_selector) == (None, None)
    assert empty.label_selector is not None
    assert empty.namespace_selector is not None


def test_progress(tmp_path: Path) -> None:
    """Progress grows up to the size of the input."""
    file = tmp_path / "many.yaml"
    file.write_text(yaml.safe_dump(list_of(*(queue(f"q{number}") for number in range(500)))))
    seen: list[tuple[int, int]] = []

    read_manifests([str(file)], progress=lambda done, total: seen.append((done, total)))

    assert len(seen) > 3
    assert seen == sorted(seen)
    assert {total for _, total in seen} == {file.stat().st_size}


@pytest.mark.parametrize("dump", [json.dumps, lambda value: json.dumps(value, indent=1), yaml.safe_dump])
def test_positions_in_long_lists(dump: Any) -> None:
    """The place of a value is found in any item of a list, in JSON and in YAML."""
    text = dump(list_of(*(queue(f"q{number}", weight=1000 + number) for number in range(250))))
    manifests = read_text(text)

    for index in (0, 99, 100, 249):
        line, column = manifests.position("queues", index, ("spec", "weight"))
        assert text.splitlines()[line - 1][column - 1 :].startswith(str(1000 + index))


def test_position_of_what_is_missing() -> None:
    """The place of a value that is not there is that of the nearest value around it."""
    manifests = read_text("# comment\n" + yaml.safe_dump(queue("a")))

    assert manifests.position("queues", 0, ("metadata", "labels", "x")) == Position(5, 3)


def test_list_that_deceives_splitting() -> None:
    """A quoted text that looks like further items does not change what is read."""
    text = 'kind: List\napiVersion: v1\nitems:\n- kind: Other\n  apiVersion: "v1\n\n- kind: x\n\n- y: z"\n' + "".join(
        f"- {json.dumps(queue(f'q{number}'))}\n" for number in range(150)
    )
    manifests = read_text(text)

    assert names(manifests) == [f"q{number}" for number in range(150)]
    assert manifests.ignored == {"Other": 1}


SCALARS = {
    "text": "text",
    "'5'": "5",
    "5": 5,
    "+5": 5,
    "1_000": 1000,
    "010": 8,
    "0x10": 16,
    "0b11": 3,
    "1.5": 1.5,
    "2.0": 2,
    "1e3": "1e3",
    "18446744073709551615": 2**64 - 1,
    "18446744073709551616": 2**64,
    "1000000000000000000000.5": 10**21,
    "0xffffffffffffffff": 2**64 - 1,
    "0x1ffffffffffffffff": "0x1ffffffffffffffff",
    "02000000000000000000000": "02000000000000000000000",
    "1.0e+400": "1.0e+400",
    "yes": True,
    "Off": False,
    "y": "y",
    "~": None,
    "": None,
    "1:30": "1:30",
    "2026-01-31": "2026-01-31",
    "2026-01-31T12:00:00Z": "2026-01-31T12:00:00Z",
    "!!str 5": "5",
    "0o17": "0o17",
    "09": "09",
}


@pytest.mark.parametrize(("text", "expected"), SCALARS.items(), ids=str)
def test_scalars(text: str, expected: object) -> None:
    """Unquoted scalars have the types that they have for kubectl; times stay text."""
    [value] = yaml_text.load(f"key: {text}\n")

    assert value == {"key": expected}
    assert type(value["key"]) is type(expected)


@pytest.mark.parametrize(("text", "kind"), [("9" * 5000, str), ("0x" + "f" * 5000, str), ("1_" + "0" * 40, int)])
def test_numbers_of_many_digits(text: str, kind: type) -> None:
    """A number of more digits than a 64-bit integer has is a double, or text where it is none, as in Go."""
    [value] = yaml_text.load(f"key: {text}\n")

    assert type(value["key"]) is kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".inf", ".inf is not a number in JSON"),
        ("-.Inf", "-.Inf is not a number in JSON"),
        (".nan", ".nan is not a number in JSON"),
        ("!!float 1e400", "1e400 is not a number in JSON"),
        ("!!int 0x1ffffffffffffffff", "cannot read '0x1ffffffffffffffff' as !!int"),
        ("!!int " + "9" * 5000, "as !!int"),
    ],
    ids=str,
)
def test_numbers_that_are_none(text: str, said: str) -> None:
    """What Kubernetes cannot take for a number, as JSON has none like it, is refused where it stands."""
    with pytest.raises(yaml_text.YamlErrors) as caught:
        yaml_text.load(f"a: b\nkey: {text}\n")

    [problem] = caught.value.problems
    assert said in problem.message
    assert problem.position == Position(2, 6)


MERGES = {
    "{<<: {a: 1, b: 2}, a: 3}": {"a": 3, "b": 2},
    "{a: 3, <<: {a: 1}}": {"a": 1},
    "{a: 3, !!merge <<: {a: 1}}": {"a": 1},
    "{<<: {a: 1}, <<: {a: 2}}": {"a": 2},
    "{a: 0, <<: [{a: 1}, {a: 2, b: 2}]}": {"a": 1, "b": 2},
    "{a: 0, <<: {a: 1, <<: {a: 2}}, b: 1}": {"a": 2, "b": 1},
    "{a: 0, '<<': {a: 1}}": {"a": 0, "<<": {"a": 1}},
}


@pytest.mark.parametrize(("text", "expected"), MERGES.items(), ids=str)
def test_merges(text: str, expected: object) -> None:
    """A merge takes effect where it stands: it overrides the keys before it, and those after override it."""
    assert yaml_text.load(text) == [expected]


TAGGED = {
    "!!binary UXVldWU=": "Queue",
    '!!binary "UXVl\\ndWU="': "Queue",
    "!!str 5": "5",
    '!!int "5"': 5,
    "!!float 010": 8,
    "!!float 1e3": 1000,
    '!!bool "y"': True,
    "!!null ~": None,
    "!!merge x": "x",
}


@pytest.mark.parametrize(("text", "expected"), TAGGED.items(), ids=str)
def test_tags(text: str, expected: object) -> None:
    """A tag says what a text is, as in Go."""
    assert yaml_text.load(f"key: {text}\n") == [{"key": expected}]


@pytest.mark.parametrize(
    "text",
    [
        *("!!binary UXV", "!!bool foo", "!!bool tRUE", "!!null x", '!!int " 5"', "!!int \u0663", "!!float infinity"),
        *("!!timestamp 2001-01-01", "!!set {a}", "!!omap [{a: b}]", "!x 5", "{!!merge x: {a: b}}"),
        *("{1.0: a}", "{100000.5: a}", "! 5", '{! "<<": {a: b}}', "!<!> 5"),
    ],
)
def test_tags_that_are_refused(text: str) -> None:
    """A tag that does not fit, or that is not known, is refused; so is a key that Go would write otherwise."""
    with pytest.raises(yaml_text.YamlErrors) as caught:
        yaml_text.load(f"key: {text}\n")

    assert [problem.position.line for problem in caught.value.problems] == [1]


def test_binary_key() -> None:
    """A key in base64 is the text that it stands for."""
    assert yaml_text.load("!!binary a2luZA==: Queue\n") == [{"kind": "Queue"}]


@pytest.mark.parametrize("line_break", ["\r", "\x85", "\u2028", "\u2029"])
def test_comments_end_where_lines_end(line_break: str) -> None:
    """A comment ends at every line break of YAML, so it does not hide what follows it."""
    manifests = read_text(f"# a comment{line_break}{json.dumps(queue('hidden')).replace('{', '{ ', 1)}\n---\n# end\n")

    assert names(manifests) == ["hidden"]


@pytest.mark.parametrize("write", [json.dumps, yaml.safe_dump])
def test_items_make_a_list(write: Callable[[Any], str]) -> None:
    """An object with items is a List, whatever its kind, and within another one too."""
    inner = {"apiVersion": "v1", "kind": "ServiceAccount", "items": [queue("inner")]}
    manifests = read_text(write({"apiVersion": "v1", "kind": "Secret", "items": [queue("outer"), inner]}))

    assert names(manifests) == ["outer", "inner"]
    assert manifests.ignored == {}


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=4))
def test_json_values_survive(value: dict[str, Any]) -> None:
    """JSON is read as what it says, without complaint, whatever colons and quotes it contains."""
    problems: list[json_text.JsonProblem] = []
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        document = JsonDocument(Source("input.json", text), 0, len(text))
        assert list(json_text.objects(document, problems.append, lambda _: None)) == [((), value)]
    assert problems == []


@given(
    st.dictionaries(st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), max_size=6), JSON_VALUES)
)
def test_yaml_agrees_with_json(value: dict[str, Any]) -> None:
    """What the library dumps as YAML is read back as the same value."""
    assert yaml_text.load(yaml.safe_dump(value, allow_unicode=False)) == [value]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("{a}---\n{b}", []),
        ("{a}...\n---\n{b}", []),
        ("{a}...\n{b}", [6]),
        ("{a}--- # b\n{b}...\n# c\n{c}", [11]),
        ("{a}\r---\r{b}", [5]),
        ("{a}\u2028---\u2028{b}", [5]),
        ("---\n{json}{json2}", [2]),
        ("{json}\n{json2}", []),
        ("{json}\n---\n{b}", []),
    ],
)
def test_documents_that_kubectl_does_not_read(text: str, lines: list[int]) -> None:
    """Every document is read, and those are told that kubectl loses: it takes the first after each line ``---``."""
    yamls = {name: f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: {name}\n" for name in ("a", "b", "c")}
    value = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "j"}}
    jsons = {"json": json.dumps(value), "json2": json.dumps(value | {"metadata": {"name": "k"}})}
    manifests = read_text(text.format(**yamls, **jsons))
    assert len(manifests.namespaces) == text.count("{")
    assert [each.line for each in manifests.notes if each.code == "not-applied"] == lines


def test_documents_in_utf_16_that_kubectl_does_not_read() -> None:
    """Where every other byte is zero, kubectl finds no marker, and takes the first document alone."""
    [note] = read_text(SHAPES["UTF-16"]).notes
    assert note.code == "not-applied"
    assert read_text(json.dumps(A_B[0]).encode("utf-16")).notes == []


@pytest.mark.parametrize(
    "marker", ["---\u00a0#:", "---\u3000", "---\u00a0# more", "--- # x\rspec: {}", "---#\u2028x: y"]
)
def test_markers_that_only_kubectl_knows(marker: str) -> None:
    """A line that kubectl takes for a marker and YAML for something else, or less, hides what comes after it."""
    text = f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n{marker}\n  kind: Queue\n"
    with pytest.raises(InputErrors) as refused:
        read_text(text)
    told = [each for each in refused.value.diagnostics if "kubectl splits the text" in each.message]
    assert [each.line for each in told] == [5]
