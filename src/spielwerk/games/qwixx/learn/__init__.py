"""The learners that know Qwixx only. `say` has what they say: errors, lines of progress, labels of their curves."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
