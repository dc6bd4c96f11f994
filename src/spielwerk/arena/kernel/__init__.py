"""What the arena measures, compiled."""
