"""Findings in every format."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from junitparser import JUnitXml
from msgspec.structs import replace
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as Sarif

from vqs.lint.outcome import EvidenceResult, FindingResult, Lint, LintSummary, SilenceResult
from vqs.lint.registry import RULES
from vqs.lint.run import LintOptions, lint
from vqs.report import schema
from vqs.report.annotations.annotation import relative
from vqs.report.formats import Detail, Format, View
from vqs.report.registry import formats_of, write
from vqs.snapshot.reading.diagnostics import excerpt_of
from vqs.snapshot.reading.reader import read_leniently

FIRST = FindingResult(
    code="guarantee-above-deserved",
    severity="error",
    message="queue a,b: guarantees 10 cpu, 100% of what\nit may",
    file="cluster/queues one.yaml",
    line=12,
    column=10,
    path="$.spec.guarantee.resource.cpu",
    object="Queue a,b",
    help="Raise deserved.",
    excerpt=excerpt_of("    cpu: 10 # <b>", 10),
    evidence=[
        EvidenceResult(text="deserves 8 cpu", file="cluster/queues one.yaml", line=8, column=4, path="$.spec.deserved"),
        EvidenceResult(text="the cluster has 40 cpu"),
        EvidenceResult(text="as in the other", file="other.yaml", line=3, column=1),
    ],
    fingerprint="f1",
)
SECOND = FindingResult(
    code="parent-missing",
    severity="warning",
    message="the parent of queue b does not exist: [red]",
    file="cluster/queues one.yaml",
    line=20,
    column=11,
    object="Queue b",
    help="Create it.",
    excerpt=excerpt_of("  parent: [red]", 11),
    fingerprint="f2",
)
SILENT = FindingResult(
    code="parent-missing",
    severity="error",
    message="the parent of queue c does not exist: d",
    file="other.yaml",
    line=2,
    column=3,
    object="Queue c",
    fingerprint="f3",
    silenced=SilenceResult(reason="comes <later>", file="other.yaml", line=2),
)
NOWHERE = FindingResult(code="made-up", severity="note", message="something \x1b[31m is odd", fingerprint="f4")

CODE_CLIMATE = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^[^./<]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""What GitLab asks of a code quality report, as its documentation says."""


def result_of(*findings: FindingResult) -> Lint:
    """Return a result with some findings."""
    loud = [each.severity for each in findings if not each.silenced]
    summary = LintSummary(
        errors=loud.count("error"),
        warnings=loud.count("warning"),
        notes=loud.count("note"),
        files=len({each.file for each in findings if each.file and not each.silenced}),
        silenced=len(findings) - len(loud),
    )
    return Lint(
        volcano="1.14",
        configuration="built-in",
        files=["cluster/queues one.yaml", "other.yaml", "clean.yaml"],
        fail_on="error",
        failed="error" in loud,
        summary=summary,
        findings=list(findings),
        notes=["7 rules were left out, as there are errors in the input"],
    )


RESULT = result_of(FIRST, SECOND, SILENT, NOWHERE)
NOTHING = result_of()


def written(chosen: Format, result: Lint = RESULT, view: View | None = None) -> str:
    """Write a result."""
    return write(result, chosen, view or View())


def everything(tmp_path: Path) -> Lint:
    """Return a result of an input with faults of several kinds."""
    text = """\
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: "a b"}
spec:
  weight: -1
  parent: "nowhere" # vqs: ignore[parent-missing] comes later
  capability: {cpu: "4x"}
  deserved: {cpu: 4}
  guarantee: {resource: {cpu: 8}}
"""
    file = tmp_path / "queue ä.yaml"
    file.write_text(text, encoding="utf-8")
    return lint(read_leniently([str(file)]), LintOptions())


@pytest.mark.parametrize("chosen", formats_of("Lint"))
def test_every_format_writes_findings(chosen: Format) -> None:
    """Each format has a reporter, whose text ends with a newline and is the same every time."""
    assert written(chosen).endswith("\n")
    assert written(chosen) == written(chosen)
    assert "\x1b" not in written(chosen)


# --- formats of programs ----------------------------------------------------------------------------------------------


def test_json_keeps_to_its_schema(tmp_path: Path) -> None:
    """The document is what its schema says."""
    validator = jsonschema.Draft202012Validator(schema.result("lint"))
    for result in (RESULT, NOTHING, everything(tmp_path)):
        document = json.loads(written(Format.JSON, result))
        validator.validate(document)
        assert document["schema"] == "vqs/lint/v2"
        assert len(document["findings"]) == len(result.findings)


def sarif(result: Lint = RESULT) -> dict[str, Any]:
    """Return the run in a SARIF log, which has to keep to the standard's schema."""
    text = written(Format.SARIF, result)
    Sarif.model_validate_json(text)
    [run] = json.loads(text)["runs"]
    assert isinstance(run, dict)
    return run


def test_sarif_results() -> None:
    """Each finding is a result with its rule, level, place, and what belongs to it."""
    run = sarif()
    first, second, silent, nowhere = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [each["ruleId"] for each in run["results"]]
    assert [each["level"] for each in run["results"]] == ["error", "warning", "error", "note"]
    assert first["message"]["text"].endswith("the cluster has 40 cpu")
    [location] = first["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "cluster/queues%20one.yaml"
    assert location["physicalLocation"]["region"] == {"startLine": 12, "startColumn": 10}
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Queue a,b"}]
    assert [each["message"]["text"] for each in first["relatedLocations"]] == ["deserves 8 cpu", "as in the other"]
    assert second["partialFingerprints"] == {"vqs/v1": "f2"}
    assert silent["suppressions"] == [{"kind": "inSource", "justification": "comes <later>"}]
    assert first["suppressions"] == second["suppressions"] == []
    assert nowhere["locations"] == []


def test_sarif_without_silence() -> None:
    """Where nothing is silenced, nothing is said of it."""
    assert all("suppressions" not in each for each in sarif(result_of(FIRST, SECOND))["results"])


def test_sarif_of_real_input(tmp_path: Path) -> None:
    """What is found in files makes a valid log, whatever their names."""
    run = sarif(everything(tmp_path))
    assert {"invalid-weight", "parent-missing"} <= {each["ruleId"] for each in run["results"]}
    uris = {each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in run["results"]}
    assert all(uri.startswith("file:///") and uri.endswith("queue%20%C3%A4.yaml") for uri in uris)


def test_sarif_of_nothing() -> None:
    """A log without results says that all is well."""
    run = sarif(NOTHING)
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"]


def test_sarif_of_every_rule() -> None:
    """Every rule can be described."""
    findings = [FindingResult(code=code, severity="note", message="m", fingerprint=code) for code in RULES]
    assert len(sarif(result_of(*findings))["tool"]["driver"]["rules"]) == len(RULES)


def test_github() -> None:
    """Findings that nobody silenced are commands, one in a line, with what GitHub reads as syntax escaped.

    The last one counts those that somebody did.
    """
    first, second, nowhere, silenced = written(Format.GITHUB).splitlines()
    assert first == (
        "::error file=cluster/queues one.yaml,line=12,col=10,title=guarantee-above-deserved"
        "::queue a,b: guarantees 10 cpu, 100%25 of what\\nit may%0Adeserves 8 cpu%0Athe cluster has 40 cpu"
        "%0Aas in the other%0ARaise deserved."
    )
    assert second.startswith("::warning file=cluster/queues one.yaml,line=20,col=11,title=parent-missing::")
    assert nowhere == "::notice title=made-up::something \\x1b[31m is odd"
    assert silenced.startswith("::notice ")
    assert ",title=silenced::1 finding is silenced: " in silenced
    assert written(Format.GITHUB, NOTHING) == ""


def test_github_escapes_properties() -> None:
    """A name of a file may have colons and commas in it; standard input has no name at all."""
    odd = FindingResult(code="c", severity="note", message="m", file="a,b:c.yaml", line=1, fingerprint="f")
    assert written(Format.GITHUB, result_of(odd)) == "::notice file=a%2Cb%3Ac.yaml,line=1,title=c::m\n"
    odd.file = "<stdin>"
    assert written(Format.GITHUB, result_of(odd)) == "::notice title=c::m\n"


def test_gitlab() -> None:
    """Findings that nobody silenced are issues with what GitLab asks for, and so is how many somebody did.

    Each has a path.
    """
    report = json.loads(written(Format.GITLAB))
    jsonschema.Draft202012Validator(CODE_CLIMATE).validate(report)
    assert [(each["severity"], each["check_name"]) for each in report] == [
        ("major", "guarantee-above-deserved"),
        ("minor", "parent-missing"),
        ("info", "made-up"),
        ("info", "silenced"),
    ]
    assert report[2]["location"] == {"path": "cluster/queues one.yaml", "lines": {"begin": 1}}
    assert json.loads(written(Format.GITLAB, NOTHING)) == []


def junit(result: Lint) -> dict[str, list[tuple[str, str]]]:
    """Return the cases by suite, each with its name and what came of it, as a reader of such files sees them."""
    read = JUnitXml.fromroot(JUnitXml.fromstring(written(Format.JUNIT, result).encode())._elem)
    return {
        suite.name: [(case.name, type(case.result[0]).__name__ if case.result else "") for case in suite]
        for suite in read
    }


def test_junit() -> None:
    """Each file is a suite; what makes the whole fail is a failure, what is silenced is skipped, the rest passes."""
    assert junit(RESULT) == {
        "cluster/queues one.yaml": [
            ("guarantee-above-deserved Queue a,b", "Failure"),
            ("parent-missing Queue b", ""),
        ],
        "other.yaml": [("parent-missing Queue c", "Skipped")],
        "clean.yaml": [("clean.yaml", "")],
        "vqs lint": [("made-up", "")],
    }
    assert 'tests="5" failures="1" errors="0"' in written(Format.JUNIT).splitlines()[1]


def test_names_relative_to_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files below the working directory are named as seen from it."""
    monkeypatch.chdir(tmp_path)
    names = ["./a/../b.yaml", f"{tmp_path}/c/d.yaml", "../e.yaml", "/etc/f.yaml", "<stdin>", ""]
    assert [relative(name) for name in names] == ["b.yaml", "c/d.yaml", "../e.yaml", "/etc/f.yaml", "<stdin>", ""]


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_names_in_a_pipeline(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a pipeline, they are named as seen from the root of the repository, wherever the command is run."""
    (tmp_path / "repo" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "repo" / "sub")
    monkeypatch.setenv(variable, str(tmp_path / "repo"))
    names = ["a.yaml", "../queues/b.yaml", "../../c.yaml", "<stdin>"]
    assert [relative(name) for name in names] == ["sub/a.yaml", "queues/b.yaml", "../../c.yaml", "<stdin>"]


# --- formats of people ------------------------------------------------------------------------------------------------


def test_the_table_in_a_pipe() -> None:
    """Each finding has a line that stands by itself, then the place, evidence, and what to do; the last line counts."""
    lines = written(Format.TABLE).splitlines()
    assert lines[0] == (
        "cluster/queues one.yaml:12:10: error: guarantee-above-deserved: "
        "queue a,b: guarantees 10 cpu, 100% of what\\nit may"
    )
    assert lines[1:7] == [
        "        cpu: 10 # <b>",
        "             ^",
        "    - deserves 8 cpu (line 8)",
        "    - the cluster has 40 cpu",
        "    - and 1 more with -v",
        "    → Raise deserved.",
    ]
    assert lines[-1] == (
        "1 error, 1 warning, 1 note in 1 of 3 files; 1 silenced. vqs rule guarantee-above-deserved explains"
    )
    assert not any("queue c" in line for line in lines)


def test_the_table_with_everything() -> None:
    """All evidence is there, and what is silenced with its reason."""
    text = written(Format.TABLE, view=View(detail=Detail.EVERYTHING))
    assert "    - as in the other (other.yaml:3:1)\n" in text
    assert "    - silenced: comes <later>\n" in text


def test_the_table_on_a_terminal() -> None:
    """It is as wide as the terminal, file by file; colours repeat what a word says."""
    lines = written(Format.TABLE, view=View(width=60)).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0] == "cluster/queues one.yaml"
    assert lines[1].startswith("12:10 error guarantee-above-deserved: ")
    assert "\x1b[1;31merror" in written(Format.TABLE, view=View(width=60, color=True))


@pytest.mark.parametrize("at", [1, 20, 44, 91, 120])
def test_a_long_line_shows_the_place(at: int) -> None:
    """Of a line that is too long for the terminal, the part around the caret is shown."""
    text = "".join(chr(ord("a") + number % 26) for number in range(120))
    excerpt = excerpt_of(text, at)
    finding = FindingResult(code="c", severity="note", message="m", line=1, excerpt=excerpt, fingerprint="f")
    line, mark = written(Format.TABLE, result_of(finding), View(width=50)).splitlines()[2:4]
    assert len(line) <= 50
    assert line[mark.index("^")] == text[at - 1]
    assert line.endswith("...") is (at < 118)
    assert line.strip().startswith("...") is (at > 43)


def test_the_table_of_nothing() -> None:
    """It says so, and where nothing was found."""
    assert written(Format.TABLE, NOTHING).splitlines()[-1] == "no findings in 3 files"
    assert written(Format.TABLE, NOTHING, View(detail=Detail.SUMMARY)) == "no findings in 3 files\n"


def test_the_table_of_very_much() -> None:
    """Of many findings the first lines are shown, what to do once, and on a terminal the first of each code."""
    many = [
        FindingResult(
            code="made-up",
            severity="note",
            message=f"number {number}",
            file="a.yaml",
            line=number + 1,
            help="Count.",
            excerpt="x\n^",
            fingerprint=str(number),
        )
        for number in range(60)
    ]
    piped = written(Format.TABLE, result_of(*many, FIRST)).splitlines()
    assert sum("number" in line for line in piped) == 60
    assert piped.count("    → Count.") == 1
    assert "60 made-up, 1 guarantee-above-deserved" in piped
    shown = written(Format.TABLE, result_of(*many, FIRST), View(width=80)).splitlines()
    assert sum("number" in line for line in shown) == 10
    assert "… and more, shown with -v or in a pipe: 50 made-up" in shown
    full = written(Format.TABLE, result_of(*many), View(width=80, detail=Detail.EVERYTHING)).splitlines()
    assert sum("number" in line for line in full) == 60


def test_markdown() -> None:
    """The sentence comes first, then a table for each severity, in which nothing acts as markup."""
    lines = written(Format.MARKDOWN).splitlines()
    assert lines[0] == "**1 error, 1 warning, 1 note in 1 of 3 files; 1 silenced**"
    assert [line for line in lines if line.startswith("#")] == ["### Errors", "### Warnings", "### Notes"]
    [second] = [line for line in lines if "`parent-missing`" in line]
    assert second.startswith("| `cluster/queues one.yaml:20:11` |")
    assert "`[red]`" in second
    assert "### Silenced" in written(Format.MARKDOWN, view=View(detail=Detail.EVERYTHING))
    assert written(Format.MARKDOWN, view=View(detail=Detail.SUMMARY)) == f"{lines[0]}\n"


def test_who_says_no_is_told() -> None:
    """Every format tells who would not let the object in."""
    text = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\nspec: {weight: -1}\n"
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions(codes=frozenset()))
    assert [finding.denied for finding in result.findings] == ["apiserver"]
    for chosen in formats_of("Lint"):
        word = '"denied"' if chosen in (Format.JSON, Format.SARIF) else "denied by the API server"
        assert word in written(chosen, result)
    [told] = sarif(result)["results"]
    assert told["properties"] == {"denied": "apiserver"}


def test_standard_input_can_be_written() -> None:
    """What is piped in has no file, which no format minds."""
    text = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\nspec: {weight: -1}\n"
    result = lint(read_leniently(["-"], stdin=io.BytesIO(text.encode())), LintOptions())
    for chosen in formats_of("Lint"):
        assert "invalid-weight" in written(chosen, result)
    sarif(result)


def test_sarif_has_no_links_of_strangers() -> None:
    """Code scanning makes links of ``[text](address)`` in a message; of a name it does not."""
    finding = FindingResult(
        code="made-up", severity="note", message="queue [here](https://example.com)", file="a.yaml", fingerprint="f"
    )
    [run] = json.loads(written(Format.SARIF, result_of(finding)))["runs"]
    assert run["results"][0]["message"] == {"text": r"queue [here\](https://example.com)"}


@pytest.mark.parametrize("chosen", [Format.JUNIT, Format.SARIF])
def test_the_label_of_a_pod_group(chosen: Format) -> None:
    """A PodGroup whose name has a uid has the name of its job beside it."""
    finding = replace(FIRST, object="PodGroup ml/web-5f3a", display_name="ml/web")
    assert "PodGroup ml/web-5f3a (ml/web)" in write(result_of(finding), chosen, View())


def test_what_was_looked_at_is_counted() -> None:
    """Where nothing is wrong, the summary says with what; where there is nothing to look at, it does not say that."""
    looked_at = replace(NOTHING, objects={"Node": 2, "Queue": 1})
    assert written(Format.TABLE, looked_at).splitlines()[-1] == "no findings in 3 files, with 2 Nodes, 1 Queue"
    assert written(Format.TABLE, replace(NOTHING, objects={})).splitlines()[-1] == "nothing was looked at in 3 files"
