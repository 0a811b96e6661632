"""How a difference is written."""
