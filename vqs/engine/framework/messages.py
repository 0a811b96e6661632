"""Messages by the uid of the job that they are about, written when they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping


class Messages(MutableMapping[str, str]):
    """A mapping whose texts may be given as functions: of thousands of jobs that wait, the message of few is read."""

    def __init__(self) -> None:
        self._texts: dict[str, str | Callable[[], str]] = {}

    def write_later(self, uid: str, write: Callable[[], str]) -> None:
        """Have a message written once it is read; what it depends on must not change until then."""
        self._texts[uid] = write

    def __getitem__(self, uid: str) -> str:
        text = self._texts[uid]
        if not isinstance(text, str):
            text = self._texts[uid] = text()
        return text

    def __setitem__(self, uid: str, text: str) -> None:
        self._texts[uid] = text

    def __delitem__(self, uid: str) -> None:
        del self._texts[uid]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __contains__(self, uid: object) -> bool:
        return uid in self._texts
