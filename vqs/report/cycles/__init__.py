"""How session after session is written."""
