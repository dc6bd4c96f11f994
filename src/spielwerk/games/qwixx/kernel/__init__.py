"""Qwixx, compiled: the rules and the solver."""
