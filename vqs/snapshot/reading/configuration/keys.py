"""What a key of the scheduler's configuration was meant to be that Volcano does not look at."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from vqs.config.flags import FLAGS
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, find_argument
from vqs.config.known_plugins import PLUGINS
from vqs.snapshot.reading.configuration.cursor import UNKNOWN_KEY, Advice
from vqs.snapshot.reading.diagnostics import did_you_mean

MISSPELT_FLAG: Final = "misspelt-flag"
MISPLACED_KEY: Final = "misplaced-key"
MISPLACED_ARGUMENT: Final = "misplaced-argument"

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


def plugin_advice(key: str) -> Advice | None:
    """Advise about a key beside the ``name`` of a plugin."""
    flag = _flag_meant(key)
    if flag:
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


def _flag_meant(key: str) -> str:
    """Return the flag that differs in its prefix or in upper case only, or is spelt much like this key."""
    bare = _bare(key)
    same = next((flag for flag in FLAGS if _bare(flag) == bare), "")
    return same or (_close(key, FLAGS) if key.casefold().startswith("enable") else "")


def _bare(key: str) -> str:
    return _PREFIX.sub("", key, count=1).casefold()


def _close(key: str, flags: Iterable[str]) -> str:
    found = re.search(r"'(.*)'", did_you_mean(key, flags))
    return found[1] if found else ""
