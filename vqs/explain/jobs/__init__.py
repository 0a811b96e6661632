"""Explaining one job: its life through a session, and what would have to change for it to be placed."""
