"""Compiled parts of learning Jass."""
