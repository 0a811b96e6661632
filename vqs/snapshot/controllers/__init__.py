"""What Volcano's and Kubernetes' controllers make of the objects in a snapshot before the scheduler sees them."""
