"""What `vqs plugins` answers: what plugins and actions decide, where they take part, and what they contributed.

- `outcome`: the document
- `registration`: the extension points that a plugin registers
- `texts`: what a plugin decides, from its own docstring
- `report`: puts the document together
"""
