"""A node whose list of GPUs to share cannot be read, or not in full."""

from collections.abc import Iterator
from typing import Final

from vqs.engine.plugins.deviceshare.devices import number_of
from vqs.engine.plugins.deviceshare.virtual_gpu import REGISTER
from vqs.lint.rule import Finding, Findings, LintContext, Rule, Severity

_PLUGIN: Final = "deviceshare"
_FIELDS: Final = ("uuid", "count", "memory", "type", "health", "mode")
_NUMBERS: Final = (1, 2)


def check(context: LintContext) -> Findings:
    """Read the GPUs that nodes registered, if the plugin deviceshare is configured."""
    if context.conf.plugin(_PLUGIN) is None:
        return
    for node, place in context.objects("nodes"):
        for fault in _faults(node.metadata.annotations.get(REGISTER)):
            at = place.at("metadata", "annotations", REGISTER)
            yield Finding(f"node {node.metadata.name}: {fault}", at)


def _faults(text: str | None) -> Iterator[str]:
    """Yield what is wrong with a list of GPUs: what makes all of it unreadable, else amounts that count as 0."""
    if not text:
        return
    entries = [entry.split(",") for entry in text.split(":") if "," in entry]
    if ":" not in text or not entries:
        yield "no GPU is registered, as no entry ends with a colon and has commas"
        return
    short = next((entry for entry in entries if len(entry) < len(_FIELDS)), None)
    if short is not None:
        yield (
            f"no GPU is registered, as the entry {','.join(short)!r} has {len(short)} of {len(_FIELDS)} fields: "
            f"{', '.join(_FIELDS)}"
        )
        return
    for entry in entries:
        for field in _NUMBERS:
            if number_of(entry[field]) == 0 and set(entry[field]) != {"0"}:
                yield f"the {_FIELDS[field]} of GPU {entry[0]} is {entry[field]!r}, which counts as 0"


RULE = Rule(
    code="malformed-gpu-register",
    severity=Severity.WARNING,
    title="a node's list of virtual GPUs cannot be read",
    meaning="The annotation volcano.sh/node-vgpu-register of the node is not a list of GPUs, each with the fields "
    "uuid, count, memory, type, health and mode, separated by commas and ended by a colon.",
    why="With an entry that has too few fields, the plugin deviceshare takes the node for one without GPUs, and pods "
    "that ask for a virtual GPU do not fit there. A count or memory that is no number counts as 0.",
    fix="Restart the device plugin on the node, which writes the annotation, and check that its version is one for "
    "Volcano.",
    source="pkg/scheduler/api/devices/nvidia/vgpu/utils.go (decodeNodeDevices)",
    check=check,
    looks_at=("nodes", "conf"),
    example="volcano.sh/node-vgpu-register: GPU-1,10,32768,NVIDIA-V100:",
)
