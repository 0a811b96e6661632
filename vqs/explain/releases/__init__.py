"""What releases of Volcano decide differently."""
