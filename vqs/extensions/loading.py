"""Finding plugins and actions of one's own: installed packages have entry points, the command line names a class.

Nothing that vqs reads as input leads here: no snapshot, scenario or configuration causes code to be loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from inspect import isabstract
from typing import Any, Final, cast

from vqs.config.known_arguments import Argument
from vqs.engine.framework.points import Point
from vqs.explain.verdict_rules import VerdictRule
from vqs.extensible import ACTION_GROUP, PLUGIN_GROUP
from vqs.extensions.own import Own, OwnAction, OwnPlugin
from vqs.model.codes import OwnCode

_KINDS: Final = {PLUGIN_GROUP: (OwnPlugin, "plugin"), ACTION_GROUP: (OwnAction, "action")}
"""What an entry point of each group has to lead to."""
_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?")
_PLACE: Final = re.compile(r"[\w.]+:\w+")


class ExtensionError(Exception):
    """A plugin or an action of one's own cannot be used; the message says which, where it comes from, and why."""


@dataclass(frozen=True, slots=True)
class Found:
    """A class that was loaded, and where it comes from."""

    own: Own
    origin: str


def installed() -> list[Found]:
    """Load the plugins and actions that installed packages bring along, by name.

    Raises:
        ExtensionError: one of them cannot be used.
    """
    known = entry_points()
    found: list[Found] = []
    for group, (base, noun) in _KINDS.items():
        for entry in sorted(known.select(group=group), key=lambda entry: (entry.name, entry.value)):
            package = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
            origin = f"entry point {entry.name} = {entry.value}{package}"
            loaded = _loaded(entry.load, origin)
            if not (isinstance(loaded, type) and issubclass(loaded, base)):
                expected = f"expected a class derived from vqs.extensions.{base.__name__}"
                raise ExtensionError(f"{origin}: this is no {noun}: {expected}")
            own = _checked(loaded, origin)
            if own.name != entry.name:
                message = f"the {noun} calls itself {own.name!r}; the entry point has to have that name"
                raise ExtensionError(f"{origin}: {message}")
            found.append(Found(own, origin))
    return found


def named(place: str) -> Found:
    """Load the class that the command line names as MODULE:CLASS.

    Raises:
        ExtensionError: it cannot be used.
    """
    origin = f"--plugin {place}"
    if not _PLACE.fullmatch(place):
        raise ExtensionError(f"{origin}: expected MODULE:CLASS, such as my_plugins.rack:RackPlugin")
    module, _, name = place.partition(":")
    loaded = _loaded(lambda: getattr(import_module(module), name), origin)
    base = next((base for base, _ in _KINDS.values() if isinstance(loaded, type) and issubclass(loaded, base)), None)
    if base is None:
        raise ExtensionError(f"{origin}: {name} is no class derived from OwnPlugin or OwnAction of vqs.extensions")
    return Found(_checked(loaded, origin), origin)


def _loaded(load: Callable[[], Any], origin: str) -> Any:
    """Import what is named; whatever its modules raise is said."""
    try:
        return load()
    except (Exception, SystemExit) as error:
        what = " ".join(str(error).split())
        raise ExtensionError(f"{origin}: cannot be imported: {type(error).__name__}: {what}") from error


# --- what a class has to say of itself --------------------------------------------------------------------------------


def _checked(own: Own, origin: str) -> Own:
    """A class after all that is wrong with it was looked for, and said at once."""
    wrong: list[str] = []
    name = getattr(own, "name", None)
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        wrong.append(f"name is {name!r}; expected at most 63 lower-case letters, digits, dots, dashes and underscores")
    kinds: dict[str, type] = {"arguments": Argument, "verdicts": VerdictRule}
    if issubclass(own, OwnPlugin):
        kinds |= {"points": Point, "reasons": str}
    wrong += [
        f"{part} is not a tuple of {kind.__name__}"
        for part, kind in kinds.items()
        if not _are(getattr(own, part, None), kind)
    ]
    if issubclass(own, OwnPlugin) and own.points == ():
        wrong.append("points is empty: a plugin decides nothing without an extension point")
    verdicts = own.verdicts if _are(own.verdicts, VerdictRule) else ()
    codes = [rule.code for rule in cast("Sequence[VerdictRule]", verdicts)]
    foreign = [f"its verdict {code} is no member of an OwnCode" for code in codes if not isinstance(code, OwnCode)]
    odd = [f"its verdict {code!s} is no name of a code" for code in codes if not _NAME.fullmatch(code)]
    twice = {code for code in codes if codes.count(code) > 1}
    told = {type(code) for code in codes if isinstance(code, OwnCode)}
    untold = [f"its code {code.value} has no verdict" for kind in told for code in kind if code not in codes]
    wrong += [*foreign, *odd, *untold, *(f"it has the verdict {code} twice" for code in sorted(twice))]
    if isabstract(own):
        missing = ", ".join(sorted(own.__abstractmethods__))
        wrong.append(f"it does not define {missing}")
    if wrong:
        raise ExtensionError("\n".join(f"{origin}: {each}" for each in wrong))
    return own


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(each, kind) for each in values)
