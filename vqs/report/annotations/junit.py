"""JUnit's XML, which most build servers show.

Of findings, there is a suite for each file, and in it a case for each finding: what makes the whole fail is a failure,
what was silenced is skipped, and anything else passes, with an output. A file without findings has one case, which
passes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

from vqs import inert
from vqs.inert import name as visible
from vqs.report.annotations.annotation import Annotation, AnnotationSet
from vqs.report.formats import View


def write(found: AnnotationSet, _view: View, /) -> str:
    """Write annotations as test cases; those on an input that was refused as cases that could not be run."""
    by_file: dict[str, list[Annotation]] = {} if found.refused else {file: [] for file in found.files}
    for annotation in found.annotations:
        if annotation.fails or not found.refused:
            by_file.setdefault(annotation.at.file or found.tool, []).append(annotation)
    every = [annotation for each in by_file.values() for annotation in each]
    if found.refused:
        root = ET.Element("testsuites", {"name": found.tool, **_refused(len(every))})
        for file, errors in by_file.items():
            suite = ET.SubElement(root, "testsuite", {"name": visible(file), **_refused(len(errors))})
            suite.extend(_error(found.tool, file, annotation) for annotation in errors)
        return document(root)
    skipped = sum(annotation.silenced is not None for annotation in every)
    totals = {**_totals(by_file), **({"skipped": str(skipped)} if skipped else {})}
    root = ET.Element("testsuites", {"name": found.tool, **totals})
    for file, each in by_file.items():
        skipped = sum(annotation.silenced is not None for annotation in each)
        totals = {**_totals({file: each}), "skipped": str(skipped)}
        suite = ET.SubElement(root, "testsuite", {"name": visible(file), **totals})
        for annotation in each:
            place = f":{annotation.at.line}" if annotation.at.line else ""
            name = " ".join(part for part in (annotation.code, annotation.about) if part)
            case = ET.SubElement(suite, "testcase", {"name": visible(name), "classname": found.tool})
            text = _text(annotation, f"{file}{place}")
            if annotation.silenced is not None:
                ET.SubElement(case, "skipped", {"message": visible(annotation.silenced)})
            elif annotation.fails:
                message = {"message": visible(annotation.text), "type": annotation.code}
                ET.SubElement(case, "failure", message).text = text
            else:
                ET.SubElement(case, "system-out").text = text
        if not each:
            ET.SubElement(suite, "testcase", {"name": visible(file), "classname": found.tool})
    return document(root)


def document(root: ET.Element) -> str:
    """Write XML, a line for each element."""
    ET.indent(root)
    return inert.markup(f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n')


def _totals(by_file: Mapping[str, Sequence[Annotation]]) -> dict[str, str]:
    return {
        "tests": str(sum(max(len(annotations), 1) for annotations in by_file.values())),
        "failures": str(sum(annotation.fails for annotations in by_file.values() for annotation in annotations)),
        "errors": "0",
    }


def _error(tool: str, file: str, annotation: Annotation) -> ET.Element:
    """Return a case of its own for an error: two of a name are one to some build servers."""
    place = ":".join(str(part) for part in (file, annotation.at.line, annotation.at.column) if part)
    case = ET.Element("testcase", {"name": visible(f"{annotation.code} {place}"), "classname": tool})
    error = ET.SubElement(case, "error", {"message": visible(annotation.text), "type": visible(annotation.code)})
    error.text = _text(annotation, place)
    return case


def _refused(errors: int) -> dict[str, str]:
    return {"tests": str(errors), "failures": "0", "errors": str(errors)}


def _text(annotation: Annotation, place: str) -> str:
    lines = [f"{place}: {annotation.level}: {annotation.text}", *annotation.excerpt.splitlines()]
    lines += [related.text for related in annotation.related]
    return "\n".join(visible(line) for line in [*lines, annotation.help] if line)
