"""The kinds that a snapshot should have."""

from __future__ import annotations

import re
from pathlib import Path

from vqs.model import kubernetes as k8s
from vqs.snapshot.reading.kinds import JUDGED_ONLY, KINDS, WANTED, WANTED_IF_SERVED, how_to_add, wanted

PAGE = (Path(__file__).parents[3] / "docs" / "snapshots.md").read_text(encoding="utf-8")


def test_all_kinds_that_are_read_are_wanted() -> None:
    """Each once, so that no kind is read that no snapshot has, but for kinds that are judged and not used."""
    used = [kind for kind in KINDS.values() if kind.type not in JUDGED_ONLY]
    assert sorted(map(repr, used)) == sorted(repr(each.kind) for each in (*WANTED, *WANTED_IF_SERVED))


def test_the_page_on_snapshots_asks_for_them() -> None:
    """The command that takes a snapshot has them all, in their order."""
    command = re.search(r"^kubectl get (\S+?) -A -o json > snapshot.json$", PAGE.replace("\\\n", ""), re.MULTILINE)
    assert command is not None
    assert command[1] == ",".join(each.kubectl_name for each in WANTED)


def test_names_are_those_that_kubectl_cannot_mistake() -> None:
    """Kinds of Volcano, and those that share their name with another, are named with their group."""
    names = {each.kind.name: each.kubectl_name for each in WANTED if each.kind.group != "batch"}
    assert names["Queue"] == "queues.scheduling.volcano.sh"
    assert names["Job"] == "jobs.batch.volcano.sh"
    assert names["PodDisruptionBudget"] == "poddisruptionbudgets"
    assert wanted(k8s.Job).kubectl_name == "jobs.batch"


def test_how_kinds_are_added() -> None:
    """Their names are given as kubectl takes them."""
    kinds = [wanted(k8s.CSINode), wanted(k8s.VolcanoJob)]
    command = "kubectl get csinodes,jobs.batch.volcano.sh -A -o json > more.json"
    assert how_to_add(kinds) == f"run {command}, and read more.json beside the snapshot"
