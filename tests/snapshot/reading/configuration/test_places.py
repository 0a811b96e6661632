"""A path in the configuration leads to its place in the file."""

import io
from pathlib import Path

import pytest

from vqs.snapshot.reading.configuration.read import position_in, root_of
from vqs.snapshot.reading.configuration.text import ConfigText, read_configuration_file
from vqs.snapshot.reading.diagnostics import Path as Steps
from vqs.snapshot.reading.diagnostics import Position, Problems

TEXT = """\
# the usual
actions: "enqueue,  allocate"
tiers:
- plugins:
  - name: gang
  - &base
    name: binpack
    arguments: {binpack.weight: 10}
- plugins:
  - <<: *base
    enableNodeOrder: false
"""


def conf_of(text: str) -> ConfigText:
    """Make a configuration of a text."""
    conf = read_configuration_file("-", io.BytesIO(text.encode()), Problems())
    assert conf is not None
    return conf


def place_of(conf: ConfigText, path: Steps, *, key: bool = False) -> Position:
    """Return where a value of a configuration begins in its file, or its key."""
    root = root_of(conf)
    assert root is not None
    return conf.position(position_in(root, path, key=key))


@pytest.mark.parametrize(
    ("path", "key", "expected"),
    [
        ((), False, (2, 1)),
        (("actions",), True, (2, 1)),
        (("actions",), False, (2, 10)),
        (("actions", 0), False, (2, 11)),
        (("actions", 1), False, (2, 21)),
        (("actions", 2), False, (2, 10)),
        (("tiers",), True, (3, 1)),
        (("tiers", 0, "plugins", 0, "name"), False, (5, 11)),
        (("tiers", 0, "plugins", 1, "arguments", "binpack.weight"), True, (8, 17)),
        (("tiers", 0, "plugins", 1, "arguments", "binpack.weight"), False, (8, 33)),
        (("tiers", 1, "plugins", 0, "arguments", "binpack.weight"), False, (8, 33)),
        (("tiers", 1, "plugins", 0, "enableNodeOrder"), True, (11, 5)),
        (("tiers", 0, "plugins", 0, "arguments", "x"), False, (5, 5)),
        (("tiers", 7, "plugins"), False, (3, 1)),
        (("metrics",), False, (2, 1)),
    ],
)
def test_locate(path: Steps, key: bool, expected: tuple[int, int]) -> None:
    """A value and its key are found, also behind a merge key; else, the nearest key around it is."""
    assert tuple(place_of(conf_of(TEXT), path, key=key)) == expected


@pytest.mark.parametrize("text", ["", "actions: [", "- a\n"])
def test_without_places(text: str) -> None:
    """Where the text is no object, its beginning is taken; where it is no YAML, it has no places."""
    root = root_of(conf_of(text))
    assert root is None or tuple(position_in(root, ("actions",))) == (1, 1)


def test_names_over_several_lines() -> None:
    """Names in a text of several lines are all where the text begins."""
    assert tuple(place_of(conf_of("actions: >-\n  enqueue,\n  allocate\n"), ("actions", 1))) == (1, 10)


def test_in_a_config_map(tmp_path: Path) -> None:
    """A place in a configuration inside of a ConfigMap is one in the outer file."""
    file = tmp_path / "map.yaml"
    file.write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  volcano-scheduler.conf: |\n"
        "    actions: enqueue, allocate\n"
    )
    conf = read_configuration_file(str(file), None, Problems())

    assert conf is not None
    assert tuple(place_of(conf, ("actions", 1))) == (6, 23)
