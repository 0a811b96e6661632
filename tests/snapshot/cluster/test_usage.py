"""A file that says how busy nodes are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import manifests, node
from vqs.snapshot.cluster.usage import ANNOTATIONS, TIME, with_usage
from vqs.snapshot.reading.diagnostics import InputErrors

TOP = """NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)
n1     7350m        91%      12000Mi         75%
n2     100m         1%       1000Mi          6%
n3     <unknown>    <unknown>   <unknown>    <unknown>
"""


def said(path: Path, text: str) -> dict[str, tuple[str | None, ...]]:
    """Write a file, and return what is said of cpu and memory of each of three nodes."""
    path.write_text(text, encoding="utf-8")
    read = with_usage(manifests([node(name) for name in ("n1", "n2", "n3")]), str(path))
    return {
        each.metadata.name: tuple(each.metadata.annotations.get(key) for key in ANNOTATIONS.values())
        for each in read.nodes
    }


def errors(path: Path, text: str) -> list[tuple[int, int, str, str]]:
    """Return line, column, message and help of all that is wrong with a file."""
    with pytest.raises(InputErrors) as raised:
        said(path, text)
    return [(each.line, each.column, each.message, each.help) for each in raised.value.diagnostics]


def test_what_kubectl_top_prints_is_read(tmp_path: Path) -> None:
    """Nodes of which nothing is known get nothing."""
    assert said(tmp_path / "top.txt", TOP) == {"n1": ("91", "75"), "n2": ("1", "6"), "n3": (None, None)}
    assert said(tmp_path / "top.txt", TOP.replace("(%)", "%"))["n1"] == ("91", "75")


def test_percentages_by_node_are_read(tmp_path: Path) -> None:
    """In YAML or JSON; one resource alone will do."""
    assert said(tmp_path / "a.yaml", "n1: {cpu: 80.5, memory: 35}\nn2: {memory: 0}\n") == {
        "n1": ("80.5", "35"),
        "n2": (None, "0"),
        "n3": (None, None),
    }
    assert said(tmp_path / "a.json", '{"n3": {"cpu": 12}}')["n3"] == ("12", None)


def test_a_file_may_say_when_nodes_were_measured(tmp_path: Path) -> None:
    """A time without a zone is refused."""
    path = tmp_path / "u.yaml"
    path.write_text("n1: {cpu: 80, time: 2026-03-02T12:00:00Z}", encoding="utf-8")
    read = with_usage(manifests([node("n1")]), str(path))
    assert read.nodes[0].metadata.annotations[TIME] == "2026-03-02T12:00:00Z"
    expected = "'noon' is not a time with a zone, such as 2026-03-02T12:00:00Z"
    assert errors(path, "n1: {cpu: 80, time: noon}") == [(1, 21, expected, "")]


METRICS = """kind: NodeMetricsList
items:
- metadata: {name: n1}
  timestamp: "2026-03-02T12:00:00Z"
  usage: {cpu: 1234m, memory: 4Gi}
- metadata: {name: n2}
  usage: {cpu: 100n}
"""


def test_what_the_metrics_server_has_becomes_percentages_of_the_capacity(tmp_path: Path) -> None:
    """The nodes have 8 cores and 16Gi; a note says that it is the usage of a moment."""
    assert said(tmp_path / "m.yaml", METRICS) == {"n1": ("15.425", "25"), "n2": ("1.25e-06", None), "n3": (None, None)}
    read = with_usage(manifests([node("n1"), node("n2")]), str(tmp_path / "m.yaml"))
    assert read.nodes[0].metadata.annotations[TIME] == "2026-03-02T12:00:00Z"
    assert [(each.severity, each.code) for each in read.notes] == [("note", "invalid-usage")]


@pytest.mark.parametrize(
    "text", ["n1: {cpu: 80}\nn22: {cpu: 3}\n", TOP.replace("n2 ", "n22 "), METRICS.replace("n2", "n22")]
)
def test_the_usage_of_other_nodes_is_not_used(tmp_path: Path, text: str) -> None:
    """A node that is gone by now is no error: a note names it, and the node that was meant where it is near."""
    (tmp_path / "u.yaml").write_text(text, encoding="utf-8")
    read = with_usage(manifests([node("n1"), node("n2")]), str(tmp_path / "u.yaml"))
    [noted] = [each for each in read.notes if "n22" in each.message]
    assert (noted.severity, noted.help) == ("note", "did you mean 'n2'?")
    assert noted.message == "the usage of node 'n22' is not used: there is no such node"
    assert read.nodes[0].metadata.annotations


def test_the_given_manifests_stay_as_they_are(tmp_path: Path) -> None:
    """Whoever runs two sessions on them finds them unchanged."""
    given = manifests([node("n1")])
    (tmp_path / "u.yaml").write_text("n1: {cpu: 80}", encoding="utf-8")
    with_usage(given, str(tmp_path / "u.yaml"))
    assert given.nodes[0].metadata.annotations == {}


def test_all_errors_of_a_file_are_told_with_their_places(tmp_path: Path) -> None:
    """Unknown resources get a hint."""
    text = "n1: {cpu: much, memroy: 3}\nn2: 7\n"
    assert errors(tmp_path / "u.yaml", text) == [
        (1, 11, "'much' is not a percentage", ""),
        (1, 17, "the usage of 'memroy' is not used; expected cpu or memory", "did you mean 'memory'?"),
        (2, 5, "expected percentages: {cpu: 80, memory: 35}", ""),
    ]
    broken = TOP.replace("n2     100m", "n2")
    assert [(line, message) for line, _, message, _ in errors(tmp_path / "top.txt", broken)] == [
        (3, "expected a line as kubectl top nodes prints it: NAME CPU CPU% MEMORY MEMORY%"),
    ]
    assert [each[2] for each in errors(tmp_path / "u.yaml", "- n1")] == [
        "expected percentages by node: {n1: {cpu: 80, memory: 35}}"
    ]
    with pytest.raises(InputErrors, match="cannot be read"):
        with_usage(manifests([node("n1")]), str(tmp_path / "missing"))


@pytest.mark.parametrize("percent", ["1e400", "9" * 5000, "-1", "1e10", "9" * 400])
def test_no_percentage_in_json(tmp_path: Path, percent: str) -> None:
    """A number that no share of a node can be is refused, whatever its size."""
    [(line, _, message, _)] = errors(tmp_path / "usage.json", f'{{"n1":\n {{"cpu": {percent}}}}}')

    assert line == 2
    assert "is not a percentage" in message or "out of range" in message


def test_digits_of_other_scripts_are_no_percentage(tmp_path: Path) -> None:
    """A line of a table with a digit that is no decimal one is refused, as it is not kubectl's."""
    [(line, *_)] = errors(tmp_path / "top.txt", TOP.replace("91%", "9\u00b2%"))

    assert line == 2
