"""What was read of a release names the behaviours that it led to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.recorder.changed import read, unread
from vqs.releases.profile import behaviours
from vqs.releases.release import Release

READ = sorted((Path(__file__).parent / "read").iterdir())


def named(file: Path) -> set[str]:
    """Return the behaviours that are named before what led to none, and what is not modelled."""
    return {name for said in read(file).values() for name in said.partition(";")[0].split() if name in behaviours()}


@pytest.mark.parametrize("file", READ, ids=lambda file: file.stem)
def test_each_behaviour_that_a_release_changed_is_named(file: Path) -> None:
    """Beside a file that it was found in; and no other is."""
    releases = list(Release)
    release = Release(file.stem)
    before = releases[releases.index(release) - 1]
    changed = {row.name for row in behaviours().values() if row.values[release] != row.values[before]}
    assert named(file) == changed


def test_a_folder_stands_for_what_is_in_it() -> None:
    """A file is not read whose folder is not named, nor it."""
    known = {"pkg/scheduler/cache/": "none", "go.mod": "none"}
    assert [*unread(["pkg/scheduler/cache/cache.go", "go.mod", "pkg/scheduler/scheduler.go"], known)] == [
        "pkg/scheduler/scheduler.go"
    ]
