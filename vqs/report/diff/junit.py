"""A difference in JUnit's XML: a test case for each condition, or for each expectation."""

from __future__ import annotations

from typing import Final
from xml.etree import ElementTree as ET

from vqs.diff.outcome import Diff
from vqs.report.annotations.junit import document
from vqs.report.diff.cases import cases
from vqs.report.diff.phrases import sentence
from vqs.report.formats import View
from vqs.report.visible import visible

_DIFF: Final = "vqs diff-configs"


def write(result: Diff, _view: View, /) -> str:
    """Write conditions, or else expectations, as test cases; what differs stands in the output."""
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
    return document(root)
