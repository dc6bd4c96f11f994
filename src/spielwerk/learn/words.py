"""What the learners say: errors, lines of progress, labels of their curves."""

from spielwerk.core.words import Words

say = Words.beside(__file__)
