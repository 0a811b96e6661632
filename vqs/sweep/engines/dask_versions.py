"""Which workers of a Dask cluster decide as this process does: those with the same versions of Python and vqs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from distributed.versions import get_versions

PACKAGES: Final = ("vqs",)
"""The packages whose versions decide, beside that of Python."""
_MINOR: Final = re.compile(r"\d+\.\d+")


def refusals(versions: Mapping[str, Any]) -> dict[str, str]:
    """Return why workers cannot run what this process would, by their address.

    Args:
        versions: what `distributed.Client.get_versions` returns for `PACKAGES`.

    >>> ours = {"host": {"python": "3.11.7.final.0"}, "packages": {"vqs": "0.1.0"}}
    >>> theirs = {"host": {"python": "3.12.1.final.0"}, "packages": {"vqs": None}}
    >>> refusals({"client": ours, "workers": {"tcp://10.0.0.4:3000": theirs, "tcp://10.0.0.5:3000": ours}})
    {'tcp://10.0.0.4:3000': 'it has Python 3.12 and no vqs, here it is Python 3.11 and vqs 0.1.0'}
    """
    ours = _in_words(versions["client"])
    theirs = {address: _in_words(each) for address, each in sorted(versions["workers"].items())}
    return {address: f"it has {each}, here it is {ours}" for address, each in theirs.items() if each != ours}


def here() -> str:
    """Return the versions of this process, in words."""
    return _in_words(get_versions(PACKAGES))


def _in_words(versions: Mapping[str, Any]) -> str:
    """Write versions; no decision depends on the last part of Python's."""
    python, vqs = _MINOR.match(versions["host"]["python"]), versions["packages"].get("vqs")
    return f"Python {python[0] if python else '?'} and {f'vqs {vqs}' if vqs else 'no vqs'}"
