"""The learners of Qwixx, compiled."""
