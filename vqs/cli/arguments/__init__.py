"""What each command takes from the command line, as a dataclass: light, so that help and completion come at once."""
