"""The annotations of nodes say how busy they are."""

from typing import Any

from tests.build import node, open_session
from vqs.engine.nodes.usage import NodeUsage


def usage(*annotations: dict[str, str]) -> NodeUsage:
    """Read the use of some nodes n0, n1 ..."""
    nodes: list[Any] = [node(f"n{number}") for number in range(len(annotations))]
    for each, given in zip(nodes, annotations, strict=True):
        each["metadata"]["annotations"] = given
    return NodeUsage.of(open_session(nodes))


def test_a_node_that_says_nothing_is_idle() -> None:
    """As is one that says something else than a number."""
    read = usage({"vqs.volcano.sh/cpu-usage": "12.5"}, {}, {"vqs.volcano.sh/memory-usage": "much"})
    assert read.percent["n0"] == {"cpu": 12.5, "memory": 0.0}
    assert read.percent["n1"] == read.percent["n2"] == {"cpu": 0.0, "memory": 0.0}
    assert read.known


def test_it_is_known_whether_any_node_says_something() -> None:
    """For a warning where none does."""
    assert not usage({}, {}).known
    assert not usage({"vqs.volcano.sh/cpu-usage": "busy"}).known
