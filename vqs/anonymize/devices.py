"""The devices of nodes and of pods in annotations, and their configuration, under other names.

Models of vendors and amounts are public; devices, and ways to cut them, have names.
Formats: see `vqs.engine.plugins.deviceshare`.
"""

from __future__ import annotations

import json
import re
from typing import Final

import msgspec

from vqs.anonymize.words import Naming
from vqs.engine.plugins.deviceshare.ascend import NETWORK_ID, RegisteredNpu
from vqs.engine.plugins.deviceshare.virtual_gpu import ASSIGNED, AVOID_TYPE, REGISTER, USE_TYPE

_NPUS: Final = re.compile(r"hami\.io/node-register-[A-Za-z0-9]+")
_HELD_NPUS: Final = re.compile(r"hami\.io/[A-Za-z0-9]+-devices-(?:allocated|to-allocate)")
_MODEL: Final = re.compile(
    r"(?:(?:GeForce|RTX|GTX|Tesla|Quadro|[ABHLPTV][0-9]|[0-9]++(?:GB?)?|SXM|PCIe?|SUPER|Ti|NVIDIA)[- ,]?)*"
    r"|Ascend[0-9]+[A-Z]?[0-9]?",
    re.IGNORECASE,
)
"""What the names of models that vendors have published are made of."""
_PUBLIC: Final = re.compile(r"-?[0-9]*|[Tt]rue|[Ff]alse|hami-core|mig|mps")
"""An amount, a state of health, or a mode."""


def lists_devices(key: str) -> bool:
    """True if an annotation is about devices."""
    in_full = key in {REGISTER, ASSIGNED, AVOID_TYPE, USE_TYPE}
    return in_full or _NPUS.fullmatch(key) is not None or _HELD_NPUS.fullmatch(key) is not None


def renamed_devices(key: str, value: str, naming: Naming) -> str:
    """The value of an annotation about devices."""
    if key in {AVOID_TYPE, USE_TYPE}:
        return ",".join(model(each, naming) for each in value.split(","))
    if _NPUS.fullmatch(key):
        try:
            cards = msgspec.json.decode(value, type=list[RegisteredNpu])
        except (msgspec.DecodeError, RecursionError):
            return naming.name(value)
        return json.dumps([_npu(card, naming) for card in cards])
    return ";".join(
        ":".join(_entry(entry, naming, registered=key == REGISTER) for entry in container.split(":"))
        for container in value.split(";")
    )


def model(name: str, naming: Naming) -> str:
    """The name of a model, which stays if a vendor has published it."""
    return naming.keep(name) if _MODEL.fullmatch(name) else naming.name(name)


def _entry(entry: str, naming: Naming, *, registered: bool) -> str:
    """A device: its UUID, and for one that a node registers slots, memory, model, health and mode."""
    uuid, comma, rest = entry.partition(",")
    if not comma:
        return naming.name(entry)
    fields = rest.split(",")
    names = (2,) if registered else (0,)
    kept = [
        model(each, naming) if index in names else naming.keep(each) if _PUBLIC.fullmatch(each) else naming.name(each)
        for index, each in enumerate(fields)
    ]
    # Behind the UUID of a device that is cut, an instance has the geometry's name and a position.
    device, bracket, instance = uuid.partition("[")
    named = naming.name(device)
    if bracket:
        geometry, dash, position = instance.rpartition("-")
        named += f"[{naming.name(geometry)}{dash}{naming.keep(position)}"
    return ",".join([named, *kept])


def _npu(card: RegisteredNpu, naming: Naming) -> dict[str, object]:
    written: dict[str, object]
    amounts = {"count": card.count, "devmem": card.devmem, "devcore": card.devcore}
    written = {naming.keep("id"): naming.name(card.id), **{naming.keep(key): each for key, each in amounts.items()}}
    network = card.custominfo.get(NETWORK_ID)
    if NETWORK_ID in card.custominfo:
        known = network if isinstance(network, int | float) else None
        written[naming.keep("custominfo")] = {naming.keep(NETWORK_ID): known}
    return written
