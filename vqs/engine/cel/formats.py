"""Named formats of texts. Reference: k8s.io/apiserver/pkg/cel/library/format.go (v0.34)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from vqs.engine.cel.urls import is_url
from vqs.engine.cel.values import NamedFormat
from vqs.snapshot.apiserver.validation import names

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})", re.ASCII)
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME: Final = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})", re.ASCII)
_DNS_1035: Final = re.compile(r"[a-z](?:[-a-z0-9]*[a-z0-9])?", re.ASCII)
_LONGEST_LABEL: Final = 63
_DATE_TIME_PATTERN: Final = 79
"""The length of Kubernetes' pattern for moments, which the cost of a comparison counts."""


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def _is_date_time(text: str) -> bool:
    day, _, rest = text.lower().partition("t")
    found = _TIME.fullmatch(rest.partition("t")[0])
    return _is_date(day) and found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def _dns_1035_label(text: str) -> str:
    if len(text) > _LONGEST_LABEL:
        return f"must be no more than {_LONGEST_LABEL} characters"
    return "" if _DNS_1035.fullmatch(text) else "is no DNS-1035 label"


def _prefix_of(judge: Callable[[str], str]) -> Callable[[str], str]:
    """Judge what a name begins with: it may end with a dash."""
    return lambda text: judge(f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text)


def _judge(holds: Callable[[str], object], fault: str) -> Callable[[str], str]:
    return lambda text: "" if holds(text) else fault


_FORMATS: Final[Mapping[str, tuple[Callable[[str], str], int]]] = {
    "dns1123Label": (names.label, 30),
    "dns1123Subdomain": (names.subdomain, 60),
    "dns1035Label": (_dns_1035_label, 30),
    "qualifiedName": (names.qualified_name, 60),
    "dns1123LabelPrefix": (_prefix_of(names.label), 30),
    "dns1123SubdomainPrefix": (_prefix_of(names.subdomain), 60),
    "dns1035LabelPrefix": (_prefix_of(_dns_1035_label), 30),
    "labelValue": (names.label_value, 40),
    "uri": (_judge(is_url, "invalid URI for request"), 1103),
    "uuid": (_judge(_UUID.fullmatch, "does not match the UUID format"), 78),
    "byte": (_judge(_BASE64.fullmatch, "invalid base64"), 84),
    "date": (_judge(_is_date, "invalid date"), _DATE_TIME_PATTERN),
    "datetime": (_judge(_is_date_time, "invalid datetime"), _DATE_TIME_PATTERN),
}
"""The formats by name: what is wrong with a text, and how long Kubernetes takes the pattern of the format to be."""

NAMES: Final = tuple(_FORMATS)


def named(name: str) -> NamedFormat | None:
    """Return the format of a name, if there is one."""
    return NamedFormat(name) if name in _FORMATS else None


def faults(given: NamedFormat, text: str) -> list[str]:
    """Return what is wrong with a text; the words are those of vqs."""
    fault = _FORMATS[given.name][0](text)
    return [fault] if fault else []


def size_of_pattern(given: NamedFormat) -> int:
    """Return how long the pattern of a format counts as."""
    return _FORMATS[given.name][1]
