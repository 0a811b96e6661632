"""A plugin or an action of one's own has the rights of the built-in ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from tests.extensions.installed import install, module_text
from vqs.cli.main import main
from vqs.config.known_plugins import PLUGINS

ROOT: Final = Path(__file__).parents[2]
SCENARIO: Final = str(ROOT / "scenarios" / "first-look.yaml")
CONF: Final = """
actions: enqueue, allocate, own-action
tiers:
- plugins:
  - name: gang
  - name: own
    arguments: {own.wieght: 2}
    enablePreemptable: true
  - name: predicates
  - name: nodeorder
"""
ENTRY_POINTS: Final = "[vqs.plugins]\nown = own_module:OwnPlugin\n[vqs.actions]\nown-action = own_module:OwnAction\n"


@pytest.fixture
def conf(packages: Path) -> str:
    """Install a package with a plugin and an action, and return a configuration that names them."""
    install(packages, "own_module", module_text(), ENTRY_POINTS)
    path = packages / "volcano-scheduler.conf"
    path.write_text(CONF, encoding="utf-8")
    return str(path)


def test_a_session_runs_it(conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Its refusal is a verdict with its own code and sentence, and its action runs in its place."""
    main(["simulate", SCENARIO, "--conf", conf, "--format", "json"])
    result = json.loads(capsys.readouterr().out)
    verdicts = {task["verdict"]["code"]: task["verdict"] for task in result["tasks"] if "verdict" in task}
    assert verdicts["own-refusal"]["text"] == "refused by own"
    assert verdicts["own-refusal"]["plugin"] == "own"
    assert result["session"]["actions"] == ["enqueue", "allocate", "own-action"]
    assert "own-ran" in {each["code"] for each in result["diagnostics"]}
    assert "unknown-plugin" not in {each["code"] for each in result["diagnostics"]}


def test_lint_checks_its_arguments_and_flags(conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt argument has the same finding, and the same guess, as one of a built-in plugin."""
    main(["lint", "--conf", conf])
    out = capsys.readouterr().out
    assert "unknown-argument: plugin own does not read own.wieght" in out
    assert "did you mean 'own.weight'?" in out
    assert "enablePreemptable: true changes nothing: the plugin own has no function" in out
    assert "unknown-plugin" not in out


def test_its_verdict_is_explained(conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs rule` knows its code, also when it lists all."""
    assert conf
    assert main(["rule", "own-refusal"]) == 0
    assert "Remove it." in capsys.readouterr().out
    main(["rule"])
    assert "own-refusal" in capsys.readouterr().out


def test_it_is_listed_with_what_it_contributed(conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`vqs plugins` has it beside the others, with its votes and vetoes."""
    main(["plugins", "own", "--conf", conf, "--on", SCENARIO, "--format", "json"])
    [plugin] = json.loads(capsys.readouterr().out)["plugins"]
    assert plugin["origin"] == "own_module:OwnPlugin"
    assert plugin["tiers"] == [1]
    [point] = plugin["points"]
    assert point["point"] == "allocatable"
    assert point["votes"] == point["vetoes"] > 0


def test_a_comparison_knows_its_arguments(conf: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The default of an argument fills in for a side that does not give it."""
    changed = tmp_path / "changed.conf"
    changed.write_text(CONF.replace("own.wieght: 2", "own.weight: 3"), encoding="utf-8")
    main(["diff-configs", conf, str(changed), "--on", SCENARIO, "--format", "json"])
    settings = {each["key"]: each for each in json.loads(capsys.readouterr().out)["settings"]}
    assert (settings["own.weight"]["before"], settings["own.weight"]["after"]) == (1, 3)


def test_its_name_is_replaced_where_names_are(conf: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name that is not Volcano's may say whose it is; those of its arguments, too."""
    configuration, target = Path(conf), tmp_path / "anonymous.yaml"
    configuration.write_text(CONF.replace(", own-action", "").replace("wieght", "weight"), encoding="utf-8")
    assert main(["anonymize", SCENARIO, "--conf", conf, "--output", str(target)]) == 0
    capsys.readouterr()
    text = target.read_text(encoding="utf-8")
    assert "name: gang" in text
    assert "name: own" not in text
    assert "own.weight" not in text


def test_nothing_of_it_stays(conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """After the command, its name is unknown again."""
    main(["lint", "--conf", conf])
    capsys.readouterr()
    assert "own" not in PLUGINS


def test_what_is_taken_stops_the_command(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit status is that of a wrong command line."""
    install(packages, "own_module", module_text(plugin="gang"), "[vqs.plugins]\ngang = own_module:OwnPlugin\n")
    assert main(["simulate", SCENARIO]) == 2
    assert capsys.readouterr().err == (
        "error: entry point gang = own_module:OwnPlugin of own_module 1.0: the name gang is taken by vqs itself\n"
    )


def test_a_fault_in_it_is_not_taken_for_one_of_vqs(
    packages: Path, conf: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The message names the plugin and where it comes from."""
    broken = module_text().replace("refusal = Refusal(", "refusal = 1 / 0 or Refusal(")
    (packages / "own_module.py").write_text(broken, encoding="utf-8")
    assert main(["simulate", SCENARIO, "--conf", conf]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: own of entry point own = own_module:OwnPlugin of own_module 1.0 failed: Zero")
    assert "this is a bug" not in err


def test_it_cannot_end_a_command_as_if_all_were_well(
    packages: Path, conf: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its exit is a failure, whatever status it asks for: a gate that it ends would let everything pass."""
    broken = module_text().replace("refusal = Refusal(", "raise SystemExit(0)\n        refusal = Refusal(")
    (packages / "own_module.py").write_text(broken, encoding="utf-8")
    assert main(["simulate", SCENARIO, "--conf", conf]) == 2
    assert "failed: RuntimeError: it ends the command with exit status 0" in capsys.readouterr().err


def test_an_answer_of_a_wrong_type_is_said(packages: Path, conf: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the plugin, the extension point, what came, what was expected, and where the plugin is from."""
    wrong = module_text().replace("lambda queue, task: refusal", "lambda queue, task: False")
    (packages / "own_module.py").write_text(wrong, encoding="utf-8")
    assert main(["simulate", SCENARIO, "--conf", conf]) == 2
    assert capsys.readouterr().err == (
        "error: plugin own answers the extension point allocatable with False (bool); expected a Refusal or None; "
        "it comes from entry point own = own_module:OwnPlugin of own_module 1.0\n"
    )


def test_a_code_that_an_action_has_no_verdict_for_is_said(
    packages: Path, conf: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """An action refuses tasks without being asked, so that it shows where the result is made."""
    body = (
        "for job in session.jobs.values():\n"
        "            for task in job.tasks.values():\n"
        "                session.trace.refuse_task(task, Refusal(Other.GONE))\n"
    )
    wrong = module_text().replace('session.note("own-ran", "the action of own ran")', body)
    wrong = wrong.replace(
        "\n\n\nclass OwnPlugin", '\n\n\nclass Other(OwnCode):\n    GONE = "gone"\n\n\nclass OwnPlugin'
    )
    (packages / "own_module.py").write_text(wrong, encoding="utf-8")
    assert main(["simulate", SCENARIO, "--conf", conf]) == 2
    assert capsys.readouterr().err == (
        "error: the code gone of own_module, which something was refused with, has no verdict; "
        "expected one in the verdicts of the plugin or action\n"
    )


@pytest.mark.parametrize("name", ["evil:Own", "evil", "../evil", "evil.Own"])
def test_no_configuration_loads_code(packages: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a configuration names, in whatever form, a module of that name is not imported."""
    (packages / "evil.py").write_text("raise SystemExit('loaded')\n", encoding="utf-8")
    conf = packages / "evil.conf"
    conf.write_text(CONF.replace("name: own", f"name: {name}").replace(", own-action", ""), encoding="utf-8")
    assert main(["simulate", SCENARIO, "--conf", str(conf)]) in (0, 1)
    assert f"plugin {name} is unknown" in capsys.readouterr().out


def test_no_folder_of_the_input_loads_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that lies where the input does, even in the current folder, is not installed."""
    install(tmp_path, "evil", "raise SystemExit('loaded')", "[vqs.plugins]\nevil = evil:Own\n")
    (tmp_path / "first-look.yaml").write_text(Path(SCENARIO).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", "first-look.yaml"]) == 0
