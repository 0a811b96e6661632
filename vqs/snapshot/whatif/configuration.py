"""Setting a value in the scheduler's configuration, and leaving all else in it as Volcano reads it.

The text is rewritten, every scalar as it stood: what an unquoted ``y`` or ``1e3`` is, Volcano's own rules decide.
"""

from __future__ import annotations

import re
from copy import copy
from itertools import chain
from typing import Any, Final

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS
from vqs.releases.profile import Profile
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.read import Configuration, read_configuration
from vqs.snapshot.reading.configuration.text import ConfigText
from vqs.snapshot.reading.diagnostics import Path, did_you_mean
from vqs.snapshot.reading.documents import EditedText
from vqs.snapshot.whatif.paths import ONE_MORE, EditError, find_item, refuse_no_item, write_quoted, write_value

BUILT_IN: Final = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
"""
"""What Volcano uses where it is given no configuration."""

_FIELDS: Final = ("actions", "tiers", "configurations", "metrics")
_ARGUMENTS: Final = "arguments"
_SAFE: Final = re.compile(r"[\w./+-][\w ./+-]*", re.ASCII)


def with_value(conf: ConfigText | None, path: Path, value: Any, profile: Profile) -> Configuration:
    """A configuration with a value set; null takes it out.

    Raises:
        EditError: there is no such place in it, or Volcano would refuse what it says then.
    """
    if path[0] not in _FIELDS:
        message = f"the configuration has no field {path[0]!r}"
        raise EditError("unknown-field", message, did_you_mean(str(path[0]), _FIELDS))
    if _ARGUMENTS in path:
        # Where the dots of an argument's name are taken for steps, nothing would be set that is read.
        first, *rest = path[path.index(_ARGUMENTS) + 1 :] or ("",)
        known = [each.name for given in (PLUGIN_ARGUMENTS, ACTION_ARGUMENTS) for each in chain(*given.values())]
        if rest and first not in known and any(name.startswith(f"{first}.") for name in known):
            name = ".".join(map(str, (first, *rest)))
            message = f"{first!r} is no argument: the dots are part of the name {name!r}"
            raise EditError("unknown-field", message, f'write {_ARGUMENTS}["{name}"]')
    refuse_no_item(path, value)
    try:
        roots = yaml_text.compose(BUILT_IN if conf is None else conf.text)
    except yaml_text.YamlErrors as errors:
        raise EditError("invalid-edit", f"the configuration cannot be read: {errors.problems[0].message}") from None
    root = roots[0] if roots else yaml_text.compose("{}")[0]
    new = None if value is None else yaml_text.compose(write_value(value))[0]
    text = _written(_with(root, path, new, ()), "") + "\n"
    name = "built-in" if conf is None else conf.name
    edited = read_configuration(ConfigText(text, EditedText(f"{name}, edited", text)), profile)
    for each in edited.refused_for:
        raise EditError(each.code, each.message, each.help)
    return edited


def _with(node: Node | None, path: Path, new: Node | None, done: Path) -> Node:
    """A node with a value set in it; nodes may be shared by aliases, so those on the way are copied."""
    step, rest = path[0], path[1:]
    if node is None or (isinstance(node, ScalarNode) and node.tag == yaml_text.NULL):
        node = yaml_text.compose("{}")[0]
    changed = copy(node)
    changed.value = list(node.value) if not isinstance(node, ScalarNode) else node.value
    if isinstance(changed, SequenceNode) and step == ONE_MORE:
        made = _with(None, rest, new, (*done, len(changed.value))) if rest else new
        changed.value += [made] if made is not None else []
        return changed
    if isinstance(changed, SequenceNode):
        at = find_item(changed.value, step, done, _name_of)
        if rest or new is not None:
            changed.value[at] = _with(changed.value[at], rest, new, (*done, at)) if rest else new
        else:
            del changed.value[at]
        return changed
    if not isinstance(changed, MappingNode) or isinstance(step, int):
        raise EditError("unknown-field", f"there is nothing at {step!r}")
    keys = [str(key.value) for key, _ in changed.value]
    place = keys.index(step) if step in keys else None
    if rest:
        new = _with(None if place is None else changed.value[place][1], rest, new, (*done, step))
    if place is None:
        if new is not None:
            changed.value.append((yaml_text.compose(write_quoted(step))[0], new))
    elif new is None:
        del changed.value[place]
    else:
        changed.value[place] = (changed.value[place][0], new)
    return changed


def _name_of(node: Node) -> object:
    if not isinstance(node, MappingNode):
        return None
    return next((value.value for key, value in node.value if key.value == "name"), None)


def _written(node: Node, indentation: str) -> str:
    """Write a node as a flow value, a line for each part, each scalar with or without quotes as it was."""
    if isinstance(node, ScalarNode):
        plain = not node.style and (_SAFE.fullmatch(node.value) or node.tag != yaml_text.STR)
        return str(node.value) if plain else write_quoted(node.value)
    inner = f"{indentation}  "
    if isinstance(node, MappingNode):
        parts = [f"{_written(key, inner)}: {_written(value, inner)}" for key, value in node.value]
        opening, closing = "{", "}"
    else:
        parts = [_written(each, inner) for each in node.value]
        opening, closing = "[", "]"
    if not parts:
        return opening + closing
    lines = ",\n".join(f"{inner}{part}" for part in parts)
    return f"{opening}\n{lines}\n{indentation}{closing}"
