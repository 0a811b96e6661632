"""What people call a job."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.job_name import jobs_called, named_after_owners
from vqs.model.kubernetes import OwnerReference

WEB = OwnerReference("apps/v1", "Deployment", "web", "1", controller=True)
WEB_SET = OwnerReference("apps/v1", "ReplicaSet", "web-7d9f", "2", controller=True)
OTHER_SET = OwnerReference("apps/v1", "ReplicaSet", "web-5c6b", "3", controller=True)
WEB_JOB = OwnerReference("batch.volcano.sh/v1alpha1", "Job", "web", "4", controller=True)
WEB_BATCH_JOB = OwnerReference("batch/v1", "Job", "web", "5", controller=True)


def displayed(**owners: tuple[OwnerReference, ...]) -> list[str]:
    """Return what jobs of the namespace a are called, given the owners of their PodGroups."""
    return [
        name.display for name in named_after_owners({f"a/{group}": each for group, each in owners.items()}).values()
    ]


def test_the_topmost_controller() -> None:
    """A job is called what the topmost controller is called, and a PodGroup without one keeps its name."""
    assert displayed(pg1=(WEB, WEB_SET), pg2=()) == ["a/web", "a/pg2"]


def test_a_controller_of_several_jobs() -> None:
    """Jobs of one Deployment are called after their ReplicaSets."""
    assert displayed(pg1=(WEB, WEB_SET), pg2=(WEB, OTHER_SET)) == ["a/web-7d9f", "a/web-5c6b"]


def test_a_controller_with_several_pod_groups() -> None:
    """Where one controller has several PodGroups itself, the jobs are called after these."""
    assert displayed(pg1=(WEB_JOB,), pg2=(WEB_JOB,)) == ["a/pg1", "a/pg2"]


def test_owners_in_a_circle() -> None:
    """A controller that a chain of owners comes back to has one job all the same."""
    assert displayed(pg1=(WEB, WEB_SET, WEB), pg2=(WEB_BATCH_JOB,)) == ["a/web (Deployment)", "a/web (Job)"]


def test_controllers_of_two_kinds() -> None:
    """Where controllers of two kinds have one name, the kind tells them apart."""
    assert displayed(pg1=(WEB,), pg2=(WEB_JOB,)) == ["a/web (Deployment)", "a/web (Job)"]


def test_kinds_of_one_name() -> None:
    """Where even the kinds have one name, the PodGroups tell the jobs apart."""
    assert displayed(pg1=(WEB_JOB,), pg2=(WEB_BATCH_JOB,)) == ["a/pg1", "a/pg2"]


def test_a_pod_group_called_like_a_controller() -> None:
    """A PodGroup without a controller that is called like one is told apart by its kind."""
    assert displayed(pg1=(WEB,), web=()) == ["a/web (Deployment)", "a/web (PodGroup)"]


def test_two_namespaces() -> None:
    """Jobs of one name in two namespaces are told apart by these."""
    names = named_after_owners({"a/pg1": (WEB,), "b/pg1": (WEB,)})
    assert [name.display for name in names.values()] == ["a/web", "b/web"]


OWNERS = st.lists(
    st.builds(
        OwnerReference,
        api_version=st.sampled_from(["apps/v1", "batch/v1"]),
        kind=st.sampled_from(["Job", "PodGroup", "Set"]),
        name=st.sampled_from(["x", "y", "x (Job)"]),
    ),
    max_size=3,
)


@given(st.dictionaries(st.sampled_from(["a/x", "a/y", "a/z", "b/x", "b/y"]), OWNERS))
def test_no_two_jobs_are_called_the_same(owners: dict[str, list[OwnerReference]]) -> None:
    """Whatever owners jobs have, each is found by its display name, and by that it alone."""
    names = named_after_owners(owners).values()
    assert [[each.uid for each in jobs_called(name.display, names)] for name in names] == [[name.uid] for name in names]


@pytest.mark.parametrize("name", ["a/web", "web", "a/podgroup-2", "podgroup-2", "a/web-7d9f", "web-7d9f"])
def test_names_that_a_job_is_given_by(name: str) -> None:
    """A job is found by what it is called, by its PodGroup and by its other controllers, with or without namespace."""
    names = named_after_owners({"a/podgroup-2": (WEB, WEB_SET), "a/alone": ()})
    assert [each.uid for each in jobs_called(name, names.values())] == ["a/podgroup-2"]


def test_a_name_in_two_namespaces() -> None:
    """A name without a namespace stands for all jobs that have it."""
    names = named_after_owners({"a/pg1": (WEB,), "b/pg2": (WEB,)})
    assert [each.uid for each in jobs_called("web", names.values())] == ["a/pg1", "b/pg2"]
