"""The head of a release's branch is modelled as the release with the behaviours that no tag has yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.cli.main import main
from vqs.releases.profile import ReleaseChoice, Setting, behaviours, profile_of
from vqs.releases.release import HEAD_NAMES, HEADS, Build, Release, UnknownReleaseError, read_build

SCENARIOS = Path(__file__).parent / "scenarios"


@pytest.mark.parametrize("release", HEADS)
def test_a_head_is_its_release_but_for_some_behaviours(release: Release) -> None:
    """Each of these has another value there; all others are those of the release."""
    head = profile_of(Build(release, is_head=True))
    assert head.name == f"{release}-head"
    assert head.switched == ()
    newer = {row.name: row.heads[release] for row in behaviours().values() if release in row.heads}
    assert newer
    for row in behaviours().values():
        assert row.of(head) == newer.get(row.name, row.values[release])


def test_a_behaviour_of_a_head_can_be_switched_back() -> None:
    """It is named then, as one that the head has otherwise."""
    back = profile_of(Build(Release.V1_14, is_head=True), (Setting("releasing-pods", "not-counted"),))
    assert back.switched == (("releasing-pods", "not-counted"),)


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("1.14-head", Build(Release.V1_14, is_head=True)),
        ("v1.15-HEAD+cce", Build(Release.V1_15, "cce", is_head=True)),
        ("1.14.4", Build(Release.V1_14)),
    ],
)
def test_a_head_is_read_by_name(text: str, build: Build) -> None:
    """In any case, with a vendor behind it or not."""
    assert read_build(text) == build


def test_a_patch_without_a_branch_has_no_head() -> None:
    """The message has those that there are."""
    with pytest.raises(UnknownReleaseError, match=r"nothing that its tag has not; .* 1\.13-head, 1\.14-head"):
        read_build("1.14.0-head")


def test_what_leaves_the_release_open_takes_the_head_of_another() -> None:
    """A release that is named says by itself whether its head is meant."""
    head = ReleaseChoice(Build(Release.V1_14, is_head=True))
    assert ReleaseChoice().over(head).named == "1.14-head"
    assert ReleaseChoice(Build(Release.V1_14)).over(head).named == "1.14"


def test_patch_levels_are_compared_like_releases(capsys: pytest.CaptureFixture[str]) -> None:
    """What causes a difference is named."""
    file = str(SCENARIOS / "releasing-pods.yaml")
    assert main(["diff-configs", file, "--volcano", "1.14", "--volcano", "1.14-head"]) == 1
    out = capsys.readouterr().out
    assert "Change: Volcano 1.14 → 1.14-head" in out
    assert "caused by the behaviour releasing-pods" in out


@pytest.mark.parametrize("name", HEAD_NAMES)
def test_versions_lists_what_a_head_changes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """By the name of the head."""
    assert main(["versions", name]) == 0
    assert "releasing-pods" in capsys.readouterr().out
