"""Packages with plugins of their own, as an installer leaves them: a module, and a folder with its metadata."""

from __future__ import annotations

from pathlib import Path

MODULE = '''
"""A module with plugins."""
from vqs.extensions import Argument, Kind, OwnAction, OwnCode, OwnPlugin, Refusal, Session, points, verdict


class Code(OwnCode):
    """Codes."""

    {code} = "{code_value}"


class {name}Plugin(OwnPlugin):
    """Refuses all tasks. Reference: none."""

    name = "{plugin}"
    points = (points.ALLOCATABLE,)
    arguments = (Argument("{plugin}.weight", Kind.INT, "1"),)
    verdicts = (verdict(Code.{code}, "refused", sentence="refused by {plugin}", remedy="Remove it.", stage="queue"),)

    def on_session_open(self, session: Session) -> None:
        """Add the refusal."""
        refusal = Refusal(Code.{code}, plugin=self.name)
        session.plugins.add(points.ALLOCATABLE, self.name, lambda queue, task: refusal)


class {name}Action(OwnAction):
    """Notes that it ran."""

    name = "{plugin}-action"

    def execute(self, session: Session) -> None:
        """Leave a note."""
        session.note("{plugin}-ran", "the action of {plugin} ran")
'''


def module_text(name: str = "Own", plugin: str = "own", code: str = "OWN_REFUSAL") -> str:
    """Return the text of a module with a plugin and an action."""
    return MODULE.format(name=name, plugin=plugin, code=code, code_value=code.lower().replace("_", "-"))


def install(folder: Path, module: str, text: str, entry_points: str) -> None:
    """Install a package into a folder of sys.path."""
    (folder / f"{module}.py").write_text(text, encoding="utf-8")
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(entry_points, encoding="utf-8")
