"""What in the files is setting, and what is objects."""

from __future__ import annotations

from vqs.snapshot.reading.documents import SETTING_OF_SCENARIO
from vqs.snapshot.scenario.schema import schema

OBJECTS_OF_SCENARIO = frozenset(
    {
        "deviceClaims",
        "deviceClasses",
        "jobs",
        "manifests",
        "nodes",
        "priorityClasses",
        "queues",
        "scheduler",
        "shards",
        "storageClasses",
        "volumeClaims",
        "volumes",
    }
)
"""The keys of a scenario that stand for objects of a cluster, each of which is compared."""

NAMES_OF_SCENARIO = frozenset({"apiVersion", "description", "include", "kind", "name"})
"""The keys of a scenario that change no session by themselves."""


def test_each_key_of_a_scenario_is_classified() -> None:
    """A key of a scenario stands for objects, sets something, or is no more than a name."""
    classified = [*OBJECTS_OF_SCENARIO, *NAMES_OF_SCENARIO, *SETTING_OF_SCENARIO]
    assert sorted(classified) == sorted(schema()["properties"])
