"""How the jobs that wait are listed."""
