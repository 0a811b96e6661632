"""How the cheapest change that reaches a goal is written."""
