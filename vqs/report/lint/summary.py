"""What was found in a sentence, and how a place is written."""

from __future__ import annotations

from collections import Counter

from vqs.lint.outcome import EvidenceResult, FindingResult, Lint
from vqs.model.wording import count

_MANY = 20
_DENIERS = {"apiserver": "the API server", "webhook": "Volcano's webhook"}


def lint_sentence(result: Lint) -> str:
    """Count what was found: the most important line of a report."""
    summary = result.summary
    counts = {"error": summary.errors, "warning": summary.warnings, "note": summary.notes}
    parts = [count(number, noun) for noun, number in counts.items() if number]
    files = count(len(result.files), "file")
    places = f" in {files}" if summary.files >= len(result.files) else f" in {summary.files:,} of {files}"
    found = ", ".join(parts) + (places if summary.files else "") if parts else f"nothing found in {files}"
    silenced = [f"{summary.silenced:,} silenced"] if summary.silenced else []
    unseen = len(result.left_out) if not summary.errors else 0  # where there are errors, a note says so
    left_out = [f"{count(unseen, 'rule')} left out"] if unseen else []
    return "; ".join([found, *silenced, *left_out])


def by_code(result: Lint) -> str:
    """Count the findings of each code, the most frequent first; empty where there are few."""
    codes = Counter(finding.code for finding in result.findings if finding.silenced is None)
    if codes.total() < _MANY:
        return ""
    return ", ".join(
        f"{number:,} {code}" for code, number in sorted(codes.items(), key=lambda item: (-item[1], item[0]))
    )


def worst_code(result: Lint) -> str:
    """Return the code of the first of the worst findings; empty where there is none."""
    active = [finding for finding in result.findings if finding.silenced is None]
    return next(
        (each.code for severity in ("error", "warning", "note") for each in active if each.severity == severity), ""
    )


def with_denier(message: str, denied: str | None) -> str:
    """Add to a message who denies the object.

    >>> with_denier("a container of pod ns/a has no image", "apiserver")
    'a container of pod ns/a has no image (denied by the API server)'
    """
    return f"{message} (denied by {_DENIERS[denied]})" if denied else message


def place_of(place: FindingResult | EvidenceResult) -> str:
    """Write the file, the line and the column, as far as there are any."""
    return ":".join(str(part) for part in (place.file, place.line, place.column) if part)
