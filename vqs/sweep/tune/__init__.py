"""The cheapest change that reaches a goal."""
