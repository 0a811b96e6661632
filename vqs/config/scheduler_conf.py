"""The scheduler's configuration, ``volcano-scheduler.conf``, as Volcano understands it.

It decides which actions run, in which order, and which plugins have a say, in tiers. Keys are spelt as Volcano spells
them; some flags begin with ``enable``, some with ``enabled``, one with ``Enabled``.

References in volcano-sh/volcano: ``pkg/scheduler/conf/scheduler_conf.go``, ``pkg/scheduler/util.go`` and
``pkg/scheduler/plugins/defaults.go``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from vqs.config.arguments import Arguments
from vqs.config.flags import FLAGS
from vqs.config.keys import action_advice, plugin_advice, root_advice, tier_advice
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument
from vqs.config.known_plugins import ACTIONS
from vqs.config.nodes import Cursor, go_tag
from vqs.config.places import positions_of_names
from vqs.snapshot import yaml_text
from vqs.snapshot.config_text import ConfigText
from vqs.snapshot.diagnostics import Diagnostic, Guesser, InputErrors, Path, Problems

__all__ = ["ACTIONS", "FLAGS", "Arguments", "PluginOption", "SchedulerConfiguration", "Tier", "read_configuration"]

BUILT_IN: Final = "built-in"
_BUILT_IN_ACTIONS: Final = ("enqueue", "allocate", "backfill")
_BUILT_IN_PLUGINS: Final = (
    ("priority", "gang", "conformance"),
    ("overcommit", "drf", "predicates", "proportion", "nodeorder"),
)
_HIERARCHY: Final = "enableHierarchy"
MOST_ACTIONS: Final = 100
"""How many actions may be run: each takes as long as a session."""
MOST_PLUGINS: Final = 200
"""How many tiers and plugins there may be: every node and task is shown to each."""


@dataclass(frozen=True, slots=True)
class PluginOption:
    """A plugin in a tier. `flags` are those that the configuration sets; `enabled` knows the defaults of the others.

    `path` leads to it in the configuration; there is none in the built-in one.
    """

    name: str
    arguments: Arguments
    flags: Mapping[str, bool] = field(default_factory=dict)
    path: Path = field(default=(), compare=False)

    def enabled(self, flag: str) -> bool:
        """Tell whether a flag is on. Raises KeyError for one that does not exist."""
        default = FLAGS[flag]
        return self.flags.get(flag, default)


@dataclass(frozen=True, slots=True)
class Tier:
    """Plugins that are asked together."""

    plugins: tuple[PluginOption, ...] = ()


@dataclass(frozen=True, slots=True)
class SchedulerConfiguration:
    """Actions in their order, tiers of plugins, and what else the configuration says.

    Attributes:
        actions: the names of the actions.
        tiers: the plugins.
        configurations: arguments by action.
        repeated_configurations: actions that have arguments already, and the paths to those that do not count.
        metrics: where metrics come from, for plugins that use them.
        source: the file that says so, or ``built-in``.
        diagnostics: warnings about the configuration.
    """

    actions: tuple[str, ...]
    tiers: tuple[Tier, ...]
    configurations: Mapping[str, Arguments] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    source: str = BUILT_IN
    diagnostics: tuple[Diagnostic, ...] = ()
    repeated_configurations: tuple[tuple[str, Path], ...] = ()

    def action_arguments(self, action: str) -> Arguments:
        """Return the arguments of an action, without any if the configuration has none for it."""
        return self.configurations.get(action) or Arguments(ACTION_ARGUMENTS.get(action, ()))


def built_in_configuration() -> SchedulerConfiguration:
    """Return the configuration that the scheduler falls back to when it is given none."""
    tiers = (
        tuple(PluginOption(name, Arguments(PLUGIN_ARGUMENTS[name])) for name in names) for names in _BUILT_IN_PLUGINS
    )
    return SchedulerConfiguration(_BUILT_IN_ACTIONS, tuple(map(Tier, tiers)))


def read_configuration(conf: ConfigText | None) -> SchedulerConfiguration:
    """Read a configuration; without one, return the built-in one.

    Raises:
        InputErrors: Volcano would refuse the configuration.
    """
    if conf is None:
        return built_in_configuration()
    problems = Problems()
    configuration = _read(_root(conf, problems), conf.name)
    problems.raise_errors()
    return replace(configuration, diagnostics=tuple(problems.diagnostics))


def _root(conf: ConfigText, problems: Problems) -> Cursor:
    """Return the first document, which is all that Volcano looks at. An empty text is a null document."""
    try:
        roots = yaml_text.compose(conf.text, go_tag) or yaml_text.compose("null")
    except yaml_text.YamlErrors as errors:
        raise InputErrors(
            conf.diagnostic(problem.code, problem.message, problem.position, (), hint=problem.help)
            for problem in errors.problems
        ) from None
    if len(roots) > 1:
        message = "Volcano ignores everything after the first document"
        Cursor(roots[1], conf, problems).find("several-documents", message, severity="warning")
    return Cursor(roots[0], conf, problems)


def _read(root: Cursor, source: str) -> SchedulerConfiguration:
    fields = root.fields(("actions", "tiers", "configurations", "metrics"), root_advice)
    configurations, repeated = _configurations(_items(fields, "configurations"))
    tiers = tuple(_tier(cursor) for cursor in _items(fields, "tiers"))
    _refuse_more(
        fields.get("tiers", root), sum(1 + len(tier.plugins) for tier in tiers), MOST_PLUGINS, "tiers and plugins"
    )
    return SchedulerConfiguration(
        actions=_actions(root, fields.get("actions")),
        tiers=tiers,
        configurations=configurations,
        metrics={key: cursor.text() for key, cursor in _entries(fields, "metrics").items()},
        source=source,
        repeated_configurations=tuple(repeated),
    )


def _refuse_more(cursor: Cursor, number: int, most: int, what: str) -> None:
    """Refuse what makes a session take many times as long."""
    if number > most:
        message = f"these are {number:,} {what}, and vqs reads no configuration with more than {most:,}"
        cursor.find("too-large", message, hint="name each of them once")


def _items(fields: Mapping[str, Cursor], key: str) -> Sequence[Cursor]:
    return list(fields[key].items()) if key in fields else []


def _entries(fields: Mapping[str, Cursor], key: str) -> Mapping[str, Cursor]:
    return fields[key].entries() if key in fields else {}


def _actions(root: Cursor, actions: Cursor | None) -> tuple[str, ...]:
    """Return the names of the actions. Names that are no actions are refused, an empty one among them."""
    if actions is None and not (root.is_object or root.is_null):
        return ()
    if actions is not None and not (actions.is_scalar or actions.is_null):
        actions.text("write the actions as one text, separated by commas")
        return ()
    names = tuple(name.strip() for name in (actions.text() if actions else "").split(","))
    cursor = actions or root
    _refuse_more(cursor, len(names), MOST_ACTIONS, "actions")
    places = positions_of_names(cursor.node)
    guesser = Guesser(ACTIONS)
    missing = "actions is missing; " if actions is None or actions.is_null else ""
    for index, name in enumerate(names):
        if name not in ACTIONS:
            hint = guesser.hint(name) or f"{missing}there are {', '.join(ACTIONS)}"
            place = places[index] if index < len(places) else None
            cursor.find("unknown-action", f"failed to find Action {name!r}", hint=hint, place=place)
    return names


def _configurations(cursors: Sequence[Cursor]) -> tuple[dict[str, Arguments], list[tuple[str, Path]]]:
    """Return arguments by action; where an action is named twice, the first counts, and the others are listed."""
    configurations: dict[str, Arguments] = {}
    repeated = []
    for cursor in cursors:
        fields = cursor.fields(("name", "arguments"), action_advice)
        name = fields["name"].text() if "name" in fields else ""
        arguments = _arguments(ACTION_ARGUMENTS.get(name, ()), fields.get("arguments"), cursor.path)
        if name in configurations:
            repeated.append((name, cursor.path))
        configurations.setdefault(name, arguments)
    return configurations, repeated


def _tier(cursor: Cursor) -> Tier:
    plugins = _items(cursor.fields(("plugins",), tier_advice), "plugins")
    tier = Tier(tuple(option for option in map(_plugin, plugins) if option is not None))
    names = {option.name for option in tier.plugins}
    if "proportion" in names and any(option.name == "drf" and option.enabled(_HIERARCHY) for option in tier.plugins):
        hint = f"use capacity instead of proportion, or remove {_HIERARCHY}"
        cursor.find("conflicting-plugins", "proportion and drf with hierarchy enabled conflicts", hint=hint)
    return tier


def _plugin(cursor: Cursor) -> PluginOption | None:
    if cursor.is_scalar:
        cursor.find("wrong-type", "expected an object with the plugin's name", hint=f"write name: {cursor.text()}")
        return None
    fields = cursor.fields(("name", "arguments", *FLAGS), plugin_advice)
    name = fields["name"].text() if "name" in fields else ""
    if not name:
        cursor.find("missing-plugin-name", "this plugin has no name and is left out", severity="warning")
        return None
    given = {flag: fields[flag].flag() for flag in FLAGS if flag in fields}
    flags = {flag: value for flag, value in given.items() if value is not None}
    arguments = _arguments(PLUGIN_ARGUMENTS.get(name, ()), fields.get("arguments"), cursor.path)
    return PluginOption(name, arguments, flags, cursor.path)


def _arguments(known: Sequence[Argument], cursor: Cursor | None, above: Path) -> Arguments:
    values = {key: each.value() for key, each in cursor.entries().items()} if cursor else None
    return Arguments(known, values, (*above, "arguments"))
