"""Build the program that records what the real scheduler decides.

    python build.py VOLCANO PROGRAM

VOLCANO is a checkout of the release that is recorded; the program of the folder `record` is built in it, as much of
the scheduler is internal. Time passes as on any clock, but begins at SHIFT_SECONDS from now, from the environment:
recordings are made at one moment.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

OF_CACHE: Final = """package cache

import (
	"k8s.io/client-go/tools/record"

	"volcano.sh/volcano/pkg/scheduler/metrics/source"
)

// NewRecordingCache is a mock cache with the given effects.
func NewRecordingCache(b Binder, e Evictor, s StatusUpdater, r record.EventRecorder) *SchedulerCache {
	return NewCustomMockSchedulerCache("volcano", b, e, s, nil, r)
}

// SetUsage says what nodes use.
func (sc *SchedulerCache) SetUsage(usage map[string]*source.NodeMetrics) { sc.setMetricsData(usage) }
"""

OF_HANDLERS: Final = """
// AllSynced is true once all informers have delivered what there is.
func (sc *SchedulerCache) AllSynced() bool {
	for _, handler := range sc.registeredHandlers {
		if !handler.HasSynced() {
			return false
		}
	}
	return true
}
"""
WITHOUT_HANDLERS: Final = """
// AllSynced is always true: this release does not keep what it waits for.
func (sc *SchedulerCache) AllSynced() bool { return true }
"""

DEVICES: Final = "pkg/scheduler/api/devices/config"
OF_DEVICES: Final = """package config

import "gopkg.in/yaml.v2"

// Take has this be the configuration of devices, as if a client had read it; the default is where it cannot be read.
func Take(text string) {
	once.Do(func() {
		configs = &Config{}
		if err := yaml.Unmarshal([]byte(text), configs); err != nil {
			configs = GetDefaultDevicesConfig()
		}
	})
}
"""

NOW: Final = "func Now() Time {\n"
SHIFTED: Final = """	if shiftSeconds() != 0 {
		sec, nsec, _ := runtimeNow()
		return Time{uint64(nsec), sec + shiftSeconds() + unixToInternal, Local}
	}
"""
SHIFT: Final = """
var shift int64
var isShiftKnown bool

func shiftSeconds() int64 {
	if !isShiftKnown {
		isShiftKnown = true
		text, _ := syscall.Getenv("SHIFT_SECONDS")
		for i := 0; i < len(text); i++ {
			if '0' <= text[i] && text[i] <= '9' {
				shift = shift*10 + int64(text[i]-'0')
			}
		}
		if len(text) > 0 && text[0] == '-' {
			shift = -shift
		}
	}
	return shift
}
"""


def main(volcano: str, program: str) -> None:
    """Build the program in a checkout."""
    checkout = Path(volcano)
    shutil.copytree(Path(__file__).parent / "record", checkout / "cmd" / "record", dirs_exist_ok=True)
    if "ShardingMode" not in (checkout / "cmd/scheduler/app/options/options.go").read_text(encoding="utf-8"):
        (checkout / "cmd/record/shards.go").unlink()
    if (checkout / DEVICES / "config.go").exists():
        (checkout / DEVICES / "recording.go").write_text(OF_DEVICES, encoding="utf-8")
    else:
        (checkout / "cmd/record/devices.go").unlink()
    cache = checkout / "pkg/scheduler/cache"
    keeps = "registeredHandlers" in (cache / "cache.go").read_text(encoding="utf-8")
    (cache / "recording.go").write_text(OF_CACHE + (OF_HANDLERS if keeps else WITHOUT_HANDLERS), encoding="utf-8")
    go = shutil.which("go") or sys.exit("go is not installed")
    root = subprocess.run([go, "env", "GOROOT"], cwd=checkout, check=True, capture_output=True, text=True).stdout  # noqa: S603
    clock = Path(root.strip()) / "src/time/time.go"
    text = clock.read_text(encoding="utf-8")
    text = text.replace(NOW, NOW + SHIFTED, 1).replace("import (\n", 'import (\n\t"syscall"\n', 1) + SHIFT
    with TemporaryDirectory() as folder:
        own, overlay = Path(folder, "time.go"), Path(folder, "overlay.json")
        own.write_text(text, encoding="utf-8")
        overlay.write_text(json.dumps({"Replace": {str(clock): str(own)}}), encoding="utf-8")
        command = [go, "build", "-overlay", str(overlay), "-o", str(Path(program).absolute()), "./cmd/record"]
        subprocess.run(command, cwd=checkout, check=True)  # noqa: S603 - no shell


if __name__ == "__main__":
    main(*sys.argv[1:])
