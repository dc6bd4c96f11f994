"""Agents: one file each. They compose searches, policies and models."""
