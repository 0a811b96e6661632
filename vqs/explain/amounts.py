"""Amounts and spans of time as people write them: 28 cores, 13Gi of memory, 2 GPUs, 3h 12m."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vqs.model.durations import write_seconds
from vqs.model.resource import PODS, is_in_bytes
from vqs.model.units import BYTES, CROWDED, NEGLIGIBLE, SECONDS, UNLIMITED

ABSENT: Final = "-"

_BAR_WIDTH: Final = 10


def amount(resource: str, value: float | None) -> str:
    """Write an amount of a resource; None is an amount without a limit.

    >>> amount("memory", 13 * 2**30), amount("cpu", 0.25), amount("nvidia.com/gpu", 2.0), amount("cpu", None)
    ('13Gi', '0.25', '2', 'unlimited')
    """
    if value is None:
        return UNLIMITED
    return in_bytes(value) if is_in_bytes(resource) else number(value)


def amount_of(resource: str, value: float | None) -> str:
    """Write an amount of a resource, and which resource it is.

    >>> amount_of("cpu", 4.0)
    '4 cpu'
    """
    return f"{amount(resource, value)} {resource}"


def listed(amounts: Mapping[str, float | None], *, nothing: bool = False) -> str:
    """Write amounts in one line; pods, and unless asked for what there is nothing of, are left out.

    >>> listed({"cpu": 4.0, "memory": 0.0, "pods": 3.0})
    'cpu 4'
    """
    return ", ".join(
        f"{name} {amount(name, value)}" for name, value in amounts.items() if (value != 0 or nothing) and name != PODS
    )


def change(before: str, after: str) -> str:
    """Write what something was and has become, or only what it is.

    >>> change("Pending", "Binding"), change("Running", "Running")
    ('Pending → Binding', 'Running')
    """
    return after if before == after else f"{before} → {after}"


def number(value: float) -> str:
    """Write a number with at most two decimals, and none where there are none.

    >>> number(28.0), number(24.285714), number(0.1)
    ('28', '24.29', '0.1')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def in_bytes(value: float) -> str:
    """Write a number of bytes in the largest unit that loses nothing, else in the largest that is not above it.

    >>> in_bytes(4000 * 2**30), in_bytes(1.5 * 2**30), in_bytes(10**9), in_bytes(100)
    ('4000Gi', '1.5Gi', '953.67Mi', '100')
    """
    scaled = [(abs(value) / 2 ** (10 * power), unit) for power, unit in reversed([*enumerate(BYTES, 1)])]
    fitting = [(size, unit) for size, unit in scaled if size >= 1]
    exact = [(size, unit) for size, unit in fitting if round(size, 2) == size and size < CROWDED]
    sign = "-" if value < 0 else ""
    for size, unit in [*exact, *fitting]:
        return f"{sign}{number(size)}{unit}"
    return number(value)


def percent(share: float) -> str:
    """Write a share as a percentage.

    >>> percent(0.333), percent(1.0), percent(0.004)
    ('33%', '100%', '0.4%')
    """
    parts = share * 100
    return f"{parts:.1f}%" if 0 < parts < 1 else f"{parts:.0f}%"


def exact_percent(share: str) -> str:
    """Write a share that is given in four digits as a percentage, with as many digits, so that two can be compared.

    >>> exact_percent("0.01695"), exact_percent("1.587"), exact_percent("0")
    ('1.695%', '158.7%', '0%')
    """
    return f"{float(share) * 100:.4g}%"


def bar(share: float, reserved: float = 0.0) -> str:
    """Draw a share, and what is reserved beside it; above 100%, there is an arrow at the end.

    >>> bar(0.25), bar(1.0), bar(1.3), bar(0.2, 0.3), bar(0.5, 0.7)
    ('███·······', '██████████', '█████████▶', '██▒▒▒·····', '█████▒▒▒▒▶')
    """
    held, filled = (min(int(part * _BAR_WIDTH + 0.5), _BAR_WIDTH) for part in (share, share + reserved))
    drawn = "█" * held + "▒" * (filled - held) + "·" * (_BAR_WIDTH - filled)
    return drawn if share + reserved <= 1 + NEGLIGIBLE else f"{drawn[:-1]}▶"


_MINUTE: Final = 60
_PRECISE: Final = 9.95
"""Less than this, in seconds, is written with a decimal."""


def lasting(seconds: float | None) -> str:
    """Write a time in its two largest units.

    >>> lasting(11520.0), lasting(75.4), lasting(45.2), lasting(4.25), lasting(90061.0), lasting(None)
    ('3h 12m', '1m 15s', '45s', '4.2s', '1d 1h', '-')
    """
    if seconds is None:
        return ABSENT
    if seconds < 0:
        return f"-{lasting(-seconds)}"
    if seconds < _PRECISE:
        return f"{number(round(seconds, 1))}s"
    sizes = [size for size, _ in SECONDS]
    unit = next(size for size in sizes if round(seconds) >= size)
    least = sizes[sizes.index(unit) + 1] if unit >= _MINUTE else 1
    return write_seconds(round(seconds / least) * least, " ")
