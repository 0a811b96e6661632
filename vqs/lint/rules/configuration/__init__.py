"""What is wrong with the configuration of the scheduler."""
