"""spe_ed: light cycles on a grid, everybody moves at once (informatiCup 2021)."""
