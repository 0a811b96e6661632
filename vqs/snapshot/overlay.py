"""Laying manifests over others: an object takes the place of the one of its kind and name, a configuration likewise.

The given manifests stay as they are. What Volcano's controller would pass on at once is passed on: a Volcano Job that
takes the place of another one changes its PodGroup, and loses the pods that are too many.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from vqs.snapshot.config_text import configurations_of
from vqs.snapshot.diagnostics import Diagnostic, InputErrors
from vqs.snapshot.editing.draft import Draft
from vqs.snapshot.editing.owners import pass_on
from vqs.snapshot.kinds import KINDS, key_of, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vqs.snapshot.documents import Origin
    from vqs.snapshot.manifests import Manifests

LISTS: Final = tuple(dict.fromkeys(kind.list_name for kind in KINDS.values()))
"""The lists of objects in manifests."""


def overlay(under: Manifests, over: Manifests) -> Manifests:
    """Return some manifests with others laid over them."""
    draft = _based_on(under, over)
    for list_name in LISTS:
        places = {key_of(each): index for index, each in enumerate(draft.objects(list_name))}
        for new, origin in _objects(over, list_name):
            if key_of(new) in places:
                draft.put(list_name, places[key_of(new)], new)
                draft.manifests.origins[list_name][places[key_of(new)]] = origin
            else:
                draft.add(list_name, new, origin)
    _drop_configurations(draft, over)
    old = {key_of(each): each for each in under.volcano_jobs}
    places = {key_of(each): index for index, each in enumerate(draft.objects("volcano_jobs"))}
    for job in over.volcano_jobs:
        pass_on(draft, places[key_of(job)], old.get(key_of(job)))
    return draft.manifests


def added(under: Manifests, over: Manifests) -> Manifests:
    """Return some manifests with more objects.

    Raises:
        InputErrors: some are there already.
    """
    repeated = [
        origin.diagnostic("duplicate-object", f"there is a {type(new).__name__} {name_of(new)} already")
        for list_name in LISTS
        for new, origin in _objects(over, list_name)
        if key_of(new) in {key_of(each) for each in getattr(under, list_name)}
    ]
    if over.conf is not None and under.conf is not None:
        message = "there is a scheduler configuration already"
        repeated.append(Diagnostic(code="duplicate-object", severity="error", message=message, file=over.conf.name))
    if repeated:
        raise InputErrors(repeated)
    return overlay(under, over)


def names(manifests: Manifests) -> Iterator[tuple[str, str]]:
    """Yield the kind and name of every object."""
    for list_name in LISTS:
        for each in getattr(manifests, list_name):
            yield type(each).__name__, name_of(each)


def _objects(manifests: Manifests, list_name: str) -> list[tuple[Any, Origin]]:
    return list(zip(getattr(manifests, list_name), manifests.origins.get(list_name, ()), strict=True))


def _based_on(under: Manifests, over: Manifests) -> Draft:
    times = [each.newest_timestamp for each in (under, over) if each.newest_timestamp is not None]
    return Draft(
        replace(
            under,
            conf=over.conf or under.conf,
            ignored=dict(sorted((Counter(under.ignored) + Counter(over.ignored)).items())),
            notes=list(dict.fromkeys([*under.notes, *over.notes])),
            newest_timestamp=max(times, default=None),
            scenarios=[*over.scenarios, *under.scenarios],
            expectations=[*under.expectations, *over.expectations],
        )
    )


def _drop_configurations(draft: Draft, over: Manifests) -> None:
    """Remove the ConfigMaps with the configuration that another one takes the place of."""
    if over.conf is None:
        return
    own = {id(each) for each in over.config_maps}
    origins = draft.manifests.origins.get("config_maps", [])
    old = [
        index
        for index, each in enumerate(draft.objects("config_maps"))
        if id(each) not in own and configurations_of(each, origins[index])
    ]
    draft.remove("config_maps", old)
