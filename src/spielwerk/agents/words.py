"""What the agents say: why they cannot play a game, and what is wrong with their options."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
