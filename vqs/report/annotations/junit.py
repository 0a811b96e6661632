"""JUnit's XML, which most build servers show.

Of findings, there is a suite for each file, and in it a case for each finding: what makes the whole fail is a failure,
what was silenced is skipped, and anything else passes and tells in its output. A file about which there is nothing to
say has one case, which passes. Of a difference, there is a case for each condition, or for each expectation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from vqs import inert
from vqs.report.annotations.annotation import Remark, Remarks, of_lint, of_refusal
from vqs.report.diff.cases import cases
from vqs.report.diff.phrases import sentence
from vqs.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vqs.diff.outcome import Diff
    from vqs.explain.refusal import Refusal
    from vqs.lint.outcome import Lint
    from vqs.report.formats import View

_DIFF: Final = "vqs diff-configs"


def lint(result: Lint, _view: View, /) -> str:
    """Write findings as test cases."""
    return test_suites(of_lint(result))


def diff(result: Diff, _view: View, /) -> str:
    """Write conditions, or else expectations, as test cases; what differs is told in the output."""
    tested = [*cases(result)]
    failed = sum(bool(case.faults) for case in tested)
    totals = {"tests": str(len(tested)), "failures": str(failed), "errors": "0"}
    root = ET.Element("testsuites", {"name": _DIFF, **totals})
    suite = ET.SubElement(root, "testsuite", {"name": _DIFF, **totals, "skipped": "0"})
    for name, faults in tested:
        case = ET.SubElement(suite, "testcase", {"name": visible(name), "classname": _DIFF})
        if faults:
            failure = ET.SubElement(case, "failure", {"message": visible(faults[0]), "type": "diff-condition"})
            failure.text = "\n".join(map(visible, faults))
    ET.SubElement(suite, "system-out").text = visible(sentence(result))
    return _document(root)


def refusal(result: Refusal, _view: View, /) -> str:
    """Write what is wrong with an input as a test case that could not be run, for each error."""
    remarks = of_refusal(result)
    by_file: dict[str, list[Remark]] = {}
    for remark in remarks.remarks:
        if remark.fails:
            by_file.setdefault(remark.at.file or remarks.tool, []).append(remark)
    root = ET.Element("testsuites", {"name": remarks.tool, **_refused(sum(map(len, by_file.values())))})
    for file, errors in by_file.items():
        suite = ET.SubElement(root, "testsuite", {"name": visible(file), **_refused(len(errors))})
        suite.extend(_error(remarks.tool, file, remark) for remark in errors)
    return _document(root)


def test_suites(remarks: Remarks) -> str:
    """Write remarks as test cases."""
    by_file: dict[str, list[Remark]] = {file: [] for file in remarks.files}
    for remark in remarks.remarks:
        by_file.setdefault(remark.at.file or remarks.tool, []).append(remark)
    root = ET.Element("testsuites", {"name": remarks.tool, **_totals(by_file), **_skipped(remarks.remarks)})
    for file, each in by_file.items():
        root.append(_suite(remarks.tool, file, each))
    return _document(root)


def _document(root: ET.Element) -> str:
    ET.indent(root)
    return inert.markup(f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n')


def _totals(by_file: Mapping[str, Sequence[Remark]]) -> dict[str, str]:
    return {
        "tests": str(sum(max(len(remarks), 1) for remarks in by_file.values())),
        "failures": str(sum(remark.fails for remarks in by_file.values() for remark in remarks)),
        "errors": "0",
    }


def _skipped(remarks: Sequence[Remark]) -> dict[str, str]:
    skipped = sum(remark.silenced is not None for remark in remarks)
    return {"skipped": str(skipped)} if skipped else {}


def _suite(tool: str, file: str, remarks: Sequence[Remark]) -> ET.Element:
    skipped = sum(remark.silenced is not None for remark in remarks)
    suite = ET.Element("testsuite", {"name": visible(file), **_totals({file: remarks}), "skipped": str(skipped)})
    for remark in remarks:
        suite.append(_case(tool, file, remark))
    if not remarks:
        ET.SubElement(suite, "testcase", {"name": visible(file), "classname": tool})
    return suite


def _case(tool: str, file: str, remark: Remark) -> ET.Element:
    place = f":{remark.at.line}" if remark.at.line else ""
    name = " ".join(part for part in (remark.code, remark.about) if part)
    case = ET.Element("testcase", {"name": visible(name), "classname": tool})
    told = _told(remark, f"{file}{place}")
    if remark.silenced is not None:
        ET.SubElement(case, "skipped", {"message": visible(remark.silenced)})
    elif remark.fails:
        failure = ET.SubElement(case, "failure", {"message": visible(remark.text), "type": remark.code})
        failure.text = told
    else:
        ET.SubElement(case, "system-out").text = told
    return case


def _error(tool: str, file: str, remark: Remark) -> ET.Element:
    """Return a case of its own for an error: two of a name are one to some build servers."""
    place = ":".join(str(part) for part in (file, remark.at.line, remark.at.column) if part)
    case = ET.Element("testcase", {"name": visible(f"{remark.code} {place}"), "classname": tool})
    error = ET.SubElement(case, "error", {"message": visible(remark.text), "type": visible(remark.code)})
    error.text = _told(remark, place)
    return case


def _refused(errors: int) -> dict[str, str]:
    return {"tests": str(errors), "failures": "0", "errors": str(errors)}


def _told(remark: Remark, place: str) -> str:
    lines = [f"{place}: {remark.level}: {remark.text}", *remark.excerpt.splitlines()]
    lines += [related.text for related in remark.related]
    return "\n".join(visible(line) for line in [*lines, remark.help] if line)
