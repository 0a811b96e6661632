"""Rules over a snapshot and a scheduler configuration: what is wrong with them before anything is scheduled."""
