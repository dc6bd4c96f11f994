"""The players that know Qwixx only. `say` says why they cannot play another game, and what is wrong with options."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
