"""The players of spe_ed, compiled."""
