"""The parts of what-if edits: what they are about, the way to a value, and what else changes with an object."""
