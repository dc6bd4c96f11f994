"""Schieber Jass, compiled: the rules, the solver, and what networks are told."""
