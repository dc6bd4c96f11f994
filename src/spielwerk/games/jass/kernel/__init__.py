"""Schieber Jass, compiled: the rules and the solver."""
