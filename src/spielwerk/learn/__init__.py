"""Learners and the run folders they work in."""
