"""How it is written how vqs and a cluster compare."""
