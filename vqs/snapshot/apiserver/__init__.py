"""What the API server and Volcano's webhooks accept of an object, and what they fill in."""
