"""What a change may silence: nothing that its base does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.changes import CLUSTER, CONF
from vqs.diff.findings import Found, finding_differences
from vqs.snapshot.whatif.overlay import overlay
from vqs.snapshot.whatif.sides import read_side

Compared = Callable[..., Found]

QUEUE = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata:
  name: b
spec:
  weight: 1
  capability: {cpu: 4}
"""
BAD = f"{QUEUE}  guarantee: {{resource: {{cpu: 6}}}}\n"
"""It is guaranteed more than it may have."""

FAULT = "guarantee-above-capability"
WHOLE = f"# vqs: ignore[{FAULT}] agreed\n"
ON_LINE = f" # vqs: ignore[{FAULT}] agreed\n"


@pytest.fixture
def compared(tmp_path: Path) -> Compared:
    """Compare two texts, laid over a cluster."""
    under = tmp_path / "cluster.yaml"
    under.write_text(CLUSTER, encoding="utf-8")
    cluster = read_side([str(under)])

    def compare(before: str, after: str, *, silent: bool = True, name: str = "queue.yaml") -> Found:
        sides = []
        for folder, text, called in (("base", before, "queue.yaml"), ("candidate", after, name)):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / called).write_text(text, encoding="utf-8")
            sides.append(overlay(cluster, read_side([str(tmp_path / folder)], under=cluster)))
        return finding_differences(sides[0], sides[1], None, silent=silent)

    return compare


def added(found: Found) -> list[int | None]:
    """Return the lines of the silences that are said to be new."""
    return [each.finding.line for each in found.differences if each.finding.code == "silence-added"]


def new(found: Found) -> list[str]:
    """Return the codes of the new errors."""
    return [
        each.finding.code
        for each in found.differences
        if each.change == "new" and each.finding.severity == "error" and each.finding.code == FAULT
    ]


def annotated(text: str, said: str) -> str:
    """Return an object with an annotation that silences something."""
    return text.replace("  name: b\n", f"  name: b\n  annotations: {{vqs.volcano.sh/ignore: '{said}'}}\n")


@pytest.mark.parametrize(
    ("after", "line"),
    [
        (f"# vqs: ignore[*] ok\n{BAD}", 1),
        (WHOLE + BAD, 1),
        (BAD.replace("metadata:\n", f"metadata:{ON_LINE}"), 3),
        (BAD.replace("cpu: 6}}\n", f"cpu: 6}}}}{ON_LINE}"), 8),
        (annotated(BAD, f"{FAULT}: agreed"), 5),
        (annotated(BAD, "*: agreed"), 5),
    ],
)
def test_a_new_silence(compared: Compared, after: str, line: int) -> None:
    """It silences nothing, and is a finding at its place."""
    found = compared(QUEUE, after)
    assert (new(found), added(found), found.silenced) == ([FAULT], [line], 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (WHOLE + QUEUE, WHOLE + BAD),
        (WHOLE + QUEUE, WHOLE.replace("agreed", "for another reason") + BAD),
        (f"# vqs: ignore[*] ok\n{QUEUE}", WHOLE + BAD),
        (f"# vqs: ignore[guarantee-*] ok\n{QUEUE}", WHOLE + BAD),
        (WHOLE + QUEUE, f"# a comment above\n\n{WHOLE}{BAD}"),
        (WHOLE + QUEUE, annotated(BAD, f"{FAULT}: agreed")),
        (annotated(QUEUE, f"{FAULT}: agreed"), WHOLE + BAD),
        (WHOLE + QUEUE, BAD.replace("cpu: 6}}\n", f"cpu: 6}}}}{ON_LINE}")),
        (
            BAD.replace("cpu: 6}}\n", f"cpu: 5}}}}{ON_LINE}"),
            BAD.replace("cpu: 6}}\n", f"cpu: 6}}}}{ON_LINE}").replace("spec:\n", "spec:\n  reclaimable: true\n"),
        ),
    ],
)
def test_a_silence_that_the_base_has(compared: Compared, before: str, after: str) -> None:
    """It silences what it is about, however it is written and wherever it stands, and is counted."""
    found = compared(before, after)
    assert (new(found), added(found), found.silenced) == ([], [], 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (WHOLE.replace(FAULT, "no-deserved") + QUEUE, WHOLE.replace(FAULT, f"no-deserved,{FAULT}") + BAD),
        (WHOLE.replace(FAULT, "guarantee-above-d*") + QUEUE, WHOLE.replace(FAULT, "guarantee-*") + BAD),
        (WHOLE.replace(" agreed", "") + QUEUE, WHOLE + BAD),
        (QUEUE.replace("cpu: 4}\n", f"cpu: 4}}{ON_LINE}"), WHOLE + BAD),
        (QUEUE.replace("cpu: 4}\n", f"cpu: 4}}{ON_LINE}"), BAD.replace("cpu: 6}}\n", f"cpu: 6}}}}{ON_LINE}")),
        (QUEUE.replace("weight: 1\n", f"weight: 1{ON_LINE}"), BAD.replace("cpu: 6}}\n", f"cpu: 6}}}}{ON_LINE}")),
        (WHOLE + QUEUE.replace("name: b", "name: a"), QUEUE.replace("name: b", "name: a") + f"---\n{WHOLE}{BAD}"),
    ],
    ids=["more codes", "wider", "with a reason", "line to object", "other line", "other field", "other object"],
)
def test_a_silence_that_is_wider_or_elsewhere(compared: Compared, before: str, after: str) -> None:
    """It silences nothing beyond what the base silences, and is a finding."""
    found = compared(before, after)
    assert new(found) == [FAULT]
    assert len(added(found)) == 1


def test_a_field_that_is_put_on_a_silenced_line(compared: Compared) -> None:
    """A line that the base silences speaks for the fields that it had there, and for no others."""
    before = QUEUE.replace("spec:\n  weight: 1\n  capability: {cpu: 4}\n", f"spec: {{capability: {{cpu: 4}}}}{ON_LINE}")
    after = before.replace("{cpu: 4}}", "{cpu: 4}, guarantee: {resource: {cpu: 6}}}")
    found = compared(before, after)
    assert (new(found), added(found)) == ([FAULT], [5])


def test_a_silence_that_is_gone(compared: Compared) -> None:
    """To silence less is no fault; what was silenced is new."""
    found = compared(WHOLE + BAD, BAD)
    assert (new(found), added(found), found.silenced) == ([FAULT], [], 0)


def test_a_file_that_is_renamed(compared: Compared) -> None:
    """A silence goes with its object, not with its file."""
    found = compared(WHOLE + QUEUE, WHOLE + BAD, name="renamed.yaml")
    assert (new(found), added(found), found.silenced) == ([], [], 1)


def test_a_silence_of_an_object_that_is_new(compared: Compared) -> None:
    """A queue that comes with its silence is judged like any other."""
    fresh = BAD.replace("name: b", "name: fresh")
    assert new(compared(QUEUE, f"{QUEUE}---\n{WHOLE}{fresh}")) == [FAULT]


def test_nothing_is_heeded(compared: Compared) -> None:
    """Without heed to silences, what both sides silence is told, and new silences still are."""
    found = compared(WHOLE + QUEUE, WHOLE.replace(FAULT, "*") + BAD, silent=False)
    assert (new(found), added(found), found.silenced) == ([FAULT], [1], 0)


CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-scheduler-configmap, namespace: volcano-system}
data:
  volcano-scheduler.conf: |
%s"""


@pytest.mark.parametrize("in_config_map", [False, True], ids=["file", "ConfigMap"])
@pytest.mark.parametrize("place", ["above", "line"])
def test_silences_of_the_configuration(tmp_path: Path, place: str, *, in_config_map: bool) -> None:
    """They are held against those of the base as well, those of all of it and those of a line."""
    said = "# vqs: ignore[unknown-plugin] ours"
    plain = CONF % "enqueue, allocate"
    first = plain.replace("name: proportion", "name: proportions")
    second = first.replace("name: predicates", "name: predicate")
    silenced = [
        f"{said}\n{text}" if place == "above" else text.replace("name: proportions", f"name: proportions {said}")
        for text in (first, second)
    ]
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(CLUSTER, encoding="utf-8")
    under = read_side([str(cluster)])

    def compare(before: str, after: str) -> tuple[int, list[str], int]:
        sides = []
        for name, text in (("a", before), ("b", after)):
            inside = "".join(f"    {line}\n" for line in text.splitlines())
            file = tmp_path / (f"{name}.yaml" if in_config_map else f"{name}.conf")
            file.write_text(CONFIG_MAP % inside if in_config_map else text, encoding="utf-8")
            sides.append(overlay(under, read_side([str(file)], under=under)))
        found = finding_differences(sides[0], sides[1], None)
        codes = [each.finding.code for each in found.differences if each.change == "new"]
        return len(added(found)), [code for code in codes if code == "unknown-plugin"], found.silenced

    assert compare(plain, silenced[0]) == (1, ["unknown-plugin"], 0)
    assert compare(silenced[0], silenced[0]) == (0, [], 1)
    expected = (0, [], 2) if place == "above" else (0, ["unknown-plugin"], 1)
    assert compare(silenced[0], silenced[1]) == expected
