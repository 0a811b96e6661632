"""How the behaviours are shown that releases do not have in common."""
