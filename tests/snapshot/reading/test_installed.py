"""The image of a scheduler tells which release of Volcano a cluster runs."""

from __future__ import annotations

import pytest

from tests.build import Object, manifests
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.installed import GUESSED, NOT_MODELLED
from vqs.snapshot.reading.manifests import Manifests


def scheduler(image: str, kind: str = "Deployment", **labels: str) -> Object:
    """Make a Deployment or pod that runs an image."""
    spec: Object = {"containers": [{"name": "main", "image": image}]}
    metadata = {"name": f"scheduler-{kind.lower()}", "namespace": "volcano-system", "labels": labels}
    if kind == "Pod":
        return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": {"template": {"spec": spec}}}


def said(read: Manifests) -> list[tuple[str, str]]:
    """Return what is said of the release, and how severe it is."""
    return [(each.code, each.severity) for each in read.notes if each.code in (GUESSED, NOT_MODELLED)]


@pytest.mark.parametrize(
    ("image", "release", "code"),
    [
        ("docker.io/volcanosh/vc-scheduler:v1.13.3", "1.13", GUESSED),
        ("volcanosh/vc-scheduler:v1.13.2", "1.13", GUESSED),
        ("registry:5000/mirror/vc-scheduler:v1.15.0@sha256:0123", "1.15", GUESSED),
        ("volcanosh/vc-scheduler:v1.9.0", "1.12", NOT_MODELLED),
        ("volcanosh/vc-scheduler:latest", "1.14", GUESSED),
        ("volcanosh/vc-scheduler@sha256:0123", "1.14", GUESSED),
        ("registry:5000/vc-scheduler", "1.14", GUESSED),
    ],
)
@pytest.mark.parametrize("kind", ["Deployment", "Pod"])
def test_the_tag_decides(image: str, release: str, code: str, kind: str) -> None:
    """A release, the nearest one, or the default where the tag tells none; a warning where its minor is unknown."""
    read = manifests([scheduler(image, kind)])
    assert read.profile.release == release
    assert said(read) == [(code, "note" if code == GUESSED else "warning")]


def test_an_image_of_another_name_is_known_by_its_label() -> None:
    """So are the schedulers of those who build their own; other workloads tell nothing."""
    assert manifests([scheduler("own/batch:v1.13.3", app="volcano-scheduler")]).profile.release == Release.V1_13
    other = manifests([scheduler("own/vc-scheduler-tool:v1.13.3", app="train")])
    assert other.profile.release == Release.V1_14
    assert said(other) == []


def test_what_was_asked_for_wins() -> None:
    """Nothing is guessed where a scenario names the release, and what is beside the files wins over both."""
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "volcano": "1.15"}
    read = manifests([scheduler("vc-scheduler:v1.13.3"), scenario])
    assert (read.profile.release, said(read)) == (Release.V1_15, [])
    read.release = ReleaseChoice(Build(Release.V1_14_0))
    assert read.profile.release == Release.V1_14_0


def test_a_deployment_wins_over_pods_and_the_newest_over_others() -> None:
    """Pods of the old release still run during an upgrade."""
    pods = [scheduler("vc-scheduler:v1.13.3", "Pod"), scheduler("vc-scheduler:v1.15.1", "Pod")]
    pods[1]["metadata"]["name"] = "newer"
    assert manifests(pods).profile.release == Release.V1_15
    assert manifests([*pods, scheduler("vc-scheduler:v1.14.0")]).profile.release == Release.V1_14_0
