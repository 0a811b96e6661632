"""Reading what a change consists of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.build import CONF, manifests, node, queue
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.whatif.sides import read_side

QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\nspec: {weight: 2}\n"
SCENARIO = "apiVersion: vqs/v1\nkind: Scenario\njobs: [{name: late, queue: b, cpu: 1}]\n"


def test_a_configuration_alone(tmp_path: Path) -> None:
    """A configuration needs no objects beside it; a folder may hold nothing else."""
    (tmp_path / "my.conf").write_text(CONF, encoding="utf-8")
    for path in (tmp_path / "my.conf", tmp_path):
        side = read_side([str(path)])
        assert side.conf is not None
        assert (side.conf.text, side.queues) == (CONF, [])


def test_objects_beside_a_configuration(tmp_path: Path) -> None:
    """A folder may hold both, and hidden files are left alone."""
    (tmp_path / "my.conf").write_text(CONF, encoding="utf-8")
    (tmp_path / ".old.conf").write_text(CONF, encoding="utf-8")
    (tmp_path / "queue.yaml").write_text(QUEUE, encoding="utf-8")
    side = read_side([str(tmp_path)])
    assert side.conf is not None
    assert [each.metadata.name for each in side.queues] == ["a"]


def test_two_configurations(tmp_path: Path) -> None:
    """Two configurations on one side are refused."""
    for name in ("one.conf", "two.conf"):
        (tmp_path / name).write_text(CONF, encoding="utf-8")
    with pytest.raises(InputErrors, match="there are 2 scheduler configurations"):
        read_side([str(tmp_path)])


def test_a_configuration_that_is_refused(tmp_path: Path) -> None:
    """What is wrong with a configuration is found while it is read."""
    (tmp_path / "my.conf").write_text("actions: allocat\n", encoding="utf-8")
    with pytest.raises(InputErrors, match="failed to find Action"):
        read_side([str(tmp_path / "my.conf")])
    with pytest.raises(InputErrors, match="cannot be read"):
        read_side([str(tmp_path / "none.conf")])


def test_a_scenario_may_speak_of_what_is_below(tmp_path: Path) -> None:
    """A scenario's job may be in a queue of the snapshot; without it, there is no such queue."""
    (tmp_path / "late.yaml").write_text(SCENARIO, encoding="utf-8")
    under = manifests([node("n1"), queue("b")])
    side = read_side([str(tmp_path / "late.yaml")], under=under)
    assert [each.spec.queue for each in side.pod_groups] == ["b"]
    with pytest.raises(InputErrors, match="queue"):
        read_side([str(tmp_path / "late.yaml")])
