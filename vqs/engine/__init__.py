"""One scheduling session: its state in arrays, its plugins, its actions and the trace of its decisions."""
