"""How much an input may stand for."""

from typing import Final

MOST_PODS: Final = 250_000
"""How many pods controllers create for it at most: more would take all the memory there is."""
