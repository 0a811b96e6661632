"""The pace of a real cluster beside the sessions, as measured (real API server, controllers and scheduler v1.14.4).

docs/replay.md says what is modelled of it, what is not, and what the distributions were measured from. Workloads can
say themselves how long pods take to start, by patterns of the images of their containers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from typing import Final, NamedTuple

from vqs.replay.distribution import Distribution, Fixed, LogNormal

PERIOD: Final = 1.0
"""The seconds from the end of a session to the start of the next one, unless given otherwise."""

GIVEN_UP: Final = 300.0
"""The seconds after which Kubernetes deletes the pods of a node that has failed."""


class Latencies(NamedTuple):
    """How long the API server, the controllers and the kubelet take; each time is drawn anew.

    Attributes:
        pod_group: from the submission of a job to its PodGroup: the API server, the webhook and the controller.
        pods: from the end of the session that admits a PodGroup to its pods.
        start: from being bound to running, for pods that have no start delay of their own.
        reaction: in which a controller acts on something that happened to a pod.
        removal: from being told to go to being gone, for a pod that ends at once.
        write: how long a session takes for each pod that it binds or evicts, and each PodGroup whose phase it writes;
            drawn once for a session.
    """

    pod_group: Distribution = LogNormal(0.02, 0.8)
    pods: Distribution = LogNormal(0.05, 0.8)
    start: Distribution = LogNormal(0.03, 0.8)
    reaction: Distribution = LogNormal(0.03, 0.9)
    removal: Distribution = LogNormal(0.16, 0.2)
    write: Distribution = LogNormal(0.013, 0.6)

    def usual(self) -> Latencies:
        """Each time as half of all draws are below it: what a replay without a seed has."""
        return Latencies(*(Fixed(each.quantile(0.5)) for each in self))


def pattern_of(text: str) -> re.Pattern[str]:
    """Return what the names match that a text stands for, in which ``*`` and ``?`` stand for others.

    >>> bool(pattern_of("a/b:*").match("a/b:1")), bool(pattern_of("a[b]").match("a[b]"))
    (True, True)
    """
    return re.compile(translate(text.replace("[", "[[]")))


class ImageDelays:
    """The start delays of images, each looked for once."""

    def __init__(self, delays: Iterable[tuple[str, Distribution]]) -> None:
        """Take patterns of images with their delays; the first pattern that matches an image counts."""
        self._patterns = [(pattern_of(text), delay) for text, delay in delays]
        self._known: dict[str, Distribution | None] = {}

    def __bool__(self) -> bool:
        """Tell whether there is any pattern."""
        return bool(self._patterns)

    def of(self, image: str) -> Distribution | None:
        """Return the start delay of an image; None where no pattern matches it."""
        if image not in self._known:
            self._known[image] = next((delay for pattern, delay in self._patterns if pattern.match(image)), None)
        return self._known[image]
