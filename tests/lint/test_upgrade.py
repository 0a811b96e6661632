"""What an upgrade changes about what a configuration uses is found with --upgrade."""

from __future__ import annotations

from pathlib import Path

import pytest

from vqs.cli.main import main
from vqs.lint.run import LintOptions, lint
from vqs.releases.choice import ReleaseChoice
from vqs.releases.release import Release
from vqs.snapshot.reading.reader import read_leniently

CODE = "upgrade-behaviour"
WITH_CAPACITY = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n  - name: capacity\n"
WITHOUT = "actions: allocate\ntiers:\n- plugins:\n  - name: gang\n"


def found(folder: Path, conf: str, upgrade: Release | None) -> list[tuple[str, int]]:
    """Return the messages about behaviours, with their lines."""
    file = folder / "volcano-scheduler.conf"
    file.write_text(conf, encoding="utf-8")
    result = lint(read_leniently([], str(file)), LintOptions({CODE}, upgrade=upgrade))
    return [(each.message, each.line or 0) for each in result.findings if "root-real-capability" in each.message]


def test_a_behaviour_of_a_plugin_in_use_is_found_at_the_plugin(tmp_path: Path) -> None:
    """With its value now and after the upgrade."""
    [(message, line)] = found(tmp_path, WITH_CAPACITY, Release.V1_14_0)
    assert "with Volcano 1.14.0, behaviour root-real-capability is total in place of unlimited" in message
    assert line == 5


@pytest.mark.parametrize(("conf", "upgrade"), [(WITHOUT, Release.V1_14_0), (WITH_CAPACITY, None)])
def test_what_is_not_in_use_or_not_asked_about_is_not_found(tmp_path: Path, conf: str, upgrade: Release | None) -> None:
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
        manifests = read_leniently([], str(file), release=ReleaseChoice(Release.V1_15))
        result = lint(manifests, LintOptions({CODE}, upgrade=Release.V1_13))
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
    result = lint(read_leniently([], str(file)), LintOptions({CODE}, upgrade=Release.V1_15))
    assert {name for name in about for each in result.findings if f"behaviour {name} is" in each.message} == names
