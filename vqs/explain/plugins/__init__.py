"""What `vqs plugins` answers: what plugins and actions decide, where they take part, and what they contributed.

- `outcome`: the document
- `report`: puts the document together
"""
