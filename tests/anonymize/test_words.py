"""Names are taken apart into words, and put together again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from vqs.anonymize.fakes import assign
from vqs.anonymize.key import Key
from vqs.anonymize.words import RUN, Collector, Renamer, Vocabulary

PARTS = st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True)
NAMES = st.lists(PARTS, min_size=1, max_size=4).map("-".join).filter(lambda name: RUN.search(name) is None)
UUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


def renamed(*texts: str, made: tuple[str, ...] = ()) -> tuple[Renamer, Key]:
    """Return what renames some texts and those that are made of them, and the key."""
    vocabulary = Vocabulary()
    collector = Collector(vocabulary)
    for text in texts:
        collector.name(text)
    for text in made:
        collector.made_name(text)
    fakes = assign(vocabulary.words, vocabulary.sorted_among, {})
    return Renamer(fakes, vocabulary), Key(fakes)


@settings(max_examples=examples(40))
@given(st.lists(NAMES, min_size=1, max_size=6))
def test_names_sort_as_before(names: list[str]) -> None:
    """Whatever names are compared, the fake ones compare alike; addresses are in an order of their own."""
    renamer, _ = renamed(*names)
    fakes = [renamer.name(name) for name in sorted(set(names))]
    assert fakes == sorted(set(fakes))


@settings(max_examples=examples(40))
@given(PARTS, PARTS, st.integers(0, 200))
def test_what_is_put_together_of_names_is_so_of_fake_ones(job: str, task: str, index: int) -> None:
    """The pods of a Job are called after it, its task and their index, before and after."""
    pod = f"{job}-{task}-{index}"
    renamer, _ = renamed(job, task, made=(pod,))
    assert renamer.made_name(pod) == f"{renamer.name(job)}-{renamer.name(task)}-{index}"


@settings(max_examples=examples(40))
@given(st.lists(st.text(max_size=20), max_size=5))
def test_a_text_can_be_revealed(texts: list[str]) -> None:
    """The key leads back from every text, whatever is in it."""
    renamer, key = renamed(*texts)
    assert [key.reveal(renamer.name(text)) for text in texts] == texts


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("default", "default"),
        ("kube-system", "kube-system"),
        ("root/eng", "root/{eng}"),
        ("node-17", "{node}-17"),
        ("kube-flannel", "kube-{flannel}"),
        ("train-123456", "{train}-{123456}"),
        ("ip-10-0-12-34.eu-west-1.compute.internal", "{ip}-{10-0-12-34}.{eu}-{west}-1.{compute}.{internal}"),
        ("backup-2026-01-31", "{backup}-{2026-01-31}"),
        (f"train-{UUID}", f"{{train}}-{{{UUID}}}"),
        ("registry.acme.com/a/b:v1.2", "{registry}.{acme}.{com}/{a}/{b}:{v1}.2"),
        ("ä_b", "{ä}_{b}"),
    ],
)
def test_words_are_what_tells(name: str, kept: str) -> None:
    """Words, long numbers, addresses, dates and UUIDs are renamed; short numbers and what is well known stay."""
    renamer, key = renamed(name)
    fakes = {f"{{{word}}}": fake for word, fake in key.fakes.items()}
    expected = kept
    for word, fake in fakes.items():
        expected = expected.replace(word, fake)
    assert renamer.name(name) == expected
    assert set(fakes) == {part for part in fakes if part in kept}


def test_an_address_in_a_made_name_is_left_to_be_indices() -> None:
    """What a controller puts together of numbers is not taken for an address, but one that is known is found in it."""
    renamer, _ = renamed("j-1-2", "10-0-0-7", made=("j-1-2-3-4", "proxy-10-0-0-7"))
    assert renamer.made_name("j-1-2-3-4") == f"{renamer.name('j-1-2')}-3-4"
    assert renamer.made_name("proxy-10-0-0-7") == f"{renamer.name('proxy')}-{renamer.name('10-0-0-7')}"
