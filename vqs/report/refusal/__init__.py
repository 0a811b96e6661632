"""How it is written that an input cannot be used."""
