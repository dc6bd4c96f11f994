"""Schieber Jass."""
