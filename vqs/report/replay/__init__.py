"""The reports on a replay: what became of a workload under one policy or several."""
