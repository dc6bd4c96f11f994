"""Compiled code of spe_ed."""
