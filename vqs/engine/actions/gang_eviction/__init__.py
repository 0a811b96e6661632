"""What the actions gangpreempt and gangreclaim have in common: which victims belong together, and where a gang fits."""
