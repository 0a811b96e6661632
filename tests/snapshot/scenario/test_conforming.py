"""The quick answer to whether a scenario conforms to its schema."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from vqs.snapshot.scenario.conforming import conforms
from vqs.snapshot.scenario.schema import schema, starter

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "scenarios").rglob("*.yaml"))
SCENARIOS = [path for path in FILES if "\nkind: Scenario\n" in path.read_text(encoding="utf-8")]
PLAIN = yaml.safe_load(starter())
ODD: st.SearchStrategy[Any] = st.sampled_from(
    ["", "x", "1%", "auto", "none", "2026-03-02T12:00:00Z", 0, -1, 2.0, 0.5, 2**40, True, None, [], {}]
)


class WithoutTimes(yaml.SafeLoader):
    """Reads times as text, as vqs does."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the library declares it on instances
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith("timestamp")]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a value where another value can be put: what it is in, and its key there."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, each in [*entries] for place in ((value, key), *places(each))]


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenarios_conform(path: Path) -> None:
    """The scenarios of this project conform, so that nothing slow is needed to read them."""
    values = yaml.load_all(path.read_text(encoding="utf-8"), WithoutTimes)
    assert all(conforms(each, schema()) for each in values if each["kind"] == "Scenario")


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_yes_is_certain(data: st.DataObject) -> None:
    """A value that is said to conform is one that the library for JSON Schema has nothing to say about."""
    value = yaml.safe_load(yaml.safe_dump(PLAIN))
    container, key = data.draw(st.sampled_from(places(value)))
    container[data.draw(st.sampled_from([key, "x"])) if isinstance(container, dict) else key] = data.draw(ODD)
    if conforms(value, schema()):
        assert not list(Draft7Validator(schema()).iter_errors(value))


@pytest.mark.parametrize(
    "change", [{"kind": "Other"}, {"other": 1}, {"nodes": 1}, {"nodes": [{"cpus": 1}]}, {"now": None}], ids=str
)
def test_mistakes_do_not_conform(change: dict[str, Any]) -> None:
    """A value that the schema does not allow is never said to conform."""
    assert not conforms({**PLAIN, **change}, schema())


def test_little_is_imported(tmp_path: Path) -> None:
    """Simulating a sound scenario imports neither the library for JSON Schema nor the rules of lint."""
    (tmp_path / "starter.yaml").write_text(starter(), encoding="utf-8")
    code = (
        "import sys; from vqs.cli.main import main; main(['simulate', 'starter.yaml', '-q']); "
        "print(sorted({'jsonschema', 'vqs.lint.registry'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)  # noqa: S603
    assert ran.stdout.endswith("\n[]\n")
