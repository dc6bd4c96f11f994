"""Compiled rules of the players of spe_ed."""
