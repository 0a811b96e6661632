"""A code quality report, as GitLab shows it in a merge request.

GitLab tells what is new by the fingerprints. A remark without a place is put on the first line of what was looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vqs.report.annotations.annotation import Remark, Remarks, of_diff, of_lint, of_refusal
from vqs.report.as_json import document

if TYPE_CHECKING:
    from vqs.diff.outcome import Diff
    from vqs.explain.refusal import Refusal
    from vqs.lint.outcome import Lint
    from vqs.report.formats import View

_SEVERITIES: Final = {"error": "major", "warning": "minor", "note": "info"}


def lint(result: Lint, _view: View, /) -> str:
    """Write findings as a code quality report."""
    return code_quality(of_lint(result))


def diff(result: Diff, _view: View, /) -> str:
    """Write a difference as a code quality report."""
    return code_quality(of_diff(result))


def refusal(result: Refusal, _view: View, /) -> str:
    """Write what is wrong with an input as a code quality report."""
    return code_quality(of_refusal(result))


def code_quality(remarks: Remarks) -> str:
    """Write remarks as a code quality report."""
    usual = next(iter(remarks.files), ".")
    return document([_issue(remark, usual) for remark in remarks.told])


def _issue(remark: Remark, usual: str) -> dict[str, Any]:
    return {
        "type": "issue",
        "check_name": remark.code,
        "description": f"{remark.text}. {remark.help}" if remark.help else remark.text,
        "categories": ["Bug Risk"],
        "severity": _SEVERITIES[remark.level],
        "fingerprint": remark.fingerprint,
        "location": {"path": remark.at.file or usual, "lines": {"begin": remark.at.line or 1}},
    }
