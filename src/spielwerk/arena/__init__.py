"""The arena: evaluation, certainty, tournaments, ratings, and the store of results."""
