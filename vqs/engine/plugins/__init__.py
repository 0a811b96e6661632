"""The scheduler's plugins, one module each, named as Volcano names them."""
