"""Compiled rules and network inputs of Ganz schön clever."""
