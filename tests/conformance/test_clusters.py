"""vqs decides as real clusters did: API server, webhooks, controllers and scheduler, from a dump of kubectl."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conformance.clusters import CHAINS, LUCKY, SESSIONS, agreement, bound_next
from tests.conformance.reading import Recording, read_scenario
from vqs.explain.simulate import SimulateOptions, simulate

TOLD: Final = 0.95
"""The part of all messages and of all nodes without ties that are those of the cluster, at least."""


@pytest.mark.thorough
@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session[0].stem)
def test_a_session_of_a_cluster(session: Recording) -> None:
    """By PodGroup, as many pods are bound and evicted, each has the phase that it got, and pods are told the same."""
    found = agreement(session, simulate(read_scenario(session[0]), SimulateOptions()))
    assert (found.bound, found.evicted, found.phases) == (True, True, True)
    if session[0].stem not in LUCKY:
        right, of = found.messages
        assert right >= TOLD * of


@pytest.mark.thorough
@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain[0].stem)
def test_two_sessions_of_a_cluster(chain: Recording) -> None:
    """The controllers make the pods of what the first session lets in, and the second binds what the cluster bound."""
    wanted, found = bound_next(chain)
    assert found == wanted
