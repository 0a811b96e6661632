"""Files and text: what is read, with positions, and what is wrong with it."""
