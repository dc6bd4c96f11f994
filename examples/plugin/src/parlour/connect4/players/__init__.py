"""Agents that know Connect Four only."""
