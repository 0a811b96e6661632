"""A session: its statements, extension points, orders and trace."""
