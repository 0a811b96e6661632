"""Where a value of the scheduler's configuration stands in its file."""

from __future__ import annotations

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.cursor import go_tag
from vqs.snapshot.reading.configuration.text import ConfigText
from vqs.snapshot.reading.diagnostics import Path, Position

_MERGE_KEY = "<<"


def root_of(conf: ConfigText) -> Node | None:
    """Return the root of the first document, None where there is none or it is no YAML."""
    try:
        return next(iter(yaml_text.compose(conf.text, go_tag)), None)
    except yaml_text.YamlErrors:
        return None


def position_in(root: Node, path: Path, *, key: bool = False) -> Position:
    """Return where a value begins in the configuration's text, or its key.

    Where there is nothing at the path, it is the key of the nearest value around it. In a text that enumerates names,
    such as ``actions``, an index leads to one of them.
    """
    node = root
    key_node: Node = root
    for index, step in enumerate(path):
        if isinstance(node, ScalarNode):
            return _part(node, step) if index == len(path) - 1 else yaml_text.position_of(node)
        found = _child(node, step)
        if found is None:
            return yaml_text.position_of(key_node)
        key_node, node = found
    return yaml_text.position_of(key_node if key else node)


def _child(node: Node, step: str | int) -> tuple[Node, Node] | None:
    """Return the key and the value at a step; an item of a list is its own key."""
    if isinstance(node, SequenceNode):
        known = isinstance(step, int) and 0 <= step < len(node.value)
        return (node.value[step], node.value[step]) if known else None
    if not isinstance(node, MappingNode):
        return None
    found = None
    for key_node, value_node in node.value:
        if key_node.value == step:
            found = key_node, value_node
        elif key_node.value == _MERGE_KEY and found is None:
            found = _merged(value_node, step)
    return found


def _merged(node: Node, step: str | int) -> tuple[Node, Node] | None:
    sources = node.value if isinstance(node, SequenceNode) else [node]
    return next((found for source in sources if (found := _child(source, step)) is not None), None)


def _part(node: ScalarNode, step: str | int) -> Position:
    positions = positions_of_names(node) if isinstance(step, int) else []
    return positions[step] if isinstance(step, int) and 0 <= step < len(positions) else yaml_text.position_of(node)


def positions_of_names(node: Node) -> list[Position]:
    """Return where each name begins in a text of names with commas between them; none in a text of several lines."""
    if not isinstance(node, ScalarNode) or node.start_mark.line != node.end_mark.line:
        return []
    start = yaml_text.position_of(node)
    column = start.column + (1 if node.style else 0)
    positions = []
    for part in str(node.value).split(","):
        positions.append(Position(start.line, column + len(part) - len(part.lstrip())))
        column += len(part) + 1
    return positions
