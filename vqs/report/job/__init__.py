"""How the life of a job is written."""
