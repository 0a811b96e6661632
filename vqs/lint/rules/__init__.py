"""Rules by what they look at, one module a rule, named after its code; `vqs.lint.registry` finds them."""
