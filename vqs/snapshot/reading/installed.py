"""Which release of Volcano a cluster runs, as the image of its scheduler tells.

Reference: installer/helm/chart/volcano/templates/scheduler.yaml in volcano-sh/volcano.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from vqs.model import kubernetes as k8s
from vqs.releases.release import DEFAULT_RELEASE, Release, UnknownReleaseError, nearest_release, read_build
from vqs.snapshot.apiserver.validation.schema import child, children, texts
from vqs.snapshot.reading.documents import Origin

GUESSED: Final = "volcano-release"
"""The code of the note that says which release is modelled, and why."""

NOT_MODELLED: Final = "unmodelled-release"
"""The code of the warning of a cluster with another minor release than those that are modelled."""

_LABEL: Final = ("app", "volcano-scheduler")
_REPOSITORY: Final = "vc-scheduler"
_CHOOSE: Final = "choose another one with --volcano"


class SchedulerImage(NamedTuple):
    """The image of a scheduler, and the Deployment or pod that runs it."""

    image: str
    is_pod: bool
    origin: Origin
    words: tuple[str, ...] = ()


class Guess(NamedTuple):
    """The release that an image tells; None where it tells none."""

    image: SchedulerImage
    release: Release | None
    is_modelled: bool
    says: str


def scheduler_image(typed: Any) -> str:
    """The image of Volcano's scheduler in a Deployment or pod; empty where that is something else.

    >>> container = k8s.Container(image="docker.io/volcanosh/vc-scheduler:v1.13.2")
    >>> scheduler_image(k8s.Pod(spec=k8s.PodSpec(containers=[container])))
    'docker.io/volcanosh/vc-scheduler:v1.13.2'
    """
    spec = typed.spec if isinstance(typed, k8s.Pod) else typed.spec.template.spec
    for container in spec.containers:
        if (
            _REPOSITORY in container.image
            and container.image.partition("@")[0].rpartition("/")[2].partition(":")[0] == _REPOSITORY
        ):
            return str(container.image)
    if typed.metadata.labels.get(_LABEL[0]) == _LABEL[1] and spec.containers:
        return str(spec.containers[0].image)
    return ""


def command_line(value: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of the command line of the scheduler in a Deployment or pod, as it is written."""
    spec = child(value, "spec")
    containers = children(child(child(spec, "template"), "spec") or spec, "containers")
    words = (word for each in containers for part in ("command", "args") for word in texts(each, part))
    # Volcano's own manifests have the arguments in one text, for a shell
    return tuple(part for word in words for part in word.split())


def guessed(images: Iterable[SchedulerImage]) -> Guess | None:
    """The release that a cluster runs: that of a Deployment before that of a pod, and the newest of several."""
    order = [None, *Release]
    return max(
        map(_guess, images),
        key=lambda guess: (not guess.image.is_pod, guess.release is not None, order.index(guess.release)),
        default=None,
    )


def _guess(image: SchedulerImage) -> Guess:
    tag = image.image.partition("@")[0].rpartition("/")[2].partition(":")[2]
    nearest = nearest_release(tag)
    what = f"the scheduler's image is {image.image}"
    if nearest is None:
        says = f"{what}, whose tag tells no release: Volcano {DEFAULT_RELEASE} ({DEFAULT_RELEASE.tag}) is modelled"
        return Guess(image, None, is_modelled=True, says=says)
    try:
        release = read_build(tag).release
    except UnknownReleaseError:
        says = f"{what}: Volcano {nearest} ({nearest.described}) is modelled, the nearest release to it"
        return Guess(image, nearest, is_modelled=_minor(tag) == _minor(nearest.tag), says=says)
    return Guess(image, release, is_modelled=True, says=f"{what}: Volcano {release} ({release.described}) is modelled")


def advice(guess: Guess) -> str:
    """What can be done about a guess."""
    return _CHOOSE if guess.is_modelled else f"decisions may differ from those of the cluster; {_CHOOSE}"


def _minor(version: str) -> list[str]:
    return version.removeprefix("v").split(".")[:2]
