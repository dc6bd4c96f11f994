"""Compiled code of the core: contract, defaults, entries, match loop, objectives, randomness."""
