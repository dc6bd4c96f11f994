"""Kernels of environments."""
