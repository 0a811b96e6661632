"""A code quality report, as GitLab shows it in a merge request.

GitLab recognizes what is new by the fingerprints. An annotation without a place is put on line 1 of the first file.
"""

from __future__ import annotations

from typing import Any, Final

from vqs.report.annotations.annotation import Annotation, AnnotationSet
from vqs.report.as_json import document
from vqs.report.formats import View

_SEVERITIES: Final = {"error": "major", "warning": "minor", "note": "info"}


def write(found: AnnotationSet, _view: View, /) -> str:
    """Write annotations as a code quality report."""
    usual = next(iter(found.files), ".")
    return document([_issue(annotation, usual) for annotation in found.active])


def _issue(annotation: Annotation, usual: str) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": annotation.code,
        "description": f"{annotation.text}. {annotation.help}" if annotation.help else annotation.text,
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[annotation.level],
        "fingerprint": annotation.fingerprint,
        "location": {"path": annotation.at.file or usual, "lines": {"begin": annotation.at.line or 1}},
    }
