#!/usr/bin/env python3
"""The decisions on a snapshot, and those on the same snapshot under other names with the names put back.

usage: decisions.py PATH ...      PATH is a scenario, a dump, or a folder of them

As a program, compares the two for all files, without a seed and with one, looks for texts of the originals in what is
written, and prints a line for each file where they differ, and the count.
Exit status: 0 all are the same, 1 some differ.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import yaml

from vqs.anonymize import vocabulary
from vqs.anonymize.key import Key
from vqs.anonymize.run import Anonymized, anonymize
from vqs.config.known_arguments import ACTION_ARGUMENTS, PLUGIN_ARGUMENTS, Argument
from vqs.config.scheduler_conf import FLAGS
from vqs.engine.plugins.deviceshare.ascend import RegisteredNpu
from vqs.engine.plugins.deviceshare.device_config import (
    DeviceConfig,
    Geometry,
    MigInstance,
    ModelGeometries,
    NpuConfig,
    NpuTemplate,
    NvidiaConfig,
)
from vqs.engine.plugins.deviceshare.virtual_gpu import ASSIGNED, AVOID_TYPE, BIND_PHASE, MODE, REGISTER, USE_TYPE
from vqs.explain.simulate import SimulateOptions, simulate
from vqs.model import devices, kubernetes
from vqs.releases.profile import behaviours
from vqs.report import as_json, as_manifests
from vqs.report.formats import Format
from vqs.snapshot.reading.diagnostics import InputErrors
from vqs.snapshot.reading.manifests import Manifests
from vqs.snapshot.reading.plain import written_fields
from vqs.snapshot.reading.reader import read_manifests

RECORDED_AT = datetime.fromisoformat("2026-11-21T12:00:00Z")
LUCK_AND_TIMES = ((None, None), (3, RECORDED_AT))
"""The seeds and times of the sessions that are compared; without a time, it is the snapshot's own."""
_ABOUT_FILES = ("diagnostics", "expectations", "scenario")
"""What a result says of the files rather than of the cluster."""
_TELLING = 3
_TELLS_NOTHING = re.compile(r"[0-9]+(?:[A-Za-z]{0,2}|T[0-9]+)")
_WORD = re.compile(r"[A-Za-z0-9]+")


def decisions(manifests: Manifests, seed: int | None = None, now: datetime | None = None) -> str:
    """Return the result of a session as text, as far as it is about the cluster."""
    simulation = simulate(manifests, SimulateOptions(now=now, seed=seed, nodes=True))
    for each in simulation.losses:
        each.restarted = 0  # what makes the pods of a scenario again is not among the objects of a snapshot
    result = json.loads(as_json.document(simulation))
    del result["session"]["configuration"]
    for lost in result.get("losses", ()):
        del lost["restarted"]  # that a scenario makes its pods again, the pods themselves do not say
    return json.dumps({name: value for name, value in result.items() if name not in _ABOUT_FILES}, indent=1)


def read_again(renamed: Anonymized, index: int = 0) -> Manifests:
    """Read a snapshot under other names as a user would."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "renamed.json"
        file.write_text(as_manifests.encoded(renamed.snapshots[index], Format.JSON), encoding="utf-8")
        return read_manifests([str(file)])


def strings(value: Any) -> Iterator[str]:
    """Yield all keys and texts in a plain value."""
    match value:
        case str():
            yield value
        case dict():
            for key, each in value.items():
                yield from (*strings(key), *strings(each))
        case list():
            for each in value:
                yield from strings(each)


def originals(file: Path) -> set[str]:
    """Return all texts of a file that are long enough to tell something."""
    text = file.read_text(encoding="utf-8")
    documents: Sequence[Any] = [json.loads(text)] if file.suffix == ".json" else list(yaml.safe_load_all(text))
    return {each for each in strings(list(documents)) if len(each) >= _TELLING}


def leaks(file: Path, renamed: Anonymized, index: int = 0) -> list[str]:
    """Return the texts of a file that stand somewhere in what was written, but for public words, amounts and times."""
    written = "\n".join(strings([json.loads(each) for each in renamed.snapshots[index]]))
    words = words_of(written)
    return sorted(
        text
        for text in originals(file)
        if (own := words_of(text)) - PUBLIC
        and own <= words
        and re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", written)
    )


def words_of(text: str) -> set[str]:
    """Return the words of a text that are more than a number, an amount or a part of a time."""
    return {word for word in _WORD.findall(text) if not _TELLS_NOTHING.fullmatch(word)}


def _public() -> Iterator[str]:
    yield from vocabulary.FIXED_WORDS
    for name in ("KEYS", "CHOICES", "PHASES", "CONDITIONS", "REASONS", "KIND_NAMES", "API_VERSIONS", "MESSAGE_WORDS"):
        yield from getattr(vocabulary, name)
    for name in ("FIXED_NAMES", "PRIORITY_CLASSES", "SCHEDULERS", "PLUGIN_NAMES", "ACTION_NAMES", "JOB_PLUGINS"):
        yield from getattr(vocabulary, name)
    for arguments in (*PLUGIN_ARGUMENTS.values(), *ACTION_ARGUMENTS.values()):
        yield from _names(arguments)
    yield from FLAGS
    yield from ("actions tiers plugins configurations arguments", "volcano-scheduler-configmap.conf volcano-system")
    yield from ("items List vqs Scenario now", "amd64 linux metadata.name", "LeastAllocated MostAllocated")
    yield "flags scheduler-sharding-mode scheduler-sharding-name volcano behaviours"
    yield from (text for row in behaviours().values() for text in (row.name, *row.choices))
    yield from ("nvidia.com/gpu storage memory cpu pods ephemeral-storage hugepages rdma/hca volcano.sh/vgpu-number",)
    yield from (
        "volcano.sh/vgpu-memory-percentage volcano.sh/vgpu-cores",
        "volcano.sh/gpu-memory volcano.sh/gpu-number",
    )
    yield from (REGISTER, ASSIGNED, MODE, USE_TYPE, AVOID_TYPE, BIND_PHASE, "hami.io/node-register-Ascend310P")
    yield from ("hami.io/Ascend310P-devices-allocated", "NetworkID huawei.com/Ascend310P-memory")
    yield "Tesla A100 T4 80GB P4 V100 p4 a100"
    yield "device-config.yaml volcano-vgpu-device-config"
    for part in (DeviceConfig, NvidiaConfig, ModelGeometries, Geometry, MigInstance, NpuConfig, NpuTemplate):
        yield from part.__struct_encode_fields__
    yield from ("allocating success failed hami-core mig mps NVIDIA Ascend910B3", *RegisteredNpu.__struct_fields__)
    for type_ in (*vars(kubernetes).values(), *vars(devices).values()):
        if isinstance(type_, type) and issubclass(type_, msgspec.Struct):
            yield from (name for _, name, _ in written_fields(type_))


def _names(arguments: Sequence[Argument]) -> Iterator[str]:
    for argument in arguments:
        yield argument.name
        yield from _names(argument.fields)


PUBLIC = frozenset(word for text in _public() for word in _WORD.findall(text))


def differences(file: Path) -> list[str]:
    """Return in what the decisions on a file differ when it is renamed."""
    manifests = read_manifests([str(file)])
    renamed = anonymize([manifests], Key())
    again = read_again(renamed)
    problems = [note.message for note in renamed.notes if note.severity == "warning"]
    problems += [f"{text!r} is still there" for text in leaks(file, renamed)]
    for seed, now in LUCK_AND_TIMES:
        before, after = decisions(manifests, seed, now), renamed.key.reveal(decisions(again, seed, now))
        pairs = zip(before.splitlines(), after.splitlines(), strict=False)
        problems += [f"seed {seed}: {one.strip()} / {other.strip()}" for one, other in pairs if one != other][:1]
        problems += [f"seed {seed}: longer or shorter"] if before.count("\n") != after.count("\n") else []
    return problems


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in map(Path, paths):
        if path.is_dir():
            yield from (each for each in sorted(path.iterdir()) if _is_input(each))
        else:
            yield path


def _is_input(file: Path) -> bool:
    recorded = file.suffix == ".json" and file.with_suffix(".yaml").exists()
    return file.suffix in (".yaml", ".json") and ".outcome" not in file.name and not recorded


def _judged(file: Path) -> list[str] | None:
    """Return in what the decisions on a file differ, None where vqs refuses it."""
    try:
        return differences(file)
    except InputErrors:
        return None


def main(paths: Sequence[str]) -> int:
    """Compare all files."""
    files = list(_files(paths))
    with ProcessPoolExecutor() as pool:
        judged = dict(zip(files, pool.map(_judged, files, chunksize=4), strict=True))
    readable = {file: problems for file, problems in judged.items() if problems is not None}
    for file, problems in readable.items():
        sys.stdout.writelines(f"{file}: {problem}\n" for problem in problems[:3])
    same = sum(not problems for problems in readable.values())
    sys.stdout.write(f"the same decisions under other names: {same} of {len(readable)}")
    sys.stdout.write(f", and {len(files) - len(readable)} that vqs refuses\n" if len(files) > len(readable) else "\n")
    return int(same < len(readable))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
