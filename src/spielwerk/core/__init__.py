"""The core: knows no game and no agent."""
