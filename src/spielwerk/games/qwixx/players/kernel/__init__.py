"""The players of Qwixx, compiled."""
