"""What the arena says while it plays."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
