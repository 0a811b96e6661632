"""Keys that Volcano ignores are told apart by what they were meant to be."""

import io

import pytest

from vqs.config.scheduler_conf import FLAGS
from vqs.releases.profile import DEFAULT_PROFILE
from vqs.snapshot.reading.configuration.read import plugin_advice, read_configuration
from vqs.snapshot.reading.configuration.text import read_configuration_file
from vqs.snapshot.reading.diagnostics import Problems

ROOT = "actions: allocate\n{}\n"
TIER = "actions: allocate\ntiers:\n- plugins: []\n  {}\n"
PLUGIN = "actions: allocate\ntiers:\n- plugins:\n  - name: p\n    {}\n"
ACTION = "actions: allocate\nconfigurations:\n- name: allocate\n  {}\n"

CASES = [
    (ROOT, "action: x", "unknown-conf-key", "did you mean 'actions'?"),
    (ROOT, "plugins: []", "misplaced-key", "plugins are in a tier"),
    (ROOT, "name: gang", "misplaced-key", "it belongs to a plugin"),
    (ROOT, "binpack: {}", "misplaced-key", "- name: binpack"),
    (ROOT, "color: red", "unknown-conf-key", ""),
    (TIER, "enableJobOrder: true", "misplaced-key", "in the list plugins"),
    (TIER, "metrics: {}", "misplaced-key", "top level"),
    (TIER, "plugin: []", "unknown-conf-key", "did you mean 'plugins'?"),
    (PLUGIN, "enabledJobOrder: true", "misspelt-flag", "'enableJobOrder'"),
    (PLUGIN, "enableOverused: true", "misspelt-flag", "'enabledOverused'"),
    (PLUGIN, "EnableHierarchy: true", "misspelt-flag", "'enableHierarchy'"),
    (PLUGIN, "jobOrder: true", "misspelt-flag", "'enableJobOrder'"),
    (PLUGIN, "enableHierachy: true", "misspelt-flag", "'enableHierarchy'"),
    (PLUGIN, "binpack.weight: 1", "misplaced-argument", "under arguments:"),
    (PLUGIN, "tdm.revocable-zone.a: 1:00-2:00", "misplaced-argument", "under arguments:"),
    (PLUGIN, "argument: {}", "unknown-conf-key", "did you mean 'arguments'?"),
    (PLUGIN, "tiers: []", "misplaced-key", "top level"),
    (PLUGIN, "own.weight: 1", "unknown-conf-key", "arguments go under arguments:"),
    (ACTION, "predicateErrorCacheEnable: false", "misplaced-argument", "under arguments:"),
    (ACTION, "actions: x", "misplaced-key", "top level"),
]


@pytest.mark.parametrize(("frame", "line", "code", "hint"), CASES, ids=[line for _, line, _, _ in CASES])
def test_advice(frame: str, line: str, code: str, hint: str) -> None:
    """A key is reported with what is wrong with it, and with what to write."""
    text = frame.replace("{}", line, 1)
    conf = read_configuration_file("-", io.BytesIO(text.encode()), Problems())
    assert conf is not None
    [warning] = read_configuration(conf, DEFAULT_PROFILE).diagnostics

    assert (warning.code, warning.severity) == (code, "warning")
    assert hint in warning.help
    assert bool(hint) == bool(warning.help)


@pytest.mark.parametrize("flag", FLAGS)
def test_every_flag_is_recognised_by_its_other_spellings(flag: str) -> None:
    """Whichever prefix and case are used, the flag that was meant is named."""
    bare = flag.removeprefix("Enabled").removeprefix("enabled").removeprefix("enable")
    for spelling in {f"enable{bare}", f"enabled{bare}", f"Enable{bare}", f"Enabled{bare}", flag.lower()} - {flag}:
        advice = plugin_advice(spelling)
        assert advice is not None
        assert (advice.code, advice.hint) == ("misspelt-flag", f"did you mean {flag!r}?")
