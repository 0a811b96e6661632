"""Releases are named, chosen and switched."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.build import manifests
from vqs.cli.main import main
from vqs.config import known_plugins
from vqs.releases.profile import (
    DEFAULT_PROFILE,
    ReleaseChoice,
    Setting,
    UnknownBehaviourError,
    behaviours,
    profile_of,
    read_setting,
)
from vqs.releases.release import VENDORS, Build, Release, UnknownReleaseError, nearest_release, read_build

ROOT = Setting("root-real-capability", "total")


@pytest.mark.parametrize(("text", "release"), [("1.13", "1.13"), ("v1.14.4", "1.14"), ("1.14.0", "1.14.0")])
def test_a_release_is_read_by_name_and_by_tag(text: str, release: str) -> None:
    """With or without the v of the tag."""
    assert read_build(text) == Build(Release(release))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.15.0", "release '1.15.0' is not modelled; the nearest is 1.15 (v1.15.1); modelled: 1.12, 1.13, "),
        ("1.11", "release '1.11' is not modelled: it is older than 1.12 (v1.12.4), the oldest and nearest that is; "),
        ("1.17", "is not modelled: it is newer than 1.16 (v1.16.0-alpha.1, a pre-release), the newest and nearest"),
        (
            "foo",
            "release 'foo' is not modelled; modelled: 1.12, 1.13, 1.14.0, 1.14, 1.15, 1.16, 1.13-head, 1.14-head, ",
        ),
        ("1.14-hed", "release '1.14-hed' is not modelled (did you mean '1.14-head'?)"),
        ("1.14+cc", "'cc' is no vendor whose builds are known (did you mean '1.14+cce'?); modelled: "),
        ("1.16-head", "the branch of release 1.16 has nothing that its tag has not; modelled: "),
        ("1.11", "1.15-head, each also with +mindcluster, +cce, +hami"),
    ],
)
def test_a_release_that_is_not_modelled_says_which_are(text: str, said: str) -> None:
    """Whoever runs a patch between two that are modelled, or an older release, knows which one to take."""
    with pytest.raises(UnknownReleaseError, match=re.escape(said)):
        read_build(text)


def test_each_vendor_that_a_release_may_name_is_known() -> None:
    """And the other way round."""
    assert tuple(known_plugins.VENDORS) == VENDORS


SCENARIO = """
apiVersion: vqs/v1
kind: Scenario
volcano: "{}"
nodes: [{{name: n, cpu: 4, memory: 8Gi}}]
jobs: [{{name: a, replicas: 1, cpu: 1, duration: 1m}}]
"""
PLAN = """
apiVersion: vqs/v1
kind: Sweep
base: scenario.yaml
parameters:
  weight: {{edit: "queue/default.spec.weight={{}}", values: [1, 2]}}
figures: [placed]
releases: [{}]
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """Write a file, and return its path."""

    def written(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return written


@pytest.mark.parametrize("name", ["1.14-head", "1.15+hami", "1.13-head+cce"])
def test_a_build_may_be_named_wherever_a_release_is(
    name: str, write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """In a scenario, in a plan, by --volcano of a replay and of a comparison, and by --upgrade."""
    scenario = write("scenario.yaml", SCENARIO.format(name))
    plan = write("plan.yaml", PLAN.format(f"'{name}', 1.14"))
    runs = {
        ("simulate", scenario): f"Volcano {name}",
        ("sweep", plan): name,
        ("replay", scenario, "--volcano", name, "--seed", "1"): f"Volcano {name}",
        ("diff-configs", scenario, "--volcano", "1.12", "--volcano", name): f"1.12 → {name}",
        ("lint", write("old.yaml", SCENARIO.format("1.12")), "--upgrade", name): f"with Volcano {name}, behaviour",
        ("expand", scenario): f"volcano: {name}",
    }
    for command, expected in runs.items():
        assert main([*command]) in {0, 1}
        assert expected in capsys.readouterr().out


def test_a_scenario_and_a_plan_say_which_releases_there_are(
    write: Callable[[str, str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    """As the option does."""
    write("scenario.yaml", SCENARIO.format("1.14"))
    old = write("old.yaml", SCENARIO.format("1.11"))
    plan = write("plan.yaml", PLAN.format("'1.11'"))
    for command in (["simulate", old], ["sweep", plan], ["lint", old, "--upgrade", "1.11"]):
        assert main(command) == 2
        error = capsys.readouterr().err
        assert "it is older than 1.12 (v1.12.4), the oldest and nearest that is" in error
        assert "1.13-head" in error


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("v1.14.2", "1.14"),
        ("1.14.1", "1.14.0"),
        ("v1.16.0-alpha.1", "1.16"),
        ("1.9", "1.12"),
        ("v1.15.0", "1.15"),
        ("1.14-rc1", "1.14"),
    ],
)
def test_the_nearest_release_is_found(text: str, release: str) -> None:
    """A patch is nearer than a minor release, and a name without a patch is the newest one."""
    assert nearest_release(text) == release


def test_what_is_no_version_is_near_to_none() -> None:
    """The tags of images may be anything."""
    assert nearest_release("latest") is None


def test_the_default_profile_is_that_of_the_default_release() -> None:
    """The defaults of the fields are the values that the table gives."""
    assert profile_of(DEFAULT_PROFILE.build) == DEFAULT_PROFILE


@pytest.mark.parametrize("release", Release)
def test_a_profile_has_the_values_of_its_release(release: Release) -> None:
    """For every row of the table."""
    profile = profile_of(Build(release))
    for row in behaviours().values():
        assert getattr(getattr(profile, row.area), row.attribute) == row.values[release]


def test_a_behaviour_is_switched_alone() -> None:
    """It is named as switched where its release has another value, and only there."""
    assert profile_of(Build(Release.V1_14), (ROOT,)).switched == (("root-real-capability", "total"),)
    assert profile_of(Build(Release.V1_13), (ROOT,)) == profile_of(Build(Release.V1_13))


def test_an_unknown_behaviour_is_refused_with_a_guess() -> None:
    """So is a value that it does not have."""
    with pytest.raises(UnknownBehaviourError, match="did you mean 'root-real-capability'"):
        read_setting("root-real-capabilty=total")
    with pytest.raises(UnknownBehaviourError, match="'none' is no value of behaviour root-real-capability"):
        read_setting("root-real-capability=none")


def test_a_choice_leaves_the_rest_to_another() -> None:
    """The release of the first counts; of behaviours, both, and its own where both switch one."""
    other = ReleaseChoice(Build(Release.V1_15), (ROOT,))
    again = Setting(ROOT.name, "unlimited")
    assert ReleaseChoice(Build(Release.V1_13)).over(other).named == "1.13"
    assert ReleaseChoice().over(other).profile == other.profile
    assert ReleaseChoice(settings=(again,)).over(other).profile.capacity.root_real_capability == "unlimited"


def test_a_scenario_says_which_release_it_is_about() -> None:
    """What is asked for beside the files wins."""
    scenario = {"apiVersion": "vqs/v1", "kind": "Scenario", "volcano": "1.13"}
    assert manifests([scenario]).profile.release == Release.V1_13
    asked = replace(manifests([scenario]), release=ReleaseChoice(Build(Release.V1_15)))
    assert asked.profile.release == Release.V1_15
