"""Sets of CPUs are read and written as the kubelet does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vqs.model.cpu_set import CpuSetError, contains, parse_cpu_set, size, without, write_cpu_set

CPUS = st.sets(st.integers(0, 40))


def listed(cpus: set[int]) -> str:
    """Write CPUs one by one."""
    return ",".join(map(str, sorted(cpus)))


@given(CPUS)
def test_what_is_written_is_what_was_read(cpus: set[int]) -> None:
    """A set is the same however it is written, and has the CPUs that were written."""
    read = parse_cpu_set(listed(cpus))
    assert parse_cpu_set(write_cpu_set(read)) == read
    assert {cpu for cpu in range(42) if contains(read, cpu)} == cpus
    assert size(read) == len(cpus)


@given(CPUS, CPUS)
def test_taking_away(cpus: set[int], taken: set[int]) -> None:
    """What is left are the CPUs that were not taken, in the shortest form."""
    assert without(parse_cpu_set(listed(cpus)), taken) == parse_cpu_set(listed(cpus - taken))


@pytest.mark.parametrize("text", ["a", "1-", "-1", "3-1", "0,,1", "0-3,", "1-2-3", " 1", "9" * 30])
def test_what_is_no_set(text: str) -> None:
    """A text that Go would not read is refused, with what is wrong in it."""
    with pytest.raises(CpuSetError, match=r"CPU|range"):
        parse_cpu_set(text)


def test_a_set_takes_no_room() -> None:
    """A range of more CPUs than fit into memory is read at once."""
    assert size(parse_cpu_set("0-999999999999")) == 10**12
