"""How a session is written."""
