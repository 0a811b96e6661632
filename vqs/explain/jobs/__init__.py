"""Explaining one job: what each stage of a session did with it, and the fixes that get it placed."""
