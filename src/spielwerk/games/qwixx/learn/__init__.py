"""The learners that know Qwixx only. `say` has the labels of their curves."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
