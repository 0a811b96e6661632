"""What an upgrade changes about what a configuration uses is found with --upgrade."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.cli.main import main
from vqs.lint.run import LintOptions, lint
from vqs.releases.profile import ReleaseChoice
from vqs.releases.release import Build, Release
from vqs.snapshot.reading.reader import read_leniently

CODE = "upgrade-behaviour"
WITH_CAPACITY = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: capacity\n"
WITHOUT = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n"


def found(folder: Path, conf: str, upgrade: Build | None) -> list[tuple[str, int]]:
    """Return the messages about behaviours, with their lines."""
    file = folder / "volcano-scheduler.conf"
    file.write_text(conf, encoding="utf-8")
    result = lint(read_leniently([], str(file)), LintOptions({CODE}, upgrade=upgrade))
    return [(each.message, each.line or 0) for each in result.findings if "root-real-capability" in each.message]


def test_a_behaviour_of_a_plugin_in_use_is_found_at_the_plugin(tmp_path: Path) -> None:
    """With its value now and after the upgrade."""
    [(message, line)] = found(tmp_path, WITH_CAPACITY, Build(Release.V1_14_0))
    assert "with Volcano 1.14.0, behaviour root-real-capability is total in place of unlimited" in message
    assert line == 5


@pytest.mark.parametrize(("conf", "upgrade"), [(WITHOUT, Build(Release.V1_14_0)), (WITH_CAPACITY, None)])
def test_what_is_not_in_use_or_not_asked_about_is_not_found(tmp_path: Path, conf: str, upgrade: Build | None) -> None:
    """A plugin that is not enabled decides nothing, and without --upgrade there is nothing to compare with."""
    assert found(tmp_path, conf, upgrade) == []


def test_the_option_takes_a_release(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The findings are notes: they fail nothing."""
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(WITH_CAPACITY, encoding="utf-8")
    assert main(["lint", str(file), "--upgrade", "1.14.0", "--select", CODE]) == 0
    assert "root-real-capability" in capsys.readouterr().out


def test_what_becomes_of_victims_matters_where_something_evicts(tmp_path: Path) -> None:
    """And the fix compares the two releases that are meant."""
    file = tmp_path / "volcano-scheduler.conf"
    behaviours = {}
    for actions in ("allocate", "allocate, preempt"):
        file.write_text(f'actions: "{actions}"\ntiers: [{{plugins: [{{name: gang}}]}}]\n', encoding="utf-8")
        manifests = read_leniently([], str(file), release=ReleaseChoice(Build(Release.V1_15)))
        result = lint(manifests, LintOptions({CODE}, upgrade=Build(Release.V1_13)))
        behaviours[actions] = "".join(each.message for each in result.findings)
        assert all("--volcano 1.15 --volcano 1.13" in each.help for each in result.findings)
    assert "preempt-evictions-in-vain" not in behaviours["allocate"]
    assert "preempt-evictions-in-vain" in behaviours["allocate, preempt"]


@pytest.mark.parametrize(
    ("actions", "names"),
    [
        ("allocate", set()),
        ("allocate, preempt", {"preempt-within-job", "victims-of-equal-jobs"}),
        ("allocate, reclaim", {"reclaim-from-roomy-nodes", "victims-of-equal-jobs"}),
    ],
)
def test_what_actions_decide_is_found_where_they_run(tmp_path: Path, actions: str, names: set[str]) -> None:
    """An action that is not configured evicts nothing; in which order victims go matters to all that do."""
    about = {"preempt-within-job", "reclaim-from-roomy-nodes", "victims-of-equal-jobs"}
    file = tmp_path / "volcano-scheduler.conf"
    file.write_text(WITHOUT.replace("allocate", f'"{actions}"', 1), encoding="utf-8")
    result = lint(read_leniently([], str(file)), LintOptions({CODE}, upgrade=Build(Release.V1_15)))
    assert {name for name in about for each in result.findings if f"behaviour {name} is" in each.message} == names


TOPOLOGY = "behaviour hyper-node-search is"
NODES = "apiVersion: vqs/v1\nkind: Scenario\nnodes: [{name: n, cpu: 4, memory: 8Gi}]\n"
JOB = "jobs: [{name: a, replicas: 1, cpu: 1}]\n"
ASKING = "jobs: [{name: a, replicas: 1, cpu: 1, podGroup: {networkTopology: {mode: hard, highestTierAllowed: 1}}}]\n"
HYPER_NODES = """
---
apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: s0}
spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: n}}}]}
"""


def upgraded(folder: Path, objects: str, plugin: str = "gang") -> str:
    """Return what is found with the newest release, of objects, under a configuration with a plugin."""
    conf, file = folder / "volcano-scheduler.conf", folder / "cluster.yaml"
    conf.write_text(WITHOUT.replace("gang", plugin), encoding="utf-8")
    file.write_text(objects, encoding="utf-8")
    read = read_leniently([str(file)], str(conf), release=ReleaseChoice(Build(Release.V1_13)))
    return "".join(each.message for each in lint(read, LintOptions({CODE}, upgrade=Build(Release.V1_16))).findings)


@pytest.mark.parametrize(
    ("objects", "plugin", "is_named"),
    [
        (JOB, "gang", False),
        (JOB, "network-topology-aware", True),
        (HYPER_NODES, "gang", True),
        (ASKING, "gang", True),
    ],
)
def test_network_topologies_matter_where_the_cluster_has_them(
    objects: str, plugin: str, *, is_named: bool, tmp_path: Path
) -> None:
    """The plugin is configured, there are HyperNodes, or a job asks for a topology; else nothing is said of them."""
    assert (TOPOLOGY in upgraded(tmp_path, NODES + objects, plugin)) is is_named


@pytest.mark.parametrize(
    ("name", "plugin"), [("sharding-flags", "gang"), ("attach-limit-names", "predicates"), ("own-deletions", "gang")]
)
def test_what_is_about_objects_that_are_not_there_is_left_out(name: str, plugin: str, tmp_path: Path) -> None:
    """But of a configuration alone nobody knows what the cluster has."""
    assert f"behaviour {name} is" not in upgraded(tmp_path, NODES + JOB, plugin)
    assert f"behaviour {name} is" in upgraded(tmp_path, "apiVersion: vqs/v1\nkind: Scenario\n", plugin)


@pytest.mark.parametrize(("plugin", "is_named"), [("gang", False), ("overcommit", True), ("proportion", True)])
def test_what_jobs_reserve_matters_to_plugins_that_count_it(plugin: str, *, is_named: bool, tmp_path: Path) -> None:
    """Without one of them, nothing is counted."""
    assert ("behaviour reserved-devices is" in upgraded(tmp_path, NODES + JOB, plugin)) is is_named
