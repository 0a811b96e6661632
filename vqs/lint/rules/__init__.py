"""One module a rule, named after its code; `vqs.lint.registry` finds them."""
