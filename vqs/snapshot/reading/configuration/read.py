"""The scheduler's configuration of a snapshot: its text, read once into what Volcano understands of it.

Reference in volcano-sh/volcano: ``pkg/scheduler/util.go``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from msgspec import structs
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vqs.config import known_plugins
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument, Arguments, find_argument
from vqs.config.known_plugins import ACTIONS, GANG_ACTIONS, PLUGINS
from vqs.config.scheduler_conf import FLAGS, PluginOption, SchedulerConfiguration, Tier, spelt_in
from vqs.model.codes import ACTION_LEFT_OUT
from vqs.releases.profile import Profile, behaviours
from vqs.snapshot.reading import yaml_text
from vqs.snapshot.reading.configuration.text import UNKNOWN_KEY, Advice, ConfigText, Cursor, go_tag
from vqs.snapshot.reading.diagnostics import (
    Diagnostic,
    Guesser,
    InputErrors,
    Path,
    Position,
    Problems,
    Severity,
    did_you_mean,
)

MISSPELT_FLAG: Final = "misspelt-flag"
MISPLACED_KEY: Final = "misplaced-key"
MISPLACED_ARGUMENT: Final = "misplaced-argument"
_UNKNOWN_ACTION: Final = "unknown-action"

_PREFIX: Final = re.compile(r"(?i:enabled?_?-?)?")
_ROOT_KEYS: Final = ("actions", "tiers", "configurations", "metrics")
_UNDER_ARGUMENTS: Final = "move it one level down, under arguments:"


def root_advice(key: str) -> Advice | None:
    """Advise about a key beside ``actions`` and ``tiers``."""
    if key == "plugins":
        return Advice(MISPLACED_KEY, "plugins are in a tier: write tiers: with an item that has plugins:")
    if key in {"name", "arguments"} or key in FLAGS:
        return Advice(MISPLACED_KEY, "it belongs to a plugin, in tiers:")
    if key in PLUGINS:
        return Advice(MISPLACED_KEY, f"write it in a tier, as an item - name: {key} under plugins:")
    return None


def tier_advice(key: str) -> Advice | None:
    """Advise about a key beside ``plugins``."""
    if key in {"name", "arguments"} or key in FLAGS:
        return Advice(MISPLACED_KEY, "it belongs to a plugin, in the list plugins: of the tier")
    return _of_the_root(key)


def plugin_advice(key: str, flags: Sequence[str] = tuple(FLAGS)) -> Advice | None:
    """Advise about a key beside the ``name`` of a plugin that has some flags."""
    # The flag that differs in its prefix or in upper case only, or is spelt much like this key.
    bare = _PREFIX.sub("", key, count=1).casefold()
    same = next((flag for flag in flags if _PREFIX.sub("", flag, count=1).casefold() == bare), "")
    near = re.search(r"'(.*)'", did_you_mean(key, flags)) if key.casefold().startswith("enable") else None
    if flag := same or (near[1] if near else ""):
        return Advice(MISSPELT_FLAG, f"did you mean {flag!r}?")
    if any(find_argument(arguments, key) for arguments in PLUGIN_ARGUMENTS.values()):
        return Advice(MISPLACED_ARGUMENT, _UNDER_ARGUMENTS)
    return _of_the_root(key) or _other(key)


def action_advice(key: str) -> Advice | None:
    """Advise about a key beside the ``name`` of an action."""
    if any(find_argument(arguments, key) for arguments in ACTION_ARGUMENTS.values()):
        return Advice(MISPLACED_ARGUMENT, _UNDER_ARGUMENTS)
    return _of_the_root(key) or _other(key)


def _of_the_root(key: str) -> Advice | None:
    return Advice(MISPLACED_KEY, "it belongs to the top level") if key in _ROOT_KEYS else None


def _other(key: str) -> Advice:
    return Advice(UNKNOWN_KEY, did_you_mean(key, ("name", "arguments")) or "arguments go under arguments:")


_HIERARCHY: Final = "enableHierarchy"
MOST_ACTIONS: Final = 100
"""How many actions may be run: each takes as long as a session."""
MOST_PLUGINS: Final = 200
"""How many tiers and plugins there may be: every node and task is shown to each."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration as it was read.

    Attributes:
        text: what is written, and where.
        parsed: what it says; of little use where there are errors among the diagnostics, None where it is no YAML.
        diagnostics: what is wrong with it: warnings, and the errors for which Volcano would refuse it.
        left_out: those of the errors that a session is run with all the same: actions that the caller has left out.
    """

    text: ConfigText
    parsed: SchedulerConfiguration | None
    diagnostics: tuple[Diagnostic, ...] = ()
    left_out: frozenset[Diagnostic] = frozenset()

    @property
    def refused_for(self) -> list[Diagnostic]:
        """The errors for which no session is run."""
        return [each for each in self.diagnostics if each.severity == "error" and each not in self.left_out]

    @property
    def of_sessions(self) -> list[Diagnostic]:
        """What is wrong with it, as a session takes it."""
        found = [*self.diagnostics]
        for index, each in enumerate(found):
            if each in self.left_out:
                text = f"{each.message}: vqs leaves it out, as the option --unknown-actions asks"
                found[index] = structs.replace(each, code=ACTION_LEFT_OUT, severity="warning", message=text)
        return found

    def accepted(self) -> SchedulerConfiguration:
        """What the configuration says.

        Raises:
            InputErrors: Volcano would refuse it.
        """
        if self.parsed is None or self.refused_for:
            raise InputErrors(self.diagnostics)
        return self.parsed

    def renamed(self, rename: Callable[[Diagnostic], Diagnostic]) -> Configuration:
        """The same configuration after its file was given another name, with diagnostics that say so."""
        parsed = None if self.parsed is None else replace(self.parsed, source=self.text.name)
        left_out = frozenset(map(rename, self.left_out))
        return Configuration(self.text, parsed, tuple(map(rename, self.diagnostics)), left_out)


def read_configuration(text: ConfigText, profile: Profile) -> Configuration:
    """Read a configuration, whether the release of Volcano that is modelled would refuse it or not."""
    problems = Problems()
    try:
        roots = yaml_text.compose(text.text, go_tag) or yaml_text.compose("null")
    except yaml_text.YamlErrors as errors:
        for problem in errors.problems:
            problems.add(text.diagnostic(problem.code, problem.message, problem.position, (), hint=problem.help))
        root = None
    else:
        if len(roots) > 1:
            message = "Volcano ignores everything after the first document"
            Cursor(roots[1], text, problems).find("several-documents", message, severity="warning")
        root = Cursor(roots[0], text, problems)
    parsed = None if root is None else _parsed(root, text.name, profile)
    left_out = parsed is not None and parsed.left_out
    skipped = (each for each in problems.diagnostics if left_out and each.code == _UNKNOWN_ACTION)
    return Configuration(text, parsed, tuple(problems.diagnostics), frozenset(skipped))


def _parsed(root: Cursor, source: str, profile: Profile) -> SchedulerConfiguration:
    fields = root.fields(("actions", "tiers", "configurations", "metrics"), root_advice)
    configurations: dict[str, Arguments] = {}
    repeated = []
    for cursor in _items(fields, "configurations"):
        parts = cursor.fields(("name", "arguments"), action_advice)
        name = parts["name"].text() if "name" in parts else ""
        arguments = _arguments(ACTION_ARGUMENTS.get(name, ()), parts.get("arguments"), cursor.path)
        # Where an action is named twice, the first counts.
        if name in configurations:
            repeated.append((name, cursor.path))
        configurations.setdefault(name, arguments)
    tiers = tuple(_tier(cursor, profile) for cursor in _items(fields, "tiers"))
    _refuse_more(
        fields.get("tiers", root), sum(1 + len(tier.plugins) for tier in tiers), MOST_PLUGINS, "tiers and plugins"
    )
    actions, left_out = _actions(root, fields.get("actions"), profile)
    return SchedulerConfiguration(
        actions=actions,
        tiers=tiers,
        configurations=configurations,
        metrics={
            key: cursor.text() for key, cursor in (fields["metrics"].entries() if "metrics" in fields else {}).items()
        },
        source=source,
        repeated_configurations=tuple(repeated),
        left_out=left_out,
    )


def _refuse_more(cursor: Cursor, number: int, most: int, what: str) -> None:
    """Refuse what makes a session take many times as long."""
    if number > most:
        message = f"these are {number:,} {what}, and vqs reads no configuration with more than {most:,}"
        cursor.find("too-large", message, hint="name each of them once")


def _items(fields: Mapping[str, Cursor], key: str) -> Sequence[Cursor]:
    return list(fields[key].items()) if key in fields else []


def _actions(root: Cursor, actions: Cursor | None, profile: Profile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the actions, and those that the caller has left out.

    Names that are no actions are refused, an empty one among them, or the release leaves them out.
    """
    if actions is None and not (root.is_object or root.is_null):
        return (), ()
    if actions is not None and not (actions.is_scalar or actions.is_null):
        actions.text("write the actions as one text, separated by commas")
        return (), ()
    names = tuple(name.strip() for name in (actions.text() if actions else "").split(","))
    cursor = actions or root
    _refuse_more(cursor, len(names), MOST_ACTIONS, "actions")
    places = positions_of_names(cursor.node)
    known = [name for name in ACTIONS if name not in GANG_ACTIONS or profile.actions.gang_actions == "known"]
    guesser = Guesser(known)
    missing = "actions is missing; " if actions is None or actions.is_null else ""
    is_skipped = profile.actions.unknown_action == "skipped"
    severity: Severity = "warning" if is_skipped else "error"
    outcome = ", and the scheduler leaves it out" if is_skipped else ""
    for index, name in enumerate(names):
        if name not in known:
            hint = known_plugins.FORMER_ACTIONS.get(name) or guesser.hint(name)
            if name in GANG_ACTIONS:
                since = behaviours()["gang-actions"].since
                hint = f"it exists since Volcano {since}; the option --volcano chooses the release"
            hint = hint or f"{missing}there are {', '.join(known)}"
            place = places[index] if index < len(places) else None
            cursor.find(
                _UNKNOWN_ACTION, f"failed to find Action {name!r}{outcome}", severity=severity, hint=hint, place=place
            )
    unknown = tuple(dict.fromkeys(name for name in names if name not in known))
    # A name that is empty is none of a fork's actions.
    left_out = unknown if profile.skips_unknown_actions and all(unknown) and not is_skipped else ()
    return tuple(name for name in names if name in known) if is_skipped or left_out else names, left_out


def _tier(cursor: Cursor, profile: Profile) -> Tier:
    plugins = _items(cursor.fields(("plugins",), tier_advice), "plugins")
    flags = spelt_in(profile)
    tier = Tier(tuple(option for each in plugins if (option := _plugin(each, flags)) is not None))
    names = {option.name for option in tier.plugins}
    if "proportion" in names and any(option.name == "drf" and option.enabled(_HIERARCHY) for option in tier.plugins):
        hint = f"use capacity instead of proportion, or remove {_HIERARCHY}"
        cursor.find("conflicting-plugins", "proportion and drf with hierarchy enabled conflicts", hint=hint)
    return tier


def _plugin(cursor: Cursor, spelt: Sequence[str]) -> PluginOption | None:
    if cursor.is_scalar:
        cursor.find("wrong-type", "expected an object with the plugin's name", hint=f"write name: {cursor.text()}")
        return None
    fields = cursor.fields(("name", "arguments", *spelt), partial(plugin_advice, flags=spelt))
    name = fields["name"].text() if "name" in fields else ""
    if not name:
        cursor.find("missing-plugin-name", "this plugin has no name and is ignored", severity="warning")
        return None
    given = {flag: fields[flag].flag() for flag in spelt if flag in fields}
    flags = {flag: value for flag, value in given.items() if value is not None}
    arguments = _arguments(PLUGIN_ARGUMENTS.get(name, ()), fields.get("arguments"), cursor.path)
    return PluginOption(name, arguments, flags, cursor.path)


def _arguments(known: Sequence[Argument], cursor: Cursor | None, above: Path) -> Arguments:
    values = {key: each.value() for key, each in cursor.entries().items()} if cursor else None
    return Arguments(known, values, (*above, "arguments"))


# --- places -----------------------------------------------------------------------------------------------------------


_MERGE_KEY = "<<"


def root_of(conf: ConfigText) -> Node | None:
    """The root of the first document, None where there is none or it is no YAML."""
    try:
        return next(iter(yaml_text.compose(conf.text, go_tag)), None)
    except yaml_text.YamlErrors:
        return None


def position_in(root: Node, path: Path, *, key: bool = False) -> Position:
    """Where a value begins in the configuration's text, or its key.

    Where there is nothing at the path, it is the key of the nearest value around it. In a text that enumerates names,
    such as ``actions``, an index leads to one of them.
    """
    node = root
    key_node: Node = root
    for index, step in enumerate(path):
        if isinstance(node, ScalarNode):
            names = positions_of_names(node) if index == len(path) - 1 else []
            is_named = isinstance(step, int) and 0 <= step < len(names)
            return names[int(step)] if is_named else yaml_text.position_of(node)
        found = _child(node, step)
        if found is None:
            return yaml_text.position_of(key_node)
        key_node, node = found
    return yaml_text.position_of(key_node if key else node)


def _child(node: Node, step: str | int) -> tuple[Node, Node] | None:
    """The key and the value at a step; an item of a list is its own key."""
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
            sources = value_node.value if isinstance(value_node, SequenceNode) else [value_node]
            found = next(filter(None, (_child(source, step) for source in sources)), None)
    return found


def positions_of_names(node: Node) -> list[Position]:
    """Where each name begins in a text of names with commas between them; none in a text of several lines."""
    if not isinstance(node, ScalarNode) or node.start_mark.line != node.end_mark.line:
        return []
    start = yaml_text.position_of(node)
    column = start.column + (1 if node.style else 0)
    positions = []
    for part in str(node.value).split(","):
        positions.append(Position(start.line, column + len(part) - len(part.lstrip())))
        column += len(part) + 1
    return positions
