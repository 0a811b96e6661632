"""What a change does: two finished sessions, compared decision by decision."""
