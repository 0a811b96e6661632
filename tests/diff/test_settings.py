"""The effective settings of two configurations."""

from __future__ import annotations

import pytest

from tests.build import CONF, scheduler_conf
from tests.diff.sides import read_documents
from vqs.config.scheduler_conf import read_configuration
from vqs.diff.settings import setting_differences


def told(before: str, after: str) -> dict[str, tuple[object, object]]:
    """Return what differs between two configurations, by key."""
    confs = [read_configuration(read_documents([scheduler_conf(text)]).conf) for text in (before, after)]
    return {each.key: (each.before, each.after) for each in setting_differences(*confs)}


def with_arguments(plugin: str, **arguments: object) -> str:
    """Return the usual configuration with arguments for a plugin."""
    lines = "".join(f"      {key.replace('__', '.').replace('_', '-')}: {value}\n" for key, value in arguments.items())
    return CONF.replace(f"  - name: {plugin}\n", f"  - name: {plugin}\n    arguments:\n{lines}")


def test_defaults_are_filled_in() -> None:
    """An argument that is set to what it is anyway is no difference; another value differs from the default."""
    assert told(CONF, with_arguments("overcommit", overcommit_factor=1.2)) == {}
    assert told(CONF, with_arguments("overcommit", overcommit_factor=1.5)) == {
        "overcommit.overcommit-factor": (1.2, 1.5)
    }


def test_keys_keep_the_name_of_the_plugin_once() -> None:
    """An argument that is named after its plugin is not named so twice."""
    assert told(CONF, with_arguments("binpack", binpack__weight=10)) == {"binpack.weight": (1, 10)}


def test_a_value_that_counts_as_not_given() -> None:
    """An argument of the wrong type is the default, as Volcano takes it."""
    assert told(CONF, with_arguments("binpack", binpack__weight="'ten'")) == {}


def test_flags() -> None:
    """A flag at which a plugin has a say differs; one at which it has none does not."""
    said = CONF.replace("  - name: gang\n", "  - name: gang\n    enablePreemptable: false\n")
    assert told(CONF, said) == {"gang.enablePreemptable": (True, False)}
    assert told(CONF, CONF.replace("  - name: gang\n", "  - name: gang\n    enableNodeOrder: false\n")) == {}


def test_a_plugin_that_is_gone() -> None:
    """Of a plugin that is only on one side, its tier and what is set on it are told, and no defaults."""
    differences = told(with_arguments("binpack", binpack__cpu=5), CONF.replace("  - name: binpack\n", ""))
    assert differences.keys() == {"tiers", "binpack", "binpack.cpu"}
    assert (differences["binpack"], differences["binpack.cpu"]) == (("tier 2", None), (5, None))


def test_order_of_keys() -> None:
    """The order of the keys of a configuration means nothing; that of its plugins does."""
    lines = CONF.strip().splitlines()
    assert told(CONF, "\n".join([*lines[1:], lines[0]])) == {}
    swapped = CONF.replace("  - name: priority\n  - name: gang\n", "  - name: gang\n  - name: priority\n")
    assert list(told(CONF, swapped)) == ["tiers"]


@pytest.mark.parametrize("action", ["preempt", "allocate"])
def test_arguments_of_actions(action: str) -> None:
    """Arguments of an action differ only where the action runs."""
    more = f"{CONF}configurations:\n- name: {action}\n  arguments:\n    predicateErrorCacheEnable: false\n"
    expected = {"allocate.predicateErrorCacheEnable": (True, False)} if action == "allocate" else {}
    assert told(CONF, more) == expected
