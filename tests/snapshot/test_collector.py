"""The garbage collector is kept out of the way, and is back afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from vqs.snapshot.collector import paused_collector


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """Have nothing frozen meanwhile: the tests freeze what all of them share."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.parametrize("kept", [False, True])
def test_a_pause_ends_as_it_began(*, kept: bool) -> None:
    """The collector runs again after the outermost pause only."""
    with paused_collector(kept=kept):
        with paused_collector(kept=kept):
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_what_is_kept_is_old_afterwards() -> None:
    """Objects that stay are not among the young ones, which are walked over first, nor out of the collector's sight."""
    with paused_collector(kept=True):
        made = [[number] for number in range(1000)]
    young = {id(each) for each in gc.get_objects(generation=0)}
    assert young.isdisjoint(map(id, made))
    assert gc.get_freeze_count() == 0
    assert all(map(gc.is_tracked, made))


def test_what_is_frozen_stays_frozen() -> None:
    """What forks share is not given back to the collector."""
    gc.freeze()
    with paused_collector(kept=True):
        pass
    assert gc.get_freeze_count() > 0
