"""What earlier releases had under other names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lint.cases import linted
from vqs.config import known_plugins
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, find_argument, known_in
from vqs.releases.profile import DEFAULT_PROFILE

CONF = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: %s
    arguments:
      %s: 1
"""


def fix_of(folder: Path, plugin: str, argument: str) -> str:
    """What lint advises about an argument."""
    file = folder / "scheduler.conf"
    file.write_text(CONF % (plugin, argument), encoding="utf-8")
    [finding] = linted([], str(file), ["unknown-argument"]).findings
    return finding.help


@pytest.mark.parametrize(
    ("plugin", "argument", "said"),
    [
        ("predicates", "predicate.GPUSharingEnable", "deviceshare.GPUSharingEnable"),
        ("predicates", "predicate.NodeLockEnable", "deviceshare.NodeLockEnable"),
        ("predicates", "predicate.resources.example.com/card.memory", "proportional.resourceProportion"),
        ("nodeorder", "selectorspread.weight", "podtopologyspread.weight"),
        ("sla", "JobWaitingTime", "sla-waiting-time"),
        ("priority", "binpack.weight", "it is an argument of the plugin binpack"),
        ("nodeorder", "nodeorder.leastrequested.weight", "did you mean 'leastrequested.weight'?"),
        ("predicates", "predicate.NodePortEnable", "did you mean 'predicate.NodePortsEnable'?"),
        ("predicates", "predicate.SomethingEnable", "there are predicate.NodeAffinityEnable"),
        ("capacity", "capacity.DynamicResourceAllocationEnable", "other releases of Volcano read it"),
    ],
)
def test_arguments_that_moved(tmp_path: Path, plugin: str, argument: str, said: str) -> None:
    """They are led to their new place, and no other name that only begins alike is offered."""
    assert said in fix_of(tmp_path, plugin, argument)


def test_nothing_that_exists_is_former() -> None:
    """No argument, action or plugin that Volcano has is told to be gone; what only older releases have is."""
    assert not known_plugins.FORMER_ACTIONS.keys() & ACTION_ARGUMENTS.keys()
    assert not known_plugins.FORMER_PLUGINS.keys() & PLUGIN_ARGUMENTS.keys()
    known = {plugin: known_in(arguments, DEFAULT_PROFILE) for plugin, arguments in PLUGIN_ARGUMENTS.items()}
    names = [(plugin, each.name) for plugin, arguments in known.items() for each in arguments]
    assert [name for plugin, name in names if known_plugins.advice(plugin, name)] == []
    assert find_argument(PLUGIN_ARGUMENTS["deviceshare"], "deviceshare.GPUSharingEnable")
