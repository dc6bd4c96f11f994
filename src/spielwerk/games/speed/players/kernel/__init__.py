"""Compiled players of spe_ed."""
