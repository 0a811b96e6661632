"""What is wrong with queues, their annotations and their tree."""
