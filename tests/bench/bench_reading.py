"""How long reading takes; prints figures and asserts nothing.

usage: python tests/bench/bench_reading.py FILE...
"""

import resource
import sys
import time
from pathlib import Path

from vqs.snapshot.reading.reader import read_manifests


def main(paths: list[str]) -> None:
    """Read each file on its own and print size, time and throughput, then the peak of memory."""
    for path in paths:
        megabytes = Path(path).stat().st_size / 1e6
        started = time.perf_counter()
        manifests = read_manifests([path])
        seconds = time.perf_counter() - started
        objects = sum(len(origins) for origins in manifests.origins.values())
        print(f"{path}: {megabytes:.1f} MB, {objects} objects, {seconds:.2f} s, {megabytes / seconds:.1f} MB/s")  # noqa: T201
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MiB")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
