"""Lists of a cluster, page by page, so that no more than a page is in memory.

The pages of a list are all of one moment, which the API server remembers for some minutes; after that the list has to
be begun again. A cluster that has answered before is asked again where an answer does not come or breaks off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import msgspec

from vqs.capture.kubectl import AbsentError, ClusterError, ExpiredError, ForbiddenError, UnansweredError

Answer = TypeVar("Answer")

TRIES: Final = 5
"""So often a question is put."""
_VERSION: Final = "/version"


class _Metadata(msgspec.Struct, rename="camel"):
    """What a list says of itself."""

    continue_: str | None = msgspec.field(default=None, name="continue")
    remaining_item_count: int | None = None


class Page(msgspec.Struct):
    """A part of a list, its items undecoded."""

    items: list[msgspec.Raw] | None = None
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)

    @property
    def remaining(self) -> int:
        """How many items come after this page, as far as the API server tells."""
        return self.metadata.remaining_item_count or 0


decode_object: Final = msgspec.json.Decoder(dict[str, Any]).decode
_decode: Final = msgspec.json.Decoder(Page).decode


class Connection:
    """A cluster that is asked for lists, patiently once it is known to be there."""

    def __init__(self, get: Callable[[str], bytes], pause: Callable[[float], None] = time.sleep) -> None:
        """Take what asks the cluster.

        Args:
            get: returns the answer to a path, or raises `ClusterError`.
            pause: waits for a number of seconds before a question is put again.
        """
        self._get = get
        self._pause = pause
        self._is_there = False

    def pages(self, path: str, size: int, **parameters: str) -> Iterator[Page]:
        """Yield the pages of a list.

        Raises:
            ClusterError: there is no such list, or it does not come to its end.
        """
        more: dict[str, str] = {}
        seen: set[str] = set()
        while True:
            page = self._page(f"{path}?{urlencode({'limit': str(size), **parameters, **more})}")
            yield page
            if not page.metadata.continue_:
                return
            if page.metadata.continue_ in seen:
                raise ClusterError("the answer is not from a Kubernetes API server: its list has no end")
            seen.add(page.metadata.continue_)
            more = {"continue": page.metadata.continue_}

    def one(self, path: str) -> dict[str, Any]:
        """An object.

        Raises:
            ClusterError: there is none, or it cannot be read.
        """
        return self._patiently(path, decode_object)

    def _page(self, path: str) -> Page:
        return self._patiently(path, _decode)

    def _patiently(self, path: str, read: Callable[[bytes], Answer]) -> Answer:
        """Ask, and ask again after a while, which doubles each time."""
        for tried in range(TRIES - 1):
            try:
                return self._once(path, read)
            except UnansweredError:
                if not (self._is_there or self._answers()):
                    raise
                self._pause(2**tried)
        return self._once(path, read)

    def _answers(self) -> bool:
        """True if the cluster is there at all, by a question that is cheap to answer."""
        with suppress(ClusterError):  # a refusal is an answer too
            self._once(_VERSION, msgspec.json.decode)
        return self._is_there

    def _once(self, path: str, read: Callable[[bytes], Answer]) -> Answer:
        try:
            answer = read(self._get(path))
        except (AbsentError, ExpiredError, ForbiddenError):
            self._is_there = True
            raise
        except msgspec.ValidationError:
            raise ClusterError(
                "the answer is not from a Kubernetes API server: it is neither a list nor an object"
            ) from None
        except msgspec.DecodeError:
            raise UnansweredError("the cluster's answer is not JSON, or is incomplete") from None
        self._is_there = True
        return answer
