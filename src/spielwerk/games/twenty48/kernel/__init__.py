"""2048, compiled: the rules, the grid of n-tuple networks, heuristics and the solver."""
