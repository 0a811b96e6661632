"""What is wrong with objects of any kind, and with what queues and workloads ask of the nodes."""
