"""Compiled code of networks: the forward pass, and the rules and evaluations made of it."""
