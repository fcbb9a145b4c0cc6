"""Studies of many verdicts: noise, sweeps, probes."""
