"""What vqs predicts from a dump, compared with what the cluster then did, as a later dump shows it."""
