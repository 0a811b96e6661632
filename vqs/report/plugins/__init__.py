"""How plugins and actions are listed, and one of them is explained."""
