"""How findings are written."""
