"""The gallery of pages in HTML."""

from __future__ import annotations

from pathlib import Path

from tests.pages import PAGES, WIDTHS, picture_of
from vqs.report.formats import Format
from vqs.report.registry import WRITERS

DOCS = Path(__file__).parents[2] / "docs"
MOST_BYTES = 3_000_000


def test_every_kind_of_page_is_in_the_gallery() -> None:
    """A result that can be written in HTML is shown."""
    assert {each.kind for each in PAGES.values()} == {kind for kind, of in WRITERS.items() if Format.HTML in of}


def test_each_page_has_a_picture_of_each_width() -> None:
    """There are these pictures and no others, they are WebP, and together they are small."""
    wanted = {DOCS / picture_of(name, width) for name in PAGES for width in WIDTHS}
    assert {*(DOCS / "gallery").iterdir()} == wanted
    taken = [path.read_bytes() for path in sorted(wanted)]
    assert {(each[:4], each[8:12]) for each in taken} == {(b"RIFF", b"WEBP")}
    assert sum(map(len, taken)) < MOST_BYTES
