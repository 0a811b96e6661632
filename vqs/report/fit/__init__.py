"""How it is written whether a job fits."""
