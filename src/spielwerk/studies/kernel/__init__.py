"""What studies measure, compiled."""
