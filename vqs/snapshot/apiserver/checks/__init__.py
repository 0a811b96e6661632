"""What the API server would refuse and scheduling would stumble over, in objects of the right types."""
