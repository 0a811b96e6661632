"""Nothing that somebody wrote comes out as a command to what reads the log, whatever the command and the format."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.hostile import FRAGMENTS, cluster, configuration, job, scenario
from tests.properties import examples
from tests.runners import commands, orders
from vqs.cli.main import main
from vqs.report.formats import OF_MANIFESTS
from vqs.report.registry import formats_of

FILE = "##[error] ::x\n::error::.json"
CONF = "::x ##vso[a].conf"
BROKEN = "\n::error::b ##[group].yaml"
GROUP = "{namespace}/{group}"
EDIT = ("--set", "queue/default.spec.weight=5")

RUNS: list[tuple[str, ...]] = [
    *(
        ("simulate", FILE, "--conf", CONF, "-v", "--nodes", "--trace", "--format", each)
        for each in formats_of("Simulation")
    ),
    *(("simulate", FILE, "--conf", CONF, "--cycles", "2", "--format", each) for each in formats_of("Cycles")),
    *(("explain-queue", FILE, "--conf", CONF, "-v", "--format", each) for each in formats_of("QueueReport")),
    *(
        ("explain-job", FILE, "--conf", CONF, "--job", GROUP, "-v", "--format", each)
        for each in formats_of("JobReport")
    ),
    *(("lint", FILE, "--conf", CONF, "-v", "--format", each) for each in formats_of("Lint")),
    *(("lint", BROKEN, "--format", each) for each in formats_of("Lint")),
    *(("diff-configs", "--on", FILE, "--candidate", CONF, *EDIT, "--format", each) for each in formats_of("Diff")),
    *(("fit", "job.yaml", "--on", FILE, "--format", each) for each in formats_of("Fit")),
    *(("verify", FILE, "later.json", "-v", "--format", each) for each in formats_of("Verification")),
    *(("expand", FILE, "--format", each) for each in OF_MANIFESTS),
    ("diff-configs", "--on", FILE, "--candidate", CONF, *EDIT, "--github-summary"),
]
"""What commands are asked to write, each in every format."""

REFUSED: list[tuple[str, ...]] = [
    *(("diff-configs", BROKEN, "--on", FILE, "--github-summary", "--format", each) for each in formats_of("Diff")),
    ("simulate", BROKEN, FILE, "--format", "json"),
    ("simulate", FILE, "--conf", BROKEN),
    ("simulate", FILE, "--set", "queue/ ::x##[a]\n::error::y.spec.weight=::error::5"),
    ("simulate", FILE, "--format", "::error::x"),
    ("simulate", FILE, "--fit-errors", "\n ::error::x"),
    ("simulate", FILE, "\n ::error::x"),
    ("simulate", FILE, "--::error::x"),
    ("diff-configs", "--on", FILE, *EDIT, "--fail-on", "queue:\n::error::.share>1"),
    ("diff-configs", "--base-ref", "::error::\n::error::x", "queues", "--on", FILE),
    ("rule", "\n::error::x"),
    ("rule", "--message", "::error::x"),
    ("render", FILE),
    ("render", "\n::error::x"),
    ("::error::x",),
]
"""What commands refuse, with messages that quote it."""


@pytest.fixture(autouse=True)
def _nothing_piped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own, and let nobody feed standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))


def prepared(fragments: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Write the files, and return the arguments with the names that are in them."""
    objects = cluster(fragments)
    group = next(each for each in objects["items"] if each["kind"] == "PodGroup")
    Path(FILE).write_text(json.dumps(objects), encoding="utf-8")
    objects["items"].pop()
    Path("later.json").write_text(json.dumps(objects), encoding="utf-8")
    Path(CONF).write_text(configuration(fragments), encoding="utf-8")
    Path(BROKEN).write_text(scenario(fragments), encoding="utf-8")
    queue = next(each["metadata"]["name"] for each in objects["items"] if each["kind"] == "Queue")
    Path("job.yaml").write_text(job(queue), encoding="utf-8")
    name = f"{group['metadata']['namespace']}/{group['metadata']['name']}"
    return [name if argument == GROUP else argument for argument in arguments]


def found(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """Run a command, and return its exit status and what a runner would act on in what it writes."""
    status = main(arguments)
    out, err = capsys.readouterr()
    told = commands(out, annotations="github" in arguments) + commands(err)
    comment = out if "markdown" in arguments else ""
    if "--github-summary" in arguments:
        comment += Path("summary.md").read_text(encoding="utf-8")
    return status, told + commands(comment) + orders(comment)


def _named(arguments: Sequence[str]) -> str:
    return " ".join(arguments).replace("\n", "|").replace("::", ":")


@pytest.mark.parametrize("arguments", RUNS, ids=_named)
def test_no_command_comes_out(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Each command in each format writes what is known to be taken for a command as something else."""
    status, told = found(prepared(FRAGMENTS, arguments), capsys)
    assert told == []
    assert status in (0, 1)


@pytest.mark.parametrize("arguments", REFUSED, ids=_named)
def test_no_command_comes_out_of_a_message(arguments: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What is said of bad input, in words or in a format, quotes it so that it commands nothing."""
    assert found(prepared(FRAGMENTS, arguments), capsys) == (2, [])


def test_no_command_comes_out_on_a_terminal(on_terminal: Callable[..., str]) -> None:
    """Lines that are broken at 80 columns begin with no command, whatever colours they have."""
    text = on_terminal(prepared(FRAGMENTS, ["simulate", FILE, "-v", "--nodes", "--trace"]))
    assert "\x1b[" in text
    assert commands(text, colored=True) == []


def test_manifests_mean_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """What is written out in YAML and JSON is read back as it was."""
    assert main(prepared(FRAGMENTS, ["expand", FILE, "--format", "yaml"])) == 0
    as_yaml = [*yaml.safe_load_all(capsys.readouterr().out)]
    assert main(["expand", FILE, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == as_yaml
    names = {each["metadata"]["name"] for each in as_yaml}
    assert names >= {each["metadata"]["name"] for each in cluster(FRAGMENTS)["items"]}


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arguments=st.sampled_from([*RUNS, *REFUSED]),
    fragments=st.lists(
        st.lists(
            st.sampled_from(["::", ":", "##", "#", "[", "vso[", "section_start", "section_end:1", "\n", "\r", " ", "x"])
            | st.characters(codec="utf-8")
            | st.sampled_from(FRAGMENTS),
            min_size=1,
            max_size=6,
        ).map("".join),
        min_size=3,
        max_size=8,
    ),
)
def test_no_text_is_a_command(
    arguments: Sequence[str], fragments: Sequence[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever names and texts are put together from, none of them is a command in what comes out."""
    _, told = found(prepared(fragments, arguments), capsys)
    assert told == []
