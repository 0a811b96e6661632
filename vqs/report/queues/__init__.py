"""How what queues get is written."""
