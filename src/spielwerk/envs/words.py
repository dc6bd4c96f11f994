"""What environments say: errors."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
