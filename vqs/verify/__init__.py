"""What vqs says of a dump, held against what the cluster then did, as a later dump shows it."""
