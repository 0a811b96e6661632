"""The scheduler's configuration: actions, tiers, plugins with their flags and arguments."""
