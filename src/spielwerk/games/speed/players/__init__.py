"""The players that know spe_ed only. `say` says why they cannot play another game."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
