"""A scheduler configuration is understood as Volcano understands it."""

import io
import json
from pathlib import Path

import pytest

from vqs.config.scheduler_conf import FLAGS, PluginOption, SchedulerConfiguration, built_in_configuration
from vqs.releases.profile import DEFAULT_PROFILE
from vqs.snapshot.reading.configuration.read import Configuration, read_configuration
from vqs.snapshot.reading.configuration.text import read_configuration_file
from vqs.snapshot.reading.diagnostics import Diagnostic, InputErrors, Problems
from vqs.snapshot.reading.reader import read_manifests


def as_read(text: str) -> Configuration:
    """Read a configuration, with what is wrong with it."""
    found = read_configuration_file("-", io.BytesIO(text.encode()), Problems())
    assert found is not None
    return read_configuration(found, DEFAULT_PROFILE)


def read(text: str) -> SchedulerConfiguration:
    """Read a configuration that Volcano accepts."""
    return as_read(text).accepted()


def read_plugin(text: str) -> PluginOption:
    """Read a configuration with one plugin, whose keys are given."""
    [option] = read(f"actions: allocate\ntiers:\n- plugins:\n  - {text}\n").tiers[0].plugins
    return option


def warnings_of(text: str) -> list[Diagnostic]:
    """Return what is warned about in a configuration."""
    configuration = as_read(text)
    configuration.accepted()
    return list(configuration.diagnostics)


def errors_of(text: str) -> list[Diagnostic]:
    """Return why a configuration is refused."""
    with pytest.raises(InputErrors) as caught:
        read(text)
    return [each for each in caught.value.diagnostics if each.severity == "error"]


def test_built_in() -> None:
    """Without a configuration, the built-in one is used."""
    configuration = built_in_configuration()

    assert configuration.source == "built-in"
    assert configuration.actions == ("enqueue", "allocate", "backfill")
    assert [[option.name for option in tier.plugins] for tier in configuration.tiers] == [
        ["priority", "gang", "conformance"],
        ["overcommit", "drf", "predicates", "proportion", "nodeorder"],
    ]


def test_everything() -> None:
    """Actions, tiers, flags, arguments, arguments of actions and metrics are read."""
    configuration = read(
        'actions: "enqueue, allocate,backfill"\n'
        "tiers:\n"
        "- plugins:\n"
        "  - {name: gang, enableJobOrder: false}\n"
        "- plugins:\n"
        "  - name: binpack\n"
        "    arguments: {binpack.weight: 10, binpack.resources: nvidia.com/gpu, nested: {a: [1]}}\n"
        "configurations:\n"
        "- {name: allocate, arguments: {predicateErrorCacheEnable: false}}\n"
        "- {name: allocate, arguments: {predicateErrorCacheEnable: true}}\n"
        "metrics: {type: prometheus, interval: 30}\n"
    )

    assert configuration.actions == ("enqueue", "allocate", "backfill")
    gang, binpack = (tier.plugins[0] for tier in configuration.tiers)
    assert not gang.enabled("enableJobOrder")
    assert dict(binpack.arguments) == {
        "binpack.weight": 10,
        "binpack.resources": "nvidia.com/gpu",
        "nested": {"a": [1]},
    }
    assert not configuration.action_arguments("allocate").bool("predicateErrorCacheEnable")
    assert len(configuration.action_arguments("backfill")) == 0
    assert configuration.metrics == {"type": "prometheus", "interval": "30"}


def test_flags_by_default() -> None:
    """All flags are on by default, save those for hierarchy and cluster order; null is not given."""
    option = read_plugin("{name: gang, enableJobReady: null}")

    assert {flag for flag in FLAGS if not option.enabled(flag)} == {"enableHierarchy", "EnabledClusterOrder"}
    with pytest.raises(KeyError):
        option.enabled("enabledPreemptable")


@pytest.mark.parametrize(
    ("text", "expected"), [("true", True), ("yes", True), ("y", True), ("n", False), ("Off", False)]
)
def test_flag_values(text: str, expected: bool) -> None:
    """Flags are the booleans of YAML 1.1, one letter ones included."""
    assert read_plugin(f"{{name: drf, enableHierarchy: {text}}}").enabled("enableHierarchy") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("1e3", 1000.0),
        ("0o17", 15),
        ("09", 9.0),
        ("1:30", "1:30"),
        ("'1'", "1"),
        ("2026-01-01", "2026-01-01"),
    ],
)
def test_argument_values(text: str, expected: object) -> None:
    """Arguments have the types that they have for Go."""
    value = read_plugin(f"{{name: p, arguments: {{key: {text}}}}}").arguments["key"]

    assert value == expected
    assert type(value) is type(expected)


REFUSED = {
    "unknown action": ("actions: enqueue, alocate\n", 1, "failed to find Action 'alocate'", "did you mean 'allocate'?"),
    "trailing comma": ("actions: 'enqueue,'\n", 1, "failed to find Action ''", "there are enqueue"),
    "no actions": ("tiers: []\n", 1, "failed to find Action ''", "there are enqueue"),
    "empty text": ("\n", 1, "failed to find Action ''", ""),
    "list of actions": ("actions: [enqueue]\n", 1, "expected text, got a list", "separated by commas"),
    "list": ("- actions: enqueue\n", 1, "expected an object, got a list", ""),
    "quoted flag": (
        "actions: enqueue\ntiers:\n- plugins:\n  - name: gang\n    enableJobOrder: 'true'\n",
        5,
        "expected true or false, got the text 'true'",
        "remove the quotes",
    ),
    "plugin as text": ("actions: enqueue\ntiers:\n- plugins:\n  - gang\n", 4, "expected an object", "write name: gang"),
    "tiers as object": ("actions: enqueue\ntiers: {plugins: []}\n", 2, "expected a list, got an object", ""),
    "arguments as list": (
        "actions: enqueue\ntiers:\n- plugins:\n  - name: a\n    arguments: [1]\n",
        5,
        "expected an object, got a list",
        "",
    ),
    "hierarchy and proportion": (
        "actions: enqueue\ntiers:\n- plugins:\n  - {name: drf, enableHierarchy: true}\n  - name: proportion\n",
        3,
        "proportion and drf with hierarchy enabled conflicts",
        "capacity",
    ),
    "duplicate key": ("actions: enqueue\nactions: allocate\n", 2, "'actions' is given twice", ""),
    "syntax": ("actions: [a\n", 1, "not valid YAML", ""),
    "tag": (
        "actions: enqueue\ntiers:\n- plugins:\n  - {name: a, arguments: {b: !!x c}}\n",
        4,
        "YAML tag",
        "remove the tag",
    ),
}


@pytest.mark.parametrize(("text", "line", "message", "hint"), REFUSED.values(), ids=REFUSED)
def test_refused(text: str, line: int, message: str, hint: str) -> None:
    """What Volcano refuses is refused, with its place and what to do."""
    [error] = errors_of(text)

    assert error.line == line
    assert message in error.message
    assert hint in error.help


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f'actions: "enqueue{", allocate" * 100}"\ntiers: []\n', 1, "these are 101 actions"),
        ("actions: allocate\ntiers:\n" + "- plugins:\n  - name: gang\n" * 101, 3, "these are 202 tiers and plugins"),
        ("actions: allocate\ntiers:\n- plugins:\n" + "  - name: gang\n" * 200, 3, "these are 201 tiers and plugins"),
    ],
)
def test_too_large(text: str, line: int, message: str) -> None:
    """What would make a session take many times as long is refused."""
    [error] = errors_of(text)
    assert (error.line, error.code) == (line, "too-large")
    assert error.message.startswith(message)


def test_hierarchy_and_proportion_apart() -> None:
    """Hierarchy and proportion conflict only within a tier."""
    tiers = "- plugins: [{name: drf, enableHierarchy: true}]\n- plugins: [{name: proportion}]\n"

    assert len(read(f"actions: enqueue\ntiers:\n{tiers}").tiers) == 2


IGNORED = {
    "flag": ("  - name: gang\n    enabledPreemptable: false\n", 5, 5, "did you mean 'enablePreemptable'?"),
    "flag with the other spelling": (
        "  - name: gang\n    enableVictim: false\n",
        5,
        5,
        "did you mean 'enabledVictim'?",
    ),
    "argument beside arguments": (
        "  - name: binpack\n    binpack.weight: 5\n",
        5,
        5,
        "move it one level down, under arguments:",
    ),
    "key of a tier": ("  plugin: []\n", 4, 3, "did you mean 'plugins'?"),
    "top-level key": ("  - name: gang\naction: x\n", 5, 1, "did you mean 'actions'?"),
    "plugin without name": ("  - enableJobOrder: false\n", 4, 5, ""),
    "second document": ("  - name: gang\n---\nactions: x\n", 6, 1, ""),
}


@pytest.mark.parametrize(("text", "line", "column", "hint"), IGNORED.values(), ids=IGNORED)
def test_ignored(text: str, line: int, column: int, hint: str) -> None:
    """What Volcano ignores without a word is warned about, with its place and what was meant."""
    [warning] = warnings_of(f"actions: enqueue\ntiers:\n- plugins:\n{text}")

    assert warning.severity == "warning"
    assert (warning.line, warning.column, warning.help) == (line, column, hint)


def test_merge_keys() -> None:
    """Merge keys bring in what the object does not say itself."""
    option = read_plugin("{<<: {name: a, enableJobOrder: false}, name: b}")

    assert (option.name, option.enabled("enableJobOrder")) == ("b", False)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("{name: a, <<: {name: b}}", "b"),
        ("{name: a, <<: [{name: b}, {name: c}]}", "b"),
        ("{<<: {name: a}, <<: {name: b}}", "b"),
        ("{name: a, '<<': {name: b}}", "a"),
        ("{!!binary bmFtZQ==: !!binary YQ==}", "a"),
    ],
)
def test_merges_where_they_stand(text: str, name: str) -> None:
    """A merge overrides the keys before it, and base64 is decoded, as in Go."""
    assert read_plugin(text).name == name


def test_merged_arguments() -> None:
    """Arguments that are given before and in a merge come together, as Go decodes both into one map."""
    option = read_plugin("{<<: {arguments: {a: 1, b: 1}}, name: x, arguments: {b: 2, c: {d: 1}}}")

    assert {key: option.arguments.get(key) for key in ("a", "b", "c")} == {"a": 1, "b": 2, "c": {"d": 1}}


@pytest.mark.parametrize(
    "text", ["{<<: null, name: x}", "{name: !x a}", "{name: x, enableJobOrder: !!bool x}", "{name: !!int x}"]
)
def test_refused_forms(text: str) -> None:
    """What Go cannot merge, and a tag that does not fit, refuse the configuration."""
    with pytest.raises(InputErrors):
        read_plugin(text)


@pytest.mark.parametrize(
    "text",
    [
        '"actions": enqueue\n',
        "'tiers': []\n'actions': enqueue\n",
        "{actions: enqueue}",
        '{"\\x61ctions": enqueue}',
        "# one\n---\n? actions\n: enqueue\n---\n[",
        "<<: {actions: enqueue}\n",
        "!!binary YWN0aW9ucw==: enqueue\n",
    ],
)
def test_recognised_in_a_config_map(tmp_path: Path, text: str) -> None:
    """A configuration in a ConfigMap is found in whatever form of YAML it is written."""
    file = tmp_path / "all.yaml"
    data = {"volcano-scheduler.conf": text}
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": data}))

    conf = read_manifests([str(file)], any_configuration=True).conf

    assert conf is not None
    assert conf.text == text


def test_positions_in_a_config_map(tmp_path: Path) -> None:
    """A finding in a configuration inside of a ConfigMap is shown where it stands in the outer file."""
    file = tmp_path / "all.yaml"
    file.write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  volcano-scheduler.conf: |\n"
        "    actions: enqueue\n    tiers:\n    - plugins:\n      - name: gang\n        enableX: true\n"
    )

    configuration = read_manifests([str(file)]).configuration
    assert configuration is not None
    [warning] = configuration.diagnostics

    assert (warning.file, warning.line, warning.column) == (str(file), 14, 9)
    assert warning.path == "$.tiers[0].plugins[0].enableX"
    assert warning.excerpt == "        enableX: true\n        ^"
