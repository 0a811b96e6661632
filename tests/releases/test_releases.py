"""Releases are named, chosen and switched."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.build import manifests
from vqs.releases.choice import ReleaseChoice
from vqs.releases.profile import (
    DEFAULT_PROFILE,
    Setting,
    UnknownBehaviourError,
    behaviours,
    profile_of,
    read_setting,
)
from vqs.releases.release import Release, UnknownReleaseError, nearest_release, read_release

ROOT = Setting("root-real-capability", "total")


@pytest.mark.parametrize(("text", "release"), [("1.13", "1.13"), ("v1.14.4", "1.14"), ("1.14.0", "1.14.0")])
def test_a_release_is_read_by_name_and_by_tag(text: str, release: str) -> None:
    """With or without the v of the tag."""
    assert read_release(text) == release


def test_a_release_that_is_not_modelled_names_the_nearest() -> None:
    """Whoever runs a patch between two that are modelled knows which one to take."""
    with pytest.raises(UnknownReleaseError, match=r"'1\.11' is not modelled; the nearest is 1\.12 \(v1\.12\.4\)"):
        read_release("1.11")


@pytest.mark.parametrize(
    ("text", "release"),
    [("v1.14.2", "1.14"), ("1.14.1", "1.14.0"), ("v1.16.0-alpha.1", "1.16"), ("1.9", "1.12"), ("v1.15.0", "1.15")],
)
def test_the_nearest_release_is_found(text: str, release: str) -> None:
    """A patch is nearer than a minor release, and a name without a patch is the newest one."""
    assert nearest_release(text) == release


def test_what_is_no_version_is_near_to_none() -> None:
    """The tags of images may be anything."""
    assert nearest_release("latest") is None


def test_the_default_profile_is_that_of_the_default_release() -> None:
    """The defaults of the fields are the values that the table gives."""
    assert profile_of(DEFAULT_PROFILE.release) == DEFAULT_PROFILE


@pytest.mark.parametrize("release", Release)
def test_a_profile_has_the_values_of_its_release(release: Release) -> None:
    """For every row of the table."""
    profile = profile_of(release)
    for row in behaviours().values():
        assert getattr(getattr(profile, row.area), row.attribute) == row.values[release]


def test_a_behaviour_is_switched_alone() -> None:
    """It is named as switched where its release has another value, and only there."""
    assert profile_of(Release.V1_14, (ROOT,)).switched == (("root-real-capability", "total"),)
    assert profile_of(Release.V1_13, (ROOT,)) == profile_of(Release.V1_13)


def test_an_unknown_behaviour_is_refused_with_a_guess() -> None:
    """So is a value that it does not have."""
    with pytest.raises(UnknownBehaviourError, match="did you mean 'root-real-capability'"):
        read_setting("root-real-capabilty=total")
    with pytest.raises(UnknownBehaviourError, match="'none' is no value of behaviour root-real-capability"):
        read_setting("root-real-capability=none")


def test_a_choice_leaves_the_rest_to_another() -> None:
    """The release of the first counts; of behaviours, both, and its own where both switch one."""
    other = ReleaseChoice(Release.V1_15, (ROOT,))
    again = Setting(ROOT.name, "unlimited")
    assert ReleaseChoice(Release.V1_13).over(other).release == Release.V1_13
    assert ReleaseChoice().over(other).profile == other.profile
    assert ReleaseChoice(settings=(again,)).over(other).profile.capacity.root_real_capability == "unlimited"


def test_a_scenario_says_which_release_it_is_about() -> None:
    """What is asked for beside the files wins."""
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "volcano": "1.13"}
    assert manifests([scenario]).profile.release == Release.V1_13
    asked = replace(manifests([scenario]), release=ReleaseChoice(Release.V1_15))
    assert asked.profile.release == Release.V1_15
