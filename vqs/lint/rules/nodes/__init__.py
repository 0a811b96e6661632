"""What is wrong with nodes and HyperNodes."""
