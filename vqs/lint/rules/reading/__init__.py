"""What is found while the input is read."""
