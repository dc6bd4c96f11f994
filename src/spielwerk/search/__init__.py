"""Templates of algorithms over the contract: ordinary functions that `specialise` links to a game."""
