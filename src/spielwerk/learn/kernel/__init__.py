"""Learners, compiled."""
