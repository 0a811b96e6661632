"""Plugins and actions of one's own are found where they are installed and where the command line says, nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extensions.installed import install, module_text
from vqs.extensions.adding import adding, extended
from vqs.extensions.loading import ExtensionError, installed, named

HEAD = "from vqs.extensions import *\n"
BOTH = "[vqs.plugins]\nown = own_module:OwnPlugin\n[vqs.actions]\nown-action = own_module:OwnAction\n"


def write(folder: Path, text: str) -> None:
    """Write a module."""
    (folder / "own_module.py").write_text(text, encoding="utf-8")


def test_installed_packages_bring_plugins_and_actions(packages: Path) -> None:
    """Entry points lead to them, and say which package they are of."""
    install(packages, "own_module", module_text(), BOTH)
    found = installed()
    assert [each.own.name for each in found] == ["own", "own-action"]
    assert found[0].origin == "entry point own = own_module:OwnPlugin of own_module 1.0"


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("own_module", "expected MODULE:CLASS"),
        ("no_such_module:Own", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("own_module:Other", "cannot be imported: AttributeError"),
        ("own_module:Session", "Session is no class derived from OwnPlugin or OwnAction"),
        ("own_module:points", "points is no class derived from"),
    ],
)
def test_a_place_has_to_lead_to_a_plugin(packages: Path, place: str, message: str) -> None:
    """What is wrong with it is said with the option, so that a reader knows where to look."""
    write(packages, module_text())
    with pytest.raises(ExtensionError, match=message) as raised:
        named(place)
    assert str(raised.value).startswith(f"--plugin {place}: ")


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ("name = 'A b'", ["name is 'A b'", "points is empty", "it does not define on_session_open"]),
        ("name = 'a'; points = (1,)", ["points is not a tuple of Point"]),
        ("name = 'a'; points = (); arguments = ['a']", ["arguments is not a tuple of Argument"]),
        ("name = 'a'; points = (); verdicts = None", ["verdicts is not a tuple of VerdictRule"]),
        ("name = 'a'; points = (); reasons = 'no'", ["reasons is not a tuple of str"]),
    ],
)
def test_all_that_is_wrong_with_a_class_is_said(packages: Path, body: str, messages: list[str]) -> None:
    """An author sees every mistake at once."""
    write(packages, f"{HEAD}class Own(OwnPlugin):\n    {body}\n")
    with pytest.raises(ExtensionError) as raised:
        named("own_module:Own")
    assert [message for message in messages if message not in str(raised.value)] == []


def test_each_code_needs_its_verdict(packages: Path) -> None:
    """A refusal with a code that nothing explains would say nothing."""
    text = module_text().replace('    OWN_REFUSAL = "', '    UNEXPLAINED = "unexplained"\n    OWN_REFUSAL = "')
    write(packages, text)
    with pytest.raises(ExtensionError, match="its code unexplained has no verdict"):
        named("own_module:OwnPlugin")


def test_a_module_that_fails_is_named(packages: Path) -> None:
    """An installed package that is broken stops vqs: decisions without it might be others."""
    install(packages, "own_module", "1 / 0", "[vqs.plugins]\nown = own_module:OwnPlugin\n")
    with pytest.raises(ExtensionError, match=r"own_module 1\.0: cannot be imported: ZeroDivisionError"):
        installed()


def test_a_module_cannot_end_a_command(packages: Path) -> None:
    """One that exits while it is imported is broken, too."""
    install(packages, "own_module", "raise SystemExit(0)", "[vqs.plugins]\nown = own_module:OwnPlugin\n")
    with pytest.raises(ExtensionError, match=r"cannot be imported: SystemExit: 0"):
        installed()


def test_an_entry_point_has_the_name_of_its_plugin(packages: Path) -> None:
    """Else two names would stand for one plugin."""
    install(packages, "own_module", module_text(), "[vqs.plugins]\nother = own_module:OwnPlugin\n")
    with pytest.raises(ExtensionError, match="the plugin calls itself 'own'"):
        installed()


def test_an_action_is_no_plugin(packages: Path) -> None:
    """Each group of entry points has its own kind."""
    install(packages, "own_module", module_text(), "[vqs.plugins]\nown-action = own_module:OwnAction\n")
    with pytest.raises(ExtensionError, match=r"expected a class derived from vqs\.extensions\.OwnPlugin"):
        installed()


@pytest.mark.parametrize(
    ("taken", "by"),
    [('"own"', "gang"), ('"own"', "reclaim"), ('"own-refusal"', "queue-limit"), ('"own-refusal"', "no-gang")],
)
def test_a_name_that_is_taken_is_an_error(packages: Path, taken: str, by: str) -> None:
    """It may be that of a plugin, an action, a verdict or a lint rule."""
    write(packages, module_text().replace(taken, f'"{by}"'))
    with (
        pytest.raises(ExtensionError, match=f"the name {by} is taken by vqs itself"),
        extended(["own_module:OwnPlugin"]),
    ):
        pass


def test_two_plugins_of_one_name_are_an_error(packages: Path) -> None:
    """The message names the one that was first."""
    write(packages, module_text())
    own = named("own_module:OwnPlugin")
    with (
        pytest.raises(ExtensionError, match="the name own is taken by --plugin own_module:OwnPlugin"),
        adding([own, own]),
    ):
        pass


def test_what_failed_inside_of_a_plugin_is_said(packages: Path) -> None:
    """An exception from its code carries a note, so that nobody takes it for a fault of vqs."""
    write(packages, module_text() + "\n\ndef fail() -> None:\n    raise KeyError('x')\n")
    with pytest.raises(KeyError) as raised, extended(["own_module:OwnPlugin"]):
        __import__("own_module").fail()
    assert raised.value.__notes__ == ["own of --plugin own_module:OwnPlugin failed"]
