"""The scheduler's actions, one module each, named as Volcano names them."""
