"""Adding plugins and actions of one's own to the tables that the built-in ones are in.

Whoever looks there, the engine, lint, the comparison of configurations or `vqs rule`, finds them like all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from traceback import walk_tb

from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS
from vqs.config.known_plugins import PLUGINS, WITH_HIERARCHY
from vqs.engine.framework import registry
from vqs.explain.verdict_rules import VERDICT_RULES
from vqs.extensible import ExtensionFaultError
from vqs.extensions.loading import ExtensionError, Found, installed, named
from vqs.extensions.own import OwnAction, OwnPlugin


@contextmanager
def extended(places: Sequence[str] = ()) -> Iterator[None]:
    """Have the plugins and actions of installed packages, and those at some places, count while the context lasts.

    Args:
        places: further classes, as MODULE:CLASS.

    Raises:
        ExtensionError: one of them cannot be used, or has a name that is taken.
    """
    with adding([*installed(), *map(named, places)]):
        yield


@contextmanager
def adding(found: Sequence[Found]) -> Iterator[None]:
    """Have some plugins and actions count while the context lasts.

    Raises:
        ExtensionError: a name is taken.
    """
    with ExitStack() as stack:
        origins: dict[str, str] = {}
        for each in found:
            _refuse_taken(each, origins)
            own = each.own
            stack.enter_context(VERDICT_RULES.extended({rule.code.value: rule for rule in own.verdicts}))
            if issubclass(own, OwnPlugin):
                flags = frozenset(point.flag for point in own.points if point.flag is not None)
                stack.enter_context(registry.PLUGINS.extended({own.name: own}))
                stack.enter_context(PLUGINS.extended({own.name: flags}))
                stack.enter_context(PLUGIN_ARGUMENTS.extended({own.name: own.arguments}))
                if own.reads_hierarchy:
                    stack.enter_context(WITH_HIERARCHY.extended({own.name: True}))
            elif issubclass(own, OwnAction):
                stack.enter_context(registry.ACTIONS.extended({own.name: own}))
                stack.enter_context(ACTION_ARGUMENTS.extended({own.name: own.arguments}))
        try:
            yield
        except SystemExit as error:
            if _guilty(error, found) is None:
                raise
            failure = RuntimeError(f"it ends the command with exit status {error.code}")
            failure.__traceback__ = error.__traceback__
            _blame(failure, found)
            raise failure from error
        except Exception as error:
            _blame(error, found)
            raise


def _blame(error: Exception, found: Sequence[Found]) -> None:
    """Note which of some plugins and actions an exception comes from, if it comes from one."""
    if isinstance(error, ExtensionFaultError):
        named = next((each for each in found if each.own.name == error.name), None)
        if named is not None:
            error.add_note(named.origin)
        return
    guilty = _guilty(error, found)
    if guilty is not None:
        error.add_note(f"{guilty.own.name} of {guilty.origin} failed")


def _guilty(error: BaseException, found: Sequence[Found]) -> Found | None:
    """The plugin or action in whose module an exception arose."""
    modules = [frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)]
    return next((each for each in found if each.own.__module__ in modules), None)


def _refuse_taken(found: Found, origins: dict[str, str]) -> None:
    """Refuse names that others have: of plugins and actions together, and of verdicts and lint rules together."""
    from vqs.lint.registry import RULES  # noqa: PLC0415 - most runs add nothing, and need no lint rules

    own = found.own
    names = {own.name: {*PLUGINS, *ACTION_ARGUMENTS}}
    names |= {rule.code.value: {*VERDICT_RULES, *RULES} for rule in own.verdicts}
    wrong = [
        f"{found.origin}: the name {name} is taken by {origins.get(name, 'vqs itself')}"
        for name, taken in names.items()
        if name in taken
    ]
    if wrong:
        raise ExtensionError("\n".join(wrong))
    origins |= dict.fromkeys(names, found.origin)
