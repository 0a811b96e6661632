"""The typed state that a session opens on, built from objects."""
