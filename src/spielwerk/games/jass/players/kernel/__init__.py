"""The players of Schieber Jass, compiled."""
