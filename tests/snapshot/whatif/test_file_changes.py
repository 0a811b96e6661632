"""Values are set in the text of a file: it then says what is asked for, and everything else stays as it was."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import yaml

from vqs.snapshot.whatif.file_changes import CannotChange, with_value

TEXT = """\
# top
spec:
  # about the weight
  weight: 1   # agreed
  list:
  - name: a   # first
    res: {cpu: 1, mem: "2Gi"}
  - name: b
    res:
      cpu: 1
  # behind the list
  empty:
  tolerations:
    - key: a
      effect: b
  # behind all
status:
  state: "Open"
  text: |
    a
    b

"""
CASES: list[tuple[tuple[str | int, ...], Any]] = [
    (("spec", "weight"), "5"),
    (("spec", "weight"), 5),
    (("spec", "list", 0, "res", "cpu"), 4),
    (("spec", "list", 0, "res", "x/y"), "4Gi"),
    (("spec", "list", 1, "res", "gpu"), 4),
    (("spec", "list", 1, "more"), {"a": 1}),
    (("spec", "empty"), 3),
    (("spec", "empty", "key"), {"a": 1}),
    (("spec", "tolerations"), [{"key": "z"}]),
    (("spec", "tolerations"), None),
    (("spec", "new", "x"), 1),
    (("status", "state"), "Closed"),
    (("status", "text"), "c\nd\n"),
    (("metadata", "annotations", "a.b/c"), "3"),
]


@pytest.mark.parametrize(("path", "value"), CASES)
def test_values_in_yaml(path: tuple[str | int, ...], value: Any) -> None:
    """The text reads as the old one with the value set, has all comments, and few other lines."""
    expected: Any = deepcopy(yaml.safe_load(TEXT))
    at = expected
    for step in path[:-1]:
        at = (
            at[step]
            if isinstance(step, int)
            else at.setdefault(step, {})
            if at.get(step) is not None
            else _made(at, step)
        )
    at[path[-1]] = value
    changed = with_value(TEXT, path, value)
    assert yaml.safe_load(changed) == expected
    assert changed.count("#") == TEXT.count("#")
    gone = [line for line in TEXT.splitlines() if line not in changed.splitlines()]
    assert len(gone) <= 3


def _made(mapping: dict[str | int, Any], step: str) -> Any:
    mapping[step] = {}
    return mapping[step]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("a", "b", 1, "c", "d"), "x", '{"a": {"b": [1, {"c": {"d": "x"}}]}, "e": 1}'),
        (("e",), "2", '{"a": {"b": [1, {"c": {}}]}, "e": "2"}'),
        (("n",), {"m": 1}, '{"a": {"b": [1, {"c": {}}]}, "e": 1, "n": {"m": 1}}'),
    ],
)
def test_values_in_json(path: tuple[str | int, ...], value: Any, expected: str) -> None:
    """JSON stays JSON."""
    assert with_value('{"a": {"b": [1, {"c": {}}]}, "e": 1}', path, value) == expected


@pytest.mark.parametrize(
    ("text", "path"), [("a: &x {b: 1}\nc: *x", ("c", "b")), ("a: 1", ("a", "b")), ("a: [1]", ("a", 1))]
)
def test_what_cannot_be_set(text: str, path: tuple[str | int, ...]) -> None:
    """What an alias stands for is not changed in another place, and nothing is put into a number."""
    with pytest.raises(CannotChange):
        with_value(text, path, 2)
