"""The entry point: what becomes of a command, and the exit code.

Little is imported before the commands are asked for: who interrupts that is not to see where it was.
"""

import atexit
import gc
import os
from collections.abc import Sequence
from typing import Final

from vqs.cli import INTERRUPTED

_PATIENCE: Final = 500_000
"""The number of objects made before cycles are looked for: commands make many, and next to none in cycles."""
_THREADS: Final = "OPENBLAS_NUM_THREADS"
"""How many threads numpy starts for linear algebra, of which vqs has none: waiting for work takes them 0.05 s."""


def kubectl_plugin() -> int:
    """Run a command as ``kubectl vqs``, and return its exit code."""
    return main(name="kubectl vqs")


def main(arguments: Sequence[str] | None = None, name: str = "vqs") -> int:
    """Run a command and return its exit code: 0 fine, 1 a difference, 2 an error, 129, 130 or 143 interrupted."""
    # The process is kept from work that comes to nothing while it starts, and when it ends.
    os.environ.setdefault(_THREADS, "1")
    gc.set_threshold(_PATIENCE)
    atexit.unregister(gc.freeze)
    atexit.register(gc.freeze)  # else all there is would be searched for cycles, only to be freed one by one
    try:
        from vqs.cli.app import run

        return run(arguments, name)
    except KeyboardInterrupt:
        return INTERRUPTED
