"""Algorithm texts over the contract: ordinary functions that `specialise` links to a game."""
