"""Qwixx."""
