package main

import "volcano.sh/volcano/pkg/scheduler/api/devices/config"

// Releases before v1.14 have no such ConfigMap; the program is built without this file there.

func init() {
	setDevices = func(s scenario) {
		if s.devices != "" {
			config.Take(s.devices)
		}
	}
}
