"""The players that know Schieber Jass only. `say` says why they cannot play another game."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
