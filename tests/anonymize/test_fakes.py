"""Fake words sort as the words do that they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties import examples
from vqs.anonymize.fakes import NoRoomError, assign

WORDS = st.sets(st.from_regex(r"[0-9A-Za-z]{1,8}", fullmatch=True).filter(lambda word: not word.isdigit()), max_size=12)
NUMBERS = st.sets(st.integers(0, 9999).map(str), max_size=8)


def in_order(fakes: dict[str, str], fixed: set[str]) -> bool:
    """Tell whether fakes, and words that stay, sort as the originals do, all different."""
    everything = {**{word: word for word in fixed}, **fakes}
    ordered = [fake for _, fake in sorted(everything.items())]
    return ordered == sorted(set(ordered)) and len(ordered) == len(everything)


@settings(max_examples=examples(40))
@given(WORDS, NUMBERS)
def test_fakes_sort_as_the_words_do(words: set[str], numbers: set[str]) -> None:
    """Each word has a fake of its own, between the words that stay on either side of it."""
    fixed = {*numbers, "default", "kube", "root"}
    fakes = assign(words - fixed, fixed, {})
    assert fakes.keys() == words - fixed
    assert in_order(fakes, fixed)


@settings(max_examples=examples(40))
@given(WORDS, WORDS, NUMBERS)
def test_a_key_is_extended_in_order(first: set[str], second: set[str], numbers: set[str]) -> None:
    """Words that come later get fakes among those that are known, which stay."""
    fixed = {*numbers, "default"}
    known = assign(first - fixed, fixed, {})
    fakes = assign(second - fixed, fixed, known)
    assert known.items() <= fakes.items()
    assert in_order(fakes, fixed)


@settings(max_examples=examples(40))
@given(WORDS)
def test_no_fake_has_a_word_in_it(words: set[str]) -> None:
    """A word of three letters or more is nowhere in a fake, not even as a part of it."""
    fakes = assign(words, (), {})
    assert [fake for fake in fakes.values() for word in words if len(word) > 2 and word in fake] == []


@settings(max_examples=examples(40))
@given(st.sets(st.tuples(*[st.integers(0, 255)] * 4).map(lambda parts: ".".join(map(str, parts))), max_size=10))
def test_addresses_sort_among_each_other(addresses: set[str]) -> None:
    """Addresses get fakes in their order, and none that a word could get, however many numbers stay."""
    fakes = assign({*addresses, "node", "zone"}, {*map(str, range(256)), "default"}, {})
    runs = {address: fakes[address] for address in addresses}
    assert in_order(runs, set())
    assert len(set(fakes.values())) == len(fakes)


def test_words_that_look_like_fakes_do_not_hold_up() -> None:
    """Where most syllables between two numbers would repeat a word, there are fakes all the same, and at once."""
    words = [f"897{letter}" for letter in "bdfghjklmnprstvwxz"]
    fakes = assign(words, ["897", "898"], {})
    assert in_order(fakes, {"897", "898"})


def test_the_same_words_get_the_same_fakes() -> None:
    """There is no chance in it: neither the order of the words nor the run of the program matters."""
    words = ["train", "eval", "gpu", "research"]
    assert assign(words, {"default"}, {}) == assign(words[::-1], {"default"}, {})
    assert assign(["train"], {"default"}, {}) == {"train": "noq"}


def test_a_key_without_room_is_said_to_be_full() -> None:
    """Between neighbours that leave nothing between them, there is no fake."""
    with pytest.raises(NoRoomError):
        assign(["b"], (), {"a": "baq", "c": "baq0"})
