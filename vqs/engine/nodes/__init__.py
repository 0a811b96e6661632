"""The nodes of a session: their table, what fits, how it scores, and what is known of their states."""
