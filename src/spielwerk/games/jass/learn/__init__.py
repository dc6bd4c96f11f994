"""What learns Jass only, and from what. `say` has what it says."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
