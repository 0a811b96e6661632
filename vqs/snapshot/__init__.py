"""From files to typed objects: reading YAML and JSON with positions, and checking what was read."""
