"""Agents: one file each. They compose search texts, policies and models."""
